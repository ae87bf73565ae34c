"""Comparing two ways at the same size, and doubting what was measured on a busy machine."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from quiz.figures.axes import significant
from quiz.lab.formatting import size
from quiz.lab.reasons import words
from quiz.lab.results import Row

Pair = tuple[Row, Row]
Quartiles = tuple[float | None, float | None]
BUSY = 1.5  # processes that wanted to run, for each core
OFF = 0.2  # of the predicted memory
FIXED = 8 * 2**20  # bytes that a call may take whatever its size


def pairs_of(rows: Sequence[Row], one: str, other: str) -> list[Pair]:
    """(one, other) for each size at which both have a time, by size."""
    first = {row.x: row for row in rows if row.way == one and row.is_measured}
    second = {row.x: row for row in rows if row.way == other and row.is_measured}
    return [(first[x], second[x]) for x in sorted(first.keys() & second.keys())]


def verdict(pair: Pair) -> str:
    """How the first compares: "faster", "slower", or "even" when the quartiles overlap."""
    one, other = pair
    return order((one.low, one.high), (other.low, other.high))


def order(one: Quartiles, other: Quartiles) -> str:
    """The verdict on two pairs of quartiles; "even" also where one of them is not known."""
    (low, high), (other_low, other_high) = one, other
    if not (low and high and other_low and other_high):
        return "even"
    if high < other_low:
        return "faster"
    return "slower" if other_high < low else "even"


def unsteady(rows: Sequence[Row]) -> list[str]:
    """A warning when quartiles are so far apart that something else must have used the machine."""
    return [*_wide(rows), *_busy(rows), *_shared(rows), *_throttled(rows)]


def _wide(rows: Sequence[Row]) -> list[str]:
    wide = [row for row in rows if row.is_measured and row.low and row.high and row.high > 2 * row.low]
    if not wide:
        return []
    return [
        _(
            "At %(count)d of %(all)d points the quartiles are more than a factor of 2 apart: something else "
            "used the machine. Measure again when it is quiet."
        )
        % {"count": len(wide), "all": sum(row.is_measured for row in rows)}
    ]


def _busy(rows: Sequence[Row]) -> list[str]:
    """Steady quartiles can be steadily wrong: say how many others wanted to run."""
    loads = [
        (load, int(row.machine["cores"]))
        for row in rows
        if row.is_measured and (load := row.number("load")) and row.machine.get("cores")
    ]
    busy = max((pair for pair in loads if pair[0] > BUSY * pair[1]), default=None)
    if busy is None:
        return []
    return [
        _(
            "The machine was busy: %(load)s processes wanted to run on %(cores)d cores. Times with several "
            "threads suffer most; believe ratios only if a quiet machine gives them too."
        )
        % {"load": significant(busy[0]), "cores": busy[1]}
    ]


def _shared(rows: Sequence[Row]) -> list[str]:
    """Others that computed on the same card."""
    shared = [count for row in rows if row.is_measured and (count := row.number("other_processes"))]
    if not shared:
        return []
    return [
        _(
            "Other processes used the card at %(count)d of %(all)d points (up to %(most)d): measure again "
            "when it is free."
        )
        % {"count": len(shared), "all": sum(row.is_measured for row in rows), "most": max(shared)}
    ]


def _throttled(rows: Sequence[Row]) -> list[str]:
    """What slowed the card down, in the driver's words."""
    found: dict[str, None] = {}
    points = 0
    for row in rows:
        states = [row.measurement.get(name) or {} for name in ("card_before", "card_after")]
        reasons = [reason for state in states for reason in state.get("throttled", ())]
        if row.is_measured and reasons:
            points += 1
            found |= dict.fromkeys(reasons)
    if not found:
        return []
    return [
        _("The card slowed itself down at %(count)d of %(all)d points (%(reasons)s): it can be faster.")
        % {"count": points, "all": sum(row.is_measured for row in rows), "reasons": words(", ".join(found))}
    ]


def off_the_law(rows: Sequence[Row]) -> list[str]:
    """The points whose measured peak is far from the predicted one, beyond what no law tells of."""
    off = []
    for row in rows:
        peak, predicted = row.peak, row.predicted
        if not row.is_measured or peak is None or not predicted:
            continue
        if abs(peak - predicted) > max(OFF * predicted, FIXED):
            off.append(f"{row.name} ({size(peak)} / {size(predicted)})")
    if not off:
        return []
    return [
        _(
            "The measured peak is more than a fifth away from the predicted one at: %(points)s. Either the "
            "law leaves something out, or something else was counted."
        )
        % {"points": ", ".join(off)}
    ]
