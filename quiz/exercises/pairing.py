"""Two mistakes of the attention pipeline made at once: which two can be, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from attention_core import faults, pipeline
from attention_core.inputs import Inputs
from quiz.exercises.types import Misconception

Pair = tuple[str, str]


def paired(inputs: Inputs, misconceptions: Iterable[Misconception]) -> Iterator[tuple[Pair, pipeline.Trace]]:
    """Every two of these mistakes that can be made at once, with the run of the pipeline that has both."""
    for pair, steps in _composed(tuple(one.slug for one in misconceptions)):
        yield pair, pipeline.follow(inputs, steps)


@cache
def _composed(slugs: tuple[str, ...]) -> tuple[tuple[Pair, pipeline.Steps], ...]:
    return tuple(
        (pair, faults.steps_with(*pair)) for pair in faults.pairs(slugs) if pair not in faults.CANCELLING
    )
