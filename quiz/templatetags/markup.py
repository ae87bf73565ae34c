"""Template filters for the site's Markdown: `{% load markup %}{{ text|markup }}`."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from quiz.bank.keeping import rendered
from quiz.bank.markup import plain as as_plain
from quiz.bank.markup import render, render_inline
from quiz.exercises.types import Text

register = template.Library()


@register.filter
def markup(text: str, language: str = "") -> SafeString:
    """A text of the bank as block HTML, kept; `language` is the text's own, where it is not the page's."""
    return rendered(str(text), language or _language())


@register.filter
def inline(text: str, language: str = "") -> SafeString:
    """One line: titles, options, verdicts."""
    return render_inline(str(text), language or _language())


@register.filter
def plain(text: str, language: str = "") -> str:
    """No markup at all: for `<title>` and attributes."""
    return as_plain(str(text), language or _language())


@register.filter
def told(text: Text) -> SafeString:
    """A bilingual text in the current language, as one line."""
    return render_inline(_current(text), _language())


@register.filter
def told_block(text: Text) -> SafeString:
    """A bilingual text in the current language, as paragraphs."""
    return render(_current(text), _language())


@register.filter
def told_plain(text: Text) -> str:
    """A bilingual text in the current language, without markup."""
    return as_plain(_current(text), _language())


def _current(text: Text) -> str:
    return text.in_language(_language())


def _language() -> str:
    return get_language() or "zh-hans"


@register.simple_tag
def told_with(lets: str, text: Text) -> SafeString:
    """A bilingual text as paragraphs, in which the names of a let fence are known."""
    return rendered(lets + _current(text), _language())
