"""`{% load figures %}`: what an exercise gives and shows, as accessible figures."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from quiz.exercises.formatting import show
from quiz.exercises.types import Given
from quiz.figures.matrix import letter, matrix

register = template.Library()


@register.filter
def is_matrix(given: Given) -> bool:
    """Whether a given is drawn with brackets (a vector or a matrix), not stated as a number."""
    return isinstance(given.value, Sequence) and not isinstance(given.value, str)


@register.filter
def figure(given: Given) -> SafeString:
    """A given as a figure: a matrix with brackets and copy buttons, or `name = value`."""
    language = get_language() or "zh-hans"
    note = given.note.in_language(language) if given.note else ""
    if not is_matrix(given):
        return format_html('<span class="number-given">{} = {}</span>', symbol(given.name), show(given.value))
    drawn = matrix(given.value, name=given.name, role=given.role, note=note, lit=given.lit, language=language)
    return mark_safe(drawn)  # noqa: S308  matrix() escapes all it is given


@register.filter
def symbol(name: str) -> SafeString:
    """A given's name with its sub- and superscripts."""
    return mark_safe(letter(name))  # noqa: S308  letter() escapes
