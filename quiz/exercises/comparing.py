"""Comparing answers cell by cell: numbers with a tolerance, lists of them, shapes and choices.

Answers are a handful of cells, for which plain Python is quicker than arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from quiz.exercises.types import Part, Tolerance, Value

Cells = tuple[Value, ...]


def shape_of(value: Value) -> tuple[int, ...]:
    """() for a number or a choice, (n,) for a list, (rows, columns) for a list of lists."""
    shape: list[int] = []
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)


def cells_of(value: Value) -> Cells:
    """Every number (or choice) of a value, row by row."""
    if not isinstance(value, (list, tuple)):
        return (value,)
    return tuple(cell for item in value for cell in cells_of(item))


def fitted(value: Value, shape: tuple[int, ...]) -> Value:
    """The same numbers in the asked form where only brackets differ: a vector written as one row or one
    column, a single row written without its outer brackets.
    """
    given = shape_of(value)
    if len(shape) == 1 and given in ((1, shape[0]), (shape[0], 1)):
        return list(cells_of(value))
    if len(shape) == 2 and shape[0] == 1 and given == shape[1:]:
        return [value]
    return value


def matching(tolerance: Tolerance, given: Cells, right: Cells) -> tuple[bool, ...]:
    """For each cell, whether the given one lies within the tolerance of the right one."""
    return tuple([_cell_matches(tolerance, g, r) for g, r in zip(given, right, strict=True)])


def all_match(tolerance: Tolerance, given: Cells, right: Cells) -> bool:
    """Whether every cell lies within the tolerance; stops at the first that does not. Diagnosis asks this of
    every known mistake.
    """
    for g, r in zip(given, right, strict=True):  # noqa: SIM110  # a generator costs more than the comparing
        if not _cell_matches(tolerance, g, r):
            return False
    return True


def _cell_matches(tolerance: Tolerance, given: Value, right: Value) -> bool:
    """`Tolerance.accepts` written out, for numbers and for choices: every answer comes through here."""
    if given == right:
        return True
    if isinstance(right, str) or isinstance(given, str):
        return False
    width = tolerance.absolute
    if tolerance.relative:
        width = max(width, tolerance.relative * abs(right))
    return bool(abs(given - right) <= width)


def same(part: Part, given: Value, right: Value) -> bool:
    """Whether `given` would be taken for `right`: the same shape, and every cell within the tolerance."""
    return shape_of(given) == shape_of(right) and all_match(part.tolerance, cells_of(given), cells_of(right))


def apart(tolerance: Tolerance, one: Cells, other: Cells, *, times: float) -> bool:
    """Whether some cell of the two differs by at least `times` tolerances (always, where the numbers of cells
    differ). Drawing asks this for every pair of mistakes.
    """
    if len(one) != len(other):
        return True
    gap = times * tolerance.absolute
    for a, b in zip(one, other, strict=True):
        if a == b:
            continue
        if isinstance(a, str) or isinstance(b, str):
            return True
        if tolerance.relative:
            gap = times * max(tolerance.width(a), tolerance.width(b))
        if abs(a - b) >= gap:  # −∞ is apart from any number
            return True
    return False


def is_blank(response: str | Sequence[object]) -> bool:
    """Whether nothing at all was typed: an empty text, or a grid of empty cells."""
    if isinstance(response, str):
        return not response.strip()
    return all(is_blank(cell) for cell in response if isinstance(cell, (str, list, tuple)))
