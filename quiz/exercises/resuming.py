"""The pipeline of attention taken up in the middle, from values that somebody worked out before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import pipeline
from attention_core.inputs import Inputs
from quiz.exercises.types import Value

# The step whose result each named value is.
STEP_OF = {"scores": "score", "scaled": "scale", "masked": "mask", "weights": "normalise"}


def resumed(inputs: Inputs, held: Mapping[str, Value]) -> pipeline.Trace:
    """The right pipeline on these inputs, with the held values (rows × keys, or one row) in place of its own:
    every later value follows from them. Names that are no step's result are passed over.
    """
    steps = {STEP_OF[name]: _giving(value) for name, value in held.items() if name in STEP_OF}
    return pipeline.follow(inputs, replace(pipeline.RIGHT, **steps))


def resumed_row(inputs: Inputs, held: Mapping[str, Value], name: str) -> list[float]:
    """One value of `resumed` for a single query, as a plain list."""
    row: list[float] = (resumed(inputs, held)[name][0] + 0.0).tolist()
    return row


def _giving(value: Value) -> pipeline.Step:
    array: Any = np.atleast_2d(np.array(value, dtype=np.float64))
    return lambda trace: array
