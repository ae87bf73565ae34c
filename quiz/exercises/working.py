"""Working an exercise on from values that are not all right: the right steps, from somebody's own numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from quiz.exercises.comparing import cells_of
from quiz.exercises.types import Part, Value, Values
from quiz.exercises.variants import Variant


def worked_on(variant: Variant, own: Mapping[str, Value]) -> Values:
    """Every part: the own value where there is one, else worked out by right steps from the parts before it.

    A part that cannot be worked out from these numbers has its right value.
    """
    held: Values = {}
    for part in variant.parts:
        if part.name in own:
            held[part.name] = own[part.name]
        else:
            found = next_step(variant, part, held)
            held[part.name] = variant.right[part.name] if found is None else found
    return held


def worked_rounded(variant: Variant, places: int, *, steps: Collection[str]) -> Values:
    """Every part by right steps, when what these steps give is rounded before the next one starts from it."""
    held: Values = {}
    results: Values = {}
    for part in variant.parts:
        found = next_step(variant, part, held)
        value = variant.right[part.name] if found is None else found
        results[part.name] = value
        rounded = _rounded(value, places) if part.name in steps else value
        held[part.name] = value if rounded == value else rounded
    return results


def next_step(variant: Variant, part: Part, held: Values) -> Value | None:
    """A part by its own right step from the values before it; None when it starts from what is given, or
    when these numbers lead nowhere (a division by zero, a root of a negative number)."""
    if all(value is variant.right[name] for name, value in held.items()):
        return None
    with np.errstate(all="ignore"):
        try:
            value = variant.family.carry(variant.drawn, part.name, held)
            leads_on = value is not None and all(_usable(cell, part) for cell in cells_of(value))
        except (ArithmeticError, ValueError):
            return None
    return value if leads_on else None


def _usable(cell: Value, part: Part) -> bool:
    """OverflowError for a whole number that no float can hold."""
    return math.isfinite(cell) or (part.infinite and cell == -math.inf)


def _rounded(value: Value, places: int) -> Value:
    if isinstance(value, list):
        return [_rounded(item, places) for item in value]
    return round(value, places) if isinstance(value, float) else value  # −∞ stays −∞
