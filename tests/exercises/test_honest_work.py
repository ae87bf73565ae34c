"""Somebody who rounds every step to three decimals must be right, whichever usual way they work."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest

from quiz.exercises.marking import mark_part
from quiz.exercises.types import Value
from quiz.exercises.variants import Variant
from tests.exercises.drawn import typed, variants

Row = list[float]


def r3(value: float) -> float:
    return round(value, 3)


def dot(a: Row, b: Row) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def softmaxes(scaled: Row) -> Iterator[Row]:
    """A rounded softmax: as it stands, with the maximum subtracted, and with the sum rounded as well."""
    seen = [s for s in scaled if s > -math.inf]
    for shift in (0.0, max(seen)):
        exponentials = [r3(math.exp(s - shift)) if s > -math.inf else 0.0 for s in scaled]
        yield [r3(e / r3(sum(exponentials))) for e in exponentials]


def scalings(scores: Row, d_k: int) -> Iterator[Row]:
    """Divided by √d_k exactly, divided by a rounded √d_k, times a rounded 1/√d_k."""
    yield [r3(s / math.sqrt(d_k)) for s in scores]
    yield [r3(s / r3(math.sqrt(d_k))) for s in scores]
    yield [r3(s * r3(1 / math.sqrt(d_k))) for s in scores]


def mixed(weights: Row, v: list[Row]) -> Row:
    return [r3(dot(weights, list(column))) for column in zip(*v, strict=True)]


def attention_rows(variant: Variant, row: int) -> Iterator[Row]:
    x, w_q, w_k, w_v = (variant.drawn[name] for name in ("x", "w_q", "w_k", "w_v"))

    def project(token: Row, w: list[Row]) -> Row:
        return [dot(token, list(column)) for column in zip(*w, strict=True)]

    q, keys, values = project(x[row], w_q), [project(t, w_k) for t in x], [project(t, w_v) for t in x]
    for scaled in scalings([dot(q, k) for k in keys], 2):
        for weights in softmaxes(scaled):
            yield mixed(weights, values)


def attention_row(variant: Variant) -> Iterator[Value]:
    yield from attention_rows(variant, variant.drawn["row"])


def full_output(variant: Variant) -> Iterator[Value]:
    yield from (list(rows) for rows in zip(*(attention_rows(variant, row) for row in range(3)), strict=True))


def causal_row(variant: Variant) -> Iterator[Value]:
    row = variant.drawn["row"]
    masked = [s if j <= row else -math.inf for j, s in enumerate(variant.drawn["scaled"][row])]
    yield from (mixed(weights, variant.drawn["v"]) for weights in softmaxes(masked))


def softmax_row(variant: Variant) -> Iterator[Value]:
    yield from softmaxes(variant.drawn["scores"])


def scaled_entry(variant: Variant) -> Iterator[Value]:
    q, k = variant.drawn["q"], variant.drawn["k"]
    yield from (scaled[0] for scaled in scalings([dot(q, k)], len(q)))


def kv_cache(variant: Variant) -> Iterator[Value]:
    d = variant.drawn
    token = 2 * d["layers"] * d["kv_heads"] * d["head_width"] * 2
    sequence = r3(token * (d["prompt"] + d["output"]) / 2**20)
    yield r3(sequence * d["batch"] / 1024)
    yield r3(r3(sequence / 1024) * d["batch"])


@pytest.mark.parametrize(
    "work",
    [attention_row, full_output, causal_row, softmax_row, scaled_entry, kv_cache],
    ids=lambda w: w.__name__,
)
def test_work_rounded_at_every_step_is_right(work: Callable[[Variant], Iterator[Value]]) -> None:
    for variant in variants(work.__name__):
        part = variant.required[0].name
        answers = list(work(variant))
        assert answers
        for answer in answers:
            assert mark_part(variant, part, typed(answer)).key == "right", (variant.seed, answer)
