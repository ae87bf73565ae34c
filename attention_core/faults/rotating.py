"""Rotary positions as a score step, and the mistakes that turn queries and keys wrongly.

`ROTATED` is the right pipeline with RoPE: query i and key j are turned by their positions (neighbours are
paired, as in the RoFormer paper), and only their distance is left in the score:

    ⟨R_m q, R_n k⟩ = ⟨R_{m−n} q, k⟩

Every mistake here changes the score step of `ROTATED`, so that is what it differs from.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from attention_core import masks
from attention_core.arrays import Array, cast_to
from attention_core.faults.fault import Fault
from attention_core.pipeline import RIGHT, Step, Steps, Trace
from attention_core.positions import rope

Turn = Callable[[Array, Array], Array]  # (vectors, their positions) → vectors


def _forward(x: Array, positions: Array) -> Array:
    return rope(x, positions, interleaved=True)


def _backward(x: Array, positions: Array) -> Array:
    return rope(x, -positions, interleaved=True)


def _stay(x: Array, positions: Array) -> Array:
    return x


def _half_split(x: Array, positions: Array) -> Array:
    return rope(x, positions)


def _in_degrees(x: Array, positions: Array) -> Array:
    return rope(x, positions * (math.pi / 180.0), interleaved=True)


def _one_angle(x: Array, positions: Array) -> Array:
    return rope(x, positions, base=1.0, interleaved=True)


def _turned(turn_query: Turn, turn_key: Turn) -> Step:
    def score(t: Trace) -> Array:
        rows, columns = masks.positions(t.q.shape[-2], t.k.shape[-2], t.offset, like=t.q, xp=t.xp)
        at_queries, at_keys = cast_to(rows[:, 0], t.q.dtype, t.xp), cast_to(columns, t.q.dtype, t.xp)
        return turn_query(t.q, at_queries) @ turn_key(t.k, at_keys).mT

    return score


ROTATED: Steps = replace(RIGHT, score=_turned(_forward, _forward))

ROTATING = (
    Fault("not_rotated", "score", _turned(_stay, _stay)),
    Fault("only_queries_rotated", "score", _turned(_forward, _stay)),
    Fault("positions_added", "score", _turned(_forward, _backward)),
    Fault("distance_reversed", "score", _turned(_backward, _backward)),
    Fault("half_split_pairs", "score", _turned(_half_split, _half_split)),
    Fault("angles_in_degrees", "score", _turned(_in_degrees, _in_degrees)),
    Fault("one_angle", "score", _turned(_one_angle, _one_angle)),
)
