"""Wrong choices as a verdict tells them: each by itself, because one does not follow from another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString

from quiz.bank.markup import render_inline
from quiz.exercises.explaining import explained
from quiz.exercises.types import Part, PartVerdict, Verdict
from quiz.exercises.variants import Variant
from quiz.responses.fields import told
from quiz.responses.standing import Reveal


@dataclass(frozen=True, kw_only=True)
class ChoiceView:
    """`title` says which choice it was and what it looks like, where there are several; `right` is the right
    option, once it is due."""

    title: SafeString | str
    told: tuple[SafeString, ...]
    question: SafeString | str = ""
    right: SafeString | str = ""


def wrong_choices(variant: Variant, verdict: Verdict, *, reveal: Reveal) -> Iterator[ChoiceView]:
    """Every choice that is wrong, in the order of the parts."""
    due = reveal is Reveal.SOLUTION
    several = len(verdict.parts) > 1
    for given in verdict.parts:
        part = variant.part(given.part)
        if part.kind != "choice" or given.key == "right":
            continue
        named = explained(variant, given.part, given.diagnosis, cells=given.cells)
        yield ChoiceView(
            title=_title(part, given) if several else "",
            told=tuple(render_inline(told(one.told)) for one in named),
            question="" if due or not named else render_inline(told(named[0].question)),
            right=label_of(part, variant.right[part.name]) if due else "",
        )


def label_of(part: Part, slug: str) -> SafeString:
    """What an option says; a line of code with its number."""
    number, option = next((n, o) for n, o in enumerate(part.options, start=1) if o.slug == slug)
    if part.is_listing:
        return format_html("{} <code>{}</code>", number, option.label.en.strip())
    return render_inline(told(option.label))


def _title(part: Part, given: PartVerdict) -> SafeString:
    return format_html(
        "<strong>{}</strong> {}", render_inline(told(part.label)), render_inline(told(given.reason))
    )
