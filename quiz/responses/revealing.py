"""What more than the mistake is shown: the first step that went wrong, then the worked solution."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from quiz.bank.markup import plain, render_inline
from quiz.exercises.diagnosis import misconceptions_in
from quiz.exercises.types import Given, Part, SolutionStep, Verdict
from quiz.exercises.variants import Variant
from quiz.responses.fields import told
from quiz.responses.standing import Reveal, Standing
from quiz.responses.storing import verdict_of


@dataclass(frozen=True, kw_only=True)
class FirstStep:
    """The first step that went wrong, with the right values of the steps before it."""

    text: SafeString
    values: tuple[Given, ...] = ()
    worked: SolutionStep | None = None


@dataclass(frozen=True, kw_only=True)
class OpenedStep:
    step: SolutionStep
    number: int
    is_open: bool


def first_wrong_part(variant: Variant, verdict: Verdict | None) -> Part | None:
    """The earliest part known to be wrong: among the steps that were filled in, else the first one that the
    named mistake changes. None when that cannot be told."""
    wrong = verdict.first_wrong if verdict else None
    if verdict is None or wrong is None or wrong.key in ("malformed", "ambiguous"):
        return None
    part = variant.part(wrong.part)
    if not part.required or len(variant.parts) == 1:
        return part
    right = {p.part for p in verdict.parts if p.key == "right"}
    named = misconceptions_in(wrong.diagnosis)
    changed = [set(variant.mistakes.get(slug, {})) for slug in named]
    for candidate in variant.parts:
        if candidate.name not in right and any(candidate.name in parts for parts in changed):
            return candidate
    return part if right else None


def first_step(variant: Variant, verdict: Verdict) -> FirstStep | None:
    """What the second wrong answer adds. Never the value of a part that is asked for; to a wrong choice the
    beginning of the work, where there is one."""
    part = first_wrong_part(variant, verdict)
    if part is not None and part.kind == "choice":
        worked = _beginning(variant)
        begins = render_inline(_("The work begins like this; go on from here:"))
        return FirstStep(text=begins, worked=worked) if worked else None
    if part is None:
        return FirstStep(
            text=render_inline(_("Fill in the steps one by one: the first wrong one will be named.")),
            worked=_beginning(variant),
        )
    before = _before(variant, part)
    number = variant.parts.index(part) + 1
    label = told(part.label)
    if before:
        sentence = _("It went wrong at step %(number)s, %(step)s. What it starts from should read:")
    elif len(variant.parts) > 1:
        sentence = _("It went wrong at step %(number)s, %(step)s, which starts from what is given.")
    else:
        sentence = _("The work begins like this; go on from here:")
    return FirstStep(
        text=render_inline(sentence % {"number": number, "step": label}),
        values=tuple(_given(variant, step) for step in before),
        worked=None if len(variant.parts) > 1 else _beginning(variant),
    )


def shown_parts(variant: Variant, standing: Standing) -> frozenset[str]:
    """The names of the parts whose right values this person has been shown so far."""
    if standing.is_over:
        return frozenset(part.name for part in variant.parts)
    shown: set[str] = set()
    wrong = 0
    for response in standing.responses:
        wrong += response.counts and response.verdict != "right"
        if wrong == Reveal.STEP:
            part = first_wrong_part(variant, verdict_of(response))
            shown.update(step.name for step in (_before(variant, part) if part else ()))
    return frozenset(shown)


def _before(variant: Variant, part: Part) -> list[Part]:
    """The steps a part is computed from, but for the answer itself."""
    return [step for step in variant.before(part.name) if not step.required]


def _given(variant: Variant, part: Part) -> Given:
    return Given(name=plain(told(part.label)), value=variant.right[part.name], role=part.role)


def solution_of(variant: Variant, verdict: Verdict | None) -> tuple[OpenedStep, ...]:
    """The worked solution, opened at the first wrong step: all of it when that step is not known, none of it
    after a right answer."""
    if verdict and verdict.key == "right":
        return tuple(
            OpenedStep(step=step, number=number, is_open=False)
            for number, step in enumerate(variant.solution, start=1)
        )
    wrong = first_wrong_part(variant, verdict)
    known = wrong is not None and any(step.part == wrong.name for step in variant.solution)
    opened = wrong.name if known and wrong else None
    return tuple(
        OpenedStep(step=step, number=number, is_open=opened is None or step.part == opened)
        for number, step in enumerate(variant.solution, start=1)
    )


def _beginning(variant: Variant) -> SolutionStep | None:
    """The first step of the worked solution, unless it already is the answer."""
    required = {part.name for part in variant.required}
    first = variant.solution[0]
    return None if first.part in required or len(variant.solution) == 1 else first
