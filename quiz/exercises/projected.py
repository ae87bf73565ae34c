"""Self-attention of three tokens from X and three projections: what attention_row and full_output share.

d_model = 3 and d_k = d_v = 2 differ, so that the two scalings can be told apart; the integers are
small enough for paper.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from attention_core import faults, pipeline
from attention_core.inputs import Inputs
from quiz.exercises import honesty
from quiz.exercises.family import Family
from quiz.exercises.pairing import paired
from quiz.exercises.resuming import resumed
from quiz.exercises.types import Drawn, Given, Misconception, Value, Values

TOKENS, D_MODEL, D_K = 3, 3, 2
SATURATED = 0.95  # above this a weight hides the others
PROJECTIONS = ("w_q", "w_k", "w_v")


class ProjectedAttention(Family):
    """Drawn: x (3, 3), w_q, w_k, w_v (3, 2), all integers, and whatever a family adds."""

    misconceptions: ClassVar[tuple[Misconception, ...]]

    def draw(self, rng: np.random.Generator) -> Drawn:
        drawn: dict[str, Any] = {"x": rng.integers(-1, 3, (TOKENS, D_MODEL)).tolist()}
        for name in PROJECTIONS:
            drawn[name] = rng.integers(-1, 2, (D_MODEL, D_K)).tolist()
        return drawn

    @abstractmethod
    def value(self, drawn: Drawn, trace: pipeline.Trace, part: str) -> Value:
        """What this family asks for as this part, from a run of the pipeline."""

    def values(self, drawn: Drawn, trace: pipeline.Trace) -> Values:
        """Every part, from a run of the pipeline."""
        return {part.name: self.value(drawn, trace, part.name) for part in self.parts(drawn)}

    def right(self, drawn: Drawn) -> Values:
        return self.values(drawn, pipeline.follow(inputs_of(drawn)))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.values(drawn, pipeline.follow(inputs_of(drawn), faults.steps_with(slug)))

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        inputs = inputs_of(drawn)
        return {
            m.slug: self.values(drawn, pipeline.follow(inputs, faults.steps_with(m.slug)))
            for m in self.misconceptions
        }

    def pairs(self, drawn: Drawn, part: str) -> Mapping[tuple[str, str], Value]:
        runs = paired(inputs_of(drawn), self.misconceptions)
        return {pair: self.value(drawn, trace, part) for pair, trace in runs}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        """One row where q is one row, else all of them."""
        if part not in ("scores", "scaled", "weights", "output"):
            return None
        q, k, v = (np.array(earlier[name], dtype=np.float64) for name in ("q", "k", "v"))
        value = listed(resumed(pipeline.prepare(np.atleast_2d(q), k, v), earlier)[part])
        return value[0] if q.ndim == 1 else value

    def asked(self, drawn: Drawn) -> slice:
        """The rows of the output that are asked for: all of them."""
        return slice(None)

    def accepts(self, drawn: Drawn) -> bool:
        """Scores that show their order (W_Q W_Kᵀ not symmetric), every row's maximum ≥ 0, no token of zeros
        only, no projection whose columns say the same; of the rows asked for, none saturated, and honest
        rounding is right.
        """
        arrays = {name: np.array(drawn[name]) for name in ("x", *PROJECTIONS)}
        if not all(_independent(arrays[name]) for name in PROJECTIONS):
            return False
        product = arrays["w_q"] @ arrays["w_k"].T
        if (product == product.T).all() or not all(array.any(axis=0).all() for array in arrays.values()):
            return False
        scores = (arrays["x"] @ product) @ arrays["x"].T
        if scores.max(axis=1).min() < 0 or not arrays["x"].any(axis=1).all():
            return False
        rows, trace = self.asked(drawn), pipeline.follow(inputs_of(drawn))
        if trace.weights[rows].max() >= SATURATED:
            return False
        return honesty.survives(trace.scores[rows], trace.v, trace.output[rows], scale=trace.scale)


def _independent(projection: Any) -> bool:
    """Whether the two columns (D_MODEL, 2) point in different directions: their cross product is not zero."""
    return bool(np.cross(projection[:, 0], projection[:, 1]).any())


def inputs_of(drawn: Drawn) -> Inputs:
    """The checked inputs of the pipeline for this draw."""
    return pipeline.prepare_from_x(*(np.array(drawn[name], dtype=np.float64) for name in ("x", *PROJECTIONS)))


def listed(array: Any) -> Any:
    """An array as JSON lists; adding zero turns −0.0 into 0.0."""
    return (array + 0.0).tolist()


def givens_of(drawn: Drawn, *, lit: int | None = None) -> tuple[Given, ...]:
    """X and the three projections as a prompt shows them."""
    return (
        Given(name="X", value=drawn["x"], lit=lit),
        Given(name="W_Q", value=drawn["w_q"], role="q"),
        Given(name="W_K", value=drawn["w_k"], role="k"),
        Given(name="W_V", value=drawn["w_v"], role="v"),
    )
