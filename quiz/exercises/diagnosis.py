"""Diagnosis: which known mistakes give exactly this wrong answer."""

from __future__ import annotations

from quiz.exercises.comparing import all_match, cells_of, shape_of
from quiz.exercises.types import Value
from quiz.exercises.variants import Variant


def diagnose(variant: Variant, part: str, value: Value) -> tuple[str, ...]:
    """The slugs of every misconception whose value of this part is `value` within the part's tolerance,
    in the order of the family's table. One: that is it. Several: either. None: not a mistake we know.
    """
    tolerance, shape, cells = variant.part(part).tolerance, shape_of(value), cells_of(value)
    return tuple(
        known.slug
        for known in variant.known[part]
        if known.shape == shape and all_match(tolerance, cells, known.cells)
    )
