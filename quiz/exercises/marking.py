"""Marking: from what was typed to a verdict. Reading first, then the shape, then the values, then, of a whole
answer, what follows from what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from quiz.exercises import verdicts
from quiz.exercises.carrying import follow_through
from quiz.exercises.comparing import cells_of, fitted, is_blank, matching, shape_of
from quiz.exercises.diagnosis import Diagnosis, diagnose, narrowed, rung
from quiz.exercises.explaining import explained
from quiz.exercises.receiving import Received, receive
from quiz.exercises.types import Kind, Part, PartVerdict, Response, Text, Value, Verdict, VerdictKey
from quiz.exercises.variants import UnknownPart, Variant
from quiz.exercises.verdicts import UNREAD

MARKING_VERSION = 3

# Kinds marked as one answer: a shape with two axes right is still the wrong shape.
WHOLE: frozenset[Kind] = frozenset({"scalar", "integer", "shape", "choice"})


def mark_part(variant: Variant, name: str, response: Response) -> PartVerdict:
    """The verdict on one part by itself, from a text or from one text a cell.

    An answer with two readings is `ambiguous` only when they would get different verdicts; when both
    are wrong, the mistakes of either are named. UnknownPart for a name that the variant has not.
    """
    part = variant.part(name)
    received = receive(part, response)
    if received.refusal is not None:
        why = verdicts.unread(received.refusal, row=received.row, column=received.column)
        where = None if received.row is None or received.column is None else (received.row, received.column)
        return PartVerdict(part=name, key="malformed", score=0.0, reason=why, where=where, code=received.code)
    judged = [_judge(variant, part, value) for value in received.values]
    if len(judged) == 1:
        return judged[0]
    return _agreed(judged, received) or _ambiguous(part, received)


def mark(variant: Variant, responses: Mapping[str, Response], *, shown: Collection[str] = ()) -> Verdict:
    """The verdict on everything that was answered, parts in the order of the work.

    Steps left blank are passed over; the answer itself may not be. What cannot be read decides the
    whole, uncounted; otherwise all right is right, something right is partial. A part that follows from a
    wrong earlier one is told so and earns part of its score (`carrying`), unless the right value of that one
    had been `shown`. The score is the mean over the required parts.
    """
    for name in responses:
        variant.part(name)
    parts = tuple(
        mark_part(variant, part.name, responses.get(part.name, ""))
        for part in variant.parts
        if part.required or not is_blank(responses.get(part.name, ""))
    )
    whole = _whole(part.key for part in parts)
    if whole not in UNREAD:
        parts = _first_named(variant, follow_through(variant, parts, shown=shown))
        whole = _whole(part.key for part in parts)
    required = {part.name for part in variant.required}
    score = sum(part.score for part in parts if part.part in required) / len(required)
    return Verdict(key=whole, score=score, parts=parts)


def _first_named(variant: Variant, parts: tuple[PartVerdict, ...]) -> tuple[PartVerdict, ...]:
    """Where several mistakes give the value of the first wrong part, the others may tell which it was."""
    first = next((part for part in parts if part.key != "right" and not part.follows), None)
    if first is None or first.readings:
        return parts
    written = {part.part: part.value for part in parts if part is not first}
    diagnosis = narrowed(variant, first.diagnosis, written)
    if diagnosis == first.diagnosis:
        return parts
    some = first.key == "partial"
    reason = _reason(variant, first.part, diagnosis, cells=first.cells, some=some)
    named = replace(first, diagnosis=diagnosis, reason=reason)
    return tuple(named if part is first else part for part in parts)


def _whole(keys: Iterable[VerdictKey]) -> VerdictKey:
    found = list(keys)
    for uncounted in UNREAD:
        if uncounted in found:
            return uncounted
    if all(key == "right" for key in found):
        return "right"
    if any(key in ("right", "partial") for key in found):
        return "partial"
    return "wrong_shape" if all(key == "wrong_shape" for key in found) else "wrong"


def _judge(variant: Variant, part: Part, value: Value) -> PartVerdict:
    right = variant.right[part.name]
    if part.kind not in ("shape", "choice"):
        value = fitted(value, shape_of(right))
        if shape_of(value) != shape_of(right):
            return _wrong_shape(variant, part, value)
    cells = _cells(part, value, variant.right_cells[part.name])
    if all(cells):
        return PartVerdict(
            part=part.name, key="right", score=1.0, reason=verdicts.AGREES, value=value, cells=cells
        )
    some = any(cells) and part.kind not in WHOLE
    diagnosis = diagnose(variant, part.name, value)
    return PartVerdict(
        part=part.name,
        key="partial" if some else "wrong",
        score=sum(cells) / len(cells) if some else 0.0,
        reason=_reason(variant, part.name, diagnosis, cells=cells, some=some),
        value=value,
        cells=cells,
        diagnosis=diagnosis,
    )


def _reason(variant: Variant, part: str, diagnosis: Diagnosis, *, cells: Sequence[bool], some: bool) -> Text:
    titles = [one.title for one in explained(variant, part, diagnosis, cells=cells)]
    return verdicts.some_right(sum(cells), len(cells), titles) if some else verdicts.suspected(titles)


def _cells(part: Part, value: Value, right: Sequence[Value]) -> tuple[bool, ...]:
    given = cells_of(value)
    if len(given) != len(right):  # a shape with another number of axes
        return (False,) * max(1, len(given))
    return matching(part.tolerance, given, tuple(right))


def _wrong_shape(variant: Variant, part: Part, value: Value) -> PartVerdict:
    reason = verdicts.other_shape(shape_of(value), shape_of(variant.right[part.name]))
    diagnosis = diagnose(variant, part.name, value)
    if diagnosis:
        why = verdicts.suspected([one.title for one in explained(variant, part.name, diagnosis)])
        reason = Text(f"{reason.zh}；{why.zh}", f"{reason.en}; {why.en}")
    return PartVerdict(
        part=part.name, key="wrong_shape", score=0.0, reason=reason, value=value, diagnosis=diagnosis
    )


def _agreed(judged: Sequence[PartVerdict], received: Received) -> PartVerdict | None:
    """The common verdict of all readings, if they have one, with the mistakes of the best explained."""
    first = judged[0]
    if any((one.key, one.score) != (first.key, first.score) for one in judged):
        return None
    rungs = [rung(one.diagnosis) for one in judged]
    named = [one for one, at in zip(judged, rungs, strict=True) if one.diagnosis and at == min(rungs)]
    best = named[0] if named else first
    if len({one.diagnosis for one in named}) < 2:
        return _with_readings(best, received, best.diagnosis, best.reason)
    slugs = tuple(dict.fromkeys(slug for one in named for slug in one.diagnosis))
    reason = Text("；".join(one.reason.zh for one in named), "; ".join(one.reason.en for one in named))
    return _with_readings(best, received, slugs, reason)


def _with_readings(
    verdict: PartVerdict, received: Received, diagnosis: tuple[str, ...], reason: Text
) -> PartVerdict:
    return PartVerdict(
        part=verdict.part,
        key=verdict.key,
        score=verdict.score,
        reason=reason,
        value=verdict.value,
        readings=received.values,
        cells=verdict.cells,
        diagnosis=diagnosis,
    )


def _ambiguous(part: Part, received: Received) -> PartVerdict:
    return PartVerdict(
        part=part.name,
        key="ambiguous",
        score=0.0,
        reason=verdicts.two_readings(received.text, received.values),
        readings=received.values,
        where=None if received.row is None or received.column is None else (received.row, received.column),
    )


__all__ = ["MARKING_VERSION", "WHOLE", "UnknownPart", "mark", "mark_part"]
