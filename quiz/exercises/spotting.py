"""Spotting a slip: which careless turn of the right value a wrong answer is.

Rules are tried from the most telling to the least; the first that fits is it. A rule demands evidence: what
a tolerance or a small number could bring about by chance is not taken for a slip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quiz.exercises import slips
from quiz.exercises.comparing import Cells, cells_of, matching, shape_of
from quiz.exercises.slips import Slip
from quiz.exercises.types import Kind, Part, Tolerance, Value
from quiz.exercises.variants import APART, Variant
from quiz.exercises.working import worked_rounded

SIGNIFICANT = 10  # tolerances from 0 that a number must be for its digits or its sign to say anything
NEAR = 0.3  # of its size, or absolutely: how far early rounding may carry an answer
NUMBERS: frozenset[Kind] = frozenset({"scalar", "integer", "vector", "matrix", "shape", "sequence"})
POWERS = frozenset({1, -1, 2, -2, 3, -3, 6, -6, 9, -9})
EARLY = (2, 1)  # decimals that are too few on the way
KEPT = 1024


@dataclass(frozen=True)
class Wrong:
    """A wrong answer beside the right one, cells laid flat; `shape` is that of both."""

    variant: Variant
    part: Part
    shape: tuple[int, ...]
    given: Cells
    right: Cells
    wrong_cells: tuple[int, ...]

    @property
    def tolerance(self) -> Tolerance:
        return self.part.tolerance

    def matches(self, turned: Sequence[Value], *, times: float = 1.0) -> bool:
        """Whether what was given is this, within the tolerance of what is right times a factor."""
        accepts = self.tolerance.width
        return all(
            g == t or abs(g - t) <= times * accepts(r)
            for g, t, r in zip(self.given, turned, self.right, strict=True)
        )

    def significant(self, cell: float) -> bool:
        """Whether a right cell is far enough from 0; exact parts tell every number but 0, and −∞
        tells nothing."""
        return math.isfinite(cell) and abs(cell) > 0 and abs(cell) >= SIGNIFICANT * self.tolerance.width(cell)

    @cached_property
    def telling(self) -> tuple[int, ...]:
        """The places of the significant right cells."""
        return tuple(index for index, cell in enumerate(self.right) if self.significant(cell))


def spot(variant: Variant, part: Part, value: Value) -> str | None:
    """The slug of the slip that gives this wrong value, or None: not one of these, or not a number."""
    if part.kind not in NUMBERS:
        return None
    right, shape = variant.right[part.name], shape_of(value)
    if shape != shape_of(right):
        return slips.TRANSPOSED.slug if _is_turned(part, value, right) else None
    given, cells = cells_of(value), variant.right_cells[part.name]
    fine = matching(part.tolerance, given, cells)
    if all(fine):
        return None
    wrong = Wrong(variant, part, shape, given, cells, tuple(index for index, ok in enumerate(fine) if not ok))
    rules = _WHOLE_RULES if part.kind == "shape" else _RULES
    return next((slip.slug for slip, applies in rules if applies(wrong)), None)


def _is_turned(part: Part, value: Value, right: Value) -> bool:
    shape = shape_of(value)
    if len(shape) != 2 or shape[::-1] != shape_of(right):
        return False
    turned = [cell for column in zip(*value, strict=True) for cell in column]
    return all(part.tolerance.accepts(g, r) for g, r in zip(turned, cells_of(right), strict=True))


# ---- rounding ----


def _rounded_early(wrong: Wrong) -> bool:
    """Nearer to the right value than any mistake of the family is; or not far off, and exactly it to fewer
    decimals, or what comes of steps kept to fewer.
    """
    if wrong.part.kind not in ("scalar", "vector", "matrix") or not wrong.tolerance.width(1.0):
        return False
    if wrong.matches(wrong.right, times=APART):
        return True
    cells = zip(wrong.given, wrong.right, strict=True)
    if not all(g == r or abs(g - r) <= NEAR * max(1.0, abs(r)) for g, r in cells):
        return False
    if any(_is_rounded(wrong, places) for places in (*EARLY, 0)):
        return True
    worked = _from_rounded_steps(wrong.variant).get(wrong.part.name, ())
    return any(wrong.matches(cells, times=0.5) for cells in worked)


def _is_rounded(wrong: Wrong, places: int) -> bool:
    unit = 10.0**-places
    if places == 0 and min(map(abs, wrong.right)) < SIGNIFICANT:
        return False  # 1 for 0.707 says nothing
    return all(
        g == r or (abs(g - r) <= 0.5001 * unit and abs(g / unit - round(g / unit)) < 1e-6)
        for g, r in zip(wrong.given, wrong.right, strict=True)
    )


@lru_cache(maxsize=KEPT)
def _from_rounded_steps(variant: Variant) -> dict[str, tuple[Cells, ...]]:
    """Part → its values when one earlier step, or every one, was kept to one or two decimals."""
    found: dict[str, list[Cells]] = {}
    names = [part.name for part in variant.parts]
    for steps in (*([name] for name in names[:-1]), names):
        for places in EARLY:
            for name, value in worked_rounded(variant, places, steps=steps).items():
                if value is not variant.right[name]:
                    found.setdefault(name, []).append(cells_of(value))
    return {name: tuple(values) for name, values in found.items()}


# ---- places ----


def _same_total(wrong: Wrong) -> bool:
    """What numbers in other places have in common with the right ones; quick to see, and seldom so."""
    try:
        given, right = sum(wrong.given), sum(wrong.right)
        off = 0 if given == right else abs(given - right)
    except OverflowError:  # whole numbers whose sum no float can hold
        return False
    return bool(off <= sum(map(wrong.tolerance.width, wrong.right)) + 1e-9)


def _transposed(wrong: Wrong) -> bool:
    if len(wrong.shape) != 2 or wrong.shape[0] != wrong.shape[1] or not _same_total(wrong):
        return False
    n = wrong.shape[0]
    return wrong.matches([wrong.right[column * n + row] for row in range(n) for column in range(n)])


def _reordered(wrong: Wrong) -> bool:
    """Entries of a vector, rows or columns of a matrix, each in its own tolerance in another place."""
    if len(wrong.right) < 2 or not _same_total(wrong):
        return False
    if len(wrong.shape) == 1:
        return _permuted([(g,) for g in wrong.given], [(r,) for r in wrong.right], wrong)
    given, right = _rows(wrong.given, wrong.shape[1]), _rows(wrong.right, wrong.shape[1])
    return _permuted(given, right, wrong) or _permuted(
        list(zip(*given, strict=True)), list(zip(*right, strict=True)), wrong
    )


def _rows(cells: Cells, width: int) -> list[Cells]:
    return [cells[start : start + width] for start in range(0, len(cells), width)]


def _permuted(given: list[Cells], right: list[Cells], wrong: Wrong) -> bool:
    accepts, left = wrong.tolerance.accepts, list(right)
    for line in given:
        fits = [r for r in left if all(accepts(a, b) for a, b in zip(line, r, strict=True))]
        if not fits:
            return False
        left.remove(min(fits, key=lambda r: sum(abs(a - b) for a, b in zip(line, r, strict=True) if a != b)))
    return True


# ---- signs and sizes ----


def _opposite(wrong: Wrong) -> bool:
    """Every cell, of which one tells for a number and two for several."""
    if len(wrong.telling) < min(2, len(wrong.right)) or not _turned_sign(wrong, wrong.telling[0]):
        return False
    return all(_turned_sign(wrong, index) for index in range(len(wrong.right)))


def _turned_sign(wrong: Wrong, index: int) -> bool:
    given, right = wrong.given[index], wrong.right[index]
    return bool(abs(given + right) <= wrong.tolerance.width(right))


def _one_opposite(wrong: Wrong) -> bool:
    if len(wrong.right) < 2 or len(wrong.wrong_cells) != 1:
        return False
    (index,) = wrong.wrong_cells
    return index in wrong.telling and _turned_sign(wrong, index)


def _times(wrong: Wrong, power: int) -> bool:
    """Every cell times this power of ten, tolerances growing and shrinking with them."""
    over, under = 10 ** max(power, 0), 10 ** max(-power, 0)
    width = wrong.tolerance.width
    return all(
        g == r if math.isinf(r) or math.isinf(g) else abs(g - r * over / under) <= width(r) * over / under
        for g, r in zip(wrong.given, wrong.right, strict=True)
    )


def _percent(wrong: Wrong) -> bool:
    shares = all(0 <= r <= 1 for r in wrong.right) and any(0 < r < 1 for r in wrong.right)
    return shares and bool(wrong.telling) and _times(wrong, 2)


def _power_of_ten(wrong: Wrong) -> bool:
    """Where two digits agree: of 5 and 50 one is as likely a guess."""
    if wrong.part.kind == "sequence" or not wrong.telling:
        return False
    given, right = (abs(cells[wrong.telling[0]]) for cells in (wrong.given, wrong.right))
    if not given or math.isinf(given) or (wrong.part.kind == "integer" and min(given, right) < SIGNIFICANT):
        return False
    power = round(math.log10(given) - math.log10(right))  # their ratio may leave the range of a float
    return power in POWERS and _times(wrong, power)


def _one_cell(wrong: Wrong) -> bool:
    return len(wrong.right) > 1 and len(wrong.wrong_cells) == 1


_RULES: tuple[tuple[Slip, Callable[[Wrong], bool]], ...] = (
    (slips.TRANSPOSED, _transposed),
    (slips.ORDER, _reordered),
    (slips.SIGN, _opposite),
    (slips.PERCENT, _percent),
    (slips.POWER_OF_TEN, _power_of_ten),
    (slips.ROUNDING, _rounded_early),
    (slips.ONE_SIGN, _one_opposite),
    (slips.ONE_CELL, _one_cell),
)
# A shape counts as a whole: which of its axes is wrong is not told.
_WHOLE_RULES = ((slips.ORDER, lambda wrong: len(wrong.right) > 2 and _reordered(wrong)),)
