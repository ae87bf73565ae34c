"""A verdict as a page shows it: heading, what was right, evidence, one question, and what more is due."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from quiz.bank.markup import render_inline
from quiz.exercises.explaining import Explanation, explained
from quiz.exercises.formatting import show
from quiz.exercises.types import PartVerdict, Value, Verdict
from quiz.exercises.variants import Variant
from quiz.exercises.verdicts import CATALOGUE, UNREAD, heading
from quiz.responses.answering import GRIDS, field_name
from quiz.responses.chosen import ChoiceView, wrong_choices
from quiz.responses.evidence import Evidence, evidence_of
from quiz.responses.fields import told
from quiz.responses.models import Response, State
from quiz.responses.revealing import FirstStep, first_step
from quiz.responses.standing import Reveal
from quiz.responses.storing import verdict_of

ICONS = {"✓": "right", "△": "partial", "✗": "wrong", "?": "unread", "!": "fault"}


def icon(key: str) -> str:
    """The drawing (templates/practice/_mark.html) for a verdict's key."""
    return ICONS[CATALOGUE[key].mark]


def word(response: Response) -> str:
    """The verdict in a word or two, for lists; a right answer says how it came about."""
    name = told(CATALOGUE[response.verdict].heading)
    if not response.state:
        return name
    return _("%(verdict)s, %(how)s") % {"verdict": name, "how": State(response.state).label}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of two readings of a text: its label, and what the form's `choose` field says."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True)
class StepView:
    """How one of several parts was done: "right", "wrong", or "follows" from a wrong one before it."""

    mark: str
    label: SafeString
    is_first_wrong: bool = False


@dataclass(frozen=True, kw_only=True)
class VerdictView:
    """`steps` are told where several parts were handed in and not all are right, `followed` which of them
    follow from what, `chosen` every wrong choice. `unread_field` is the field to go back to when something
    could not be read."""

    key: str
    mark: str
    heading: SafeString
    told: tuple[SafeString, ...] = ()
    steps: tuple[StepView, ...] = ()
    followed: tuple[SafeString, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    question: SafeString | str = ""
    step: FirstStep | None = None
    chosen: tuple[ChoiceView, ...] = ()
    choices: tuple[Choice, ...] = ()
    note: str = ""
    unread_field: str = ""

    @property
    def is_right(self) -> bool:
        return self.key == "right"


def verdict_view(variant: Variant, response: Response, *, reveal: Reveal) -> VerdictView:
    """What to say about a stored response when `reveal` may be shown."""
    verdict = verdict_of(response)
    view = VerdictView(
        key=verdict.key,
        mark=icon(verdict.key),
        heading=_heading(variant, verdict, response),
        note=_note(response),
    )
    if verdict.key in UNREAD:
        return _unread(view, variant, next(part for part in verdict.parts if part.key in UNREAD))
    view = replace(view, evidence=tuple(_evidence(variant, verdict, reveal=reveal)))
    if verdict.first_wrong is None:
        return view
    view = replace(
        view,
        steps=tuple(_steps(variant, verdict)),
        chosen=tuple(wrong_choices(variant, verdict, reveal=reveal)),
        step=first_step(variant, verdict) if reveal is Reveal.STEP else None,
    )
    wrong = _first_wrong_value(variant, verdict)
    if wrong is None:
        return view
    return replace(
        view,
        told=tuple(render_inline(sentence) for sentence in _told(variant, wrong)),
        question="" if reveal is Reveal.SOLUTION else render_inline(_question(variant, verdict, wrong)),
        followed=tuple(_followed(variant, verdict)),
    )


def _first_wrong_value(variant: Variant, verdict: Verdict) -> PartVerdict | None:
    """The first part that went wrong by itself, choices left out: those are told one by one."""
    wrong = (part for part in verdict.parts if part.key != "right" and not part.follows)
    return next((part for part in wrong if variant.part(part.part).kind != "choice"), None)


def _heading(variant: Variant, verdict: Verdict, response: Response) -> SafeString:
    sentence = told(heading(verdict, variant, route=response.state or "first"))  # type: ignore[arg-type]
    if verdict.key in UNREAD:  # quotes what was typed: never taken for Markdown
        return conditional_escape(sentence[:1].upper() + sentence[1:])
    return render_inline(sentence)


def _evidence(variant: Variant, verdict: Verdict, *, reveal: Reveal) -> Iterable[Evidence]:
    """Of the first wrong value; once the right values are due, of everything asked for but the choices."""
    due = reveal is Reveal.SOLUTION
    first = _first_wrong_value(variant, verdict)
    for part in verdict.parts:
        is_asked = variant.part(part.part).required
        if variant.part(part.part).kind == "choice":
            continue
        if part is first or (due and (is_asked or part.key != "right")):
            found = evidence_of(variant, part, with_right=due)
            if found:
                yield found


def _steps(variant: Variant, verdict: Verdict) -> Iterable[StepView]:
    if len(verdict.parts) < 2:
        return
    for part in verdict.parts:
        mark = "right" if part.key == "right" else "follows" if part.follows else "wrong"
        label = render_inline(told(variant.part(part.part).label))
        yield StepView(mark=mark, label=label, is_first_wrong=part is verdict.first_wrong)


def _followed(variant: Variant, verdict: Verdict) -> Iterable[SafeString]:
    """What follows, in one sentence for all parts of which the same is to be said."""
    said: dict[str, list[str]] = {}
    for part in verdict.parts:
        if part.follows:
            said.setdefault(told(part.reason), []).append(told(variant.part(part.part).label))
    for reason, labels in said.items():
        sentence = _("%(parts)s: %(reason)s.") % {"parts": _(", ").join(labels), "reason": reason}
        yield render_inline(sentence)


def _explained(variant: Variant, wrong: PartVerdict) -> list[Explanation]:
    return explained(variant, wrong.part, wrong.diagnosis, cells=wrong.cells)


def _told(variant: Variant, wrong: PartVerdict) -> list[str]:
    if wrong.diagnosis:
        return [told(one.told) for one in _explained(variant, wrong)]
    if wrong.key == "wrong_shape":
        return []
    return [_("These numbers fit none of the mistakes we know, so the slip may be in the arithmetic.")]


def _question(variant: Variant, verdict: Verdict, wrong: PartVerdict) -> str:
    for one in _explained(variant, wrong):
        return told(one.question)
    if wrong.key == "wrong_shape":
        return _("How many rows and columns should the result have?")
    if any(not variant.part(part.part).required for part in verdict.parts):
        return _("In the step that went wrong: where does each number come from?")
    return _("Which step would you check first?")


def _note(response: Response) -> str:
    if response.counts:
        return ""
    if response.verdict in UNREAD:
        return _("Not counted as a try.")
    if response.state == State.SOLUTION:
        return _("The right values had been shown, so this variant no longer counts.")
    return _("This one does not count: the same answer again, or the right values had been shown.")


def _unread(view: VerdictView, variant: Variant, unread: PartVerdict) -> VerdictView:
    part = variant.part(unread.part)
    row, column = unread.where or (1, 1)  # of the whole text, its first cell is the field to go back to
    field = field_name(part, row - 1, column - 1) if part.kind in GRIDS else part.name
    choices = tuple(
        Choice(label=show(_asked_about(value, unread.where), 6), value=f"{part.name}|{_typed(value)}")
        for value in unread.readings
    )
    return replace(view, unread_field=field, choices=choices)


def _asked_about(value: Value, where: tuple[int, int] | None) -> Value:
    """The cell of a reading that the question is about; all of it where it is about the whole text."""
    if where is None or not isinstance(value, list):
        return value
    row, column = where
    rows = value if value and isinstance(value[0], list) else [value]
    return rows[min(row, len(rows)) - 1][min(column, len(rows[0])) - 1]


def _typed(value: Value) -> str:
    """A value as text that reads back as itself."""
    if isinstance(value, list):
        return "[" + ", ".join(_typed(item) for item in value) + "]"
    return repr(value).replace("inf", "∞")
