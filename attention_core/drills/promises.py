"""Probes of what the definition promises without any mask: shares, operands, sharpness."""

from collections.abc import Iterator

import numpy as np

from attention_core.drills.examples import (
    ALL,
    CAUSAL,
    LENGTH,
    ONES,
    ORDER,
    PLAIN,
    SHIFT,
    WIDTH,
    moved,
    read,
    still,
)
from attention_core.drills.probe import CHANGED, Call, Numbers, Probe, apart


def promises() -> Iterator[Probe]:
    """Rows that sum to 1, averages, equal answers to equal calls."""
    yield Probe("two_calls_differ", (PLAIN, PLAIN), moved(ALL))
    yield Probe("rows_do_not_sum_to_one", (Call(PLAIN.q, PLAIN.k, ONES),), lambda o: apart(o[0], ONES))
    yield Probe(
        "visible_weights_do_not_sum_to_one",
        (Call(CAUSAL.q, CAUSAL.k, ONES, CAUSAL.options),),
        lambda o: apart(o[0], ONES),
    )
    yield Probe("outside_the_values", (PLAIN,), lambda o: _outside(o[0], PLAIN.v))
    yield Probe("negative_weights", (read(PLAIN),), lambda o: bool((o[0] < -CHANGED).any()))
    doubled = Call(PLAIN.q, PLAIN.k, 2 * PLAIN.v)
    yield Probe("not_proportional_to_the_values", (PLAIN, doubled), lambda o: apart(2 * o[0], o[1]))


def _outside(output: Numbers, values: Numbers) -> bool:
    low, high = values.min(axis=0) - CHANGED, values.max(axis=0) + CHANGED
    return bool(((output < low) | (output > high)).any())


def operands() -> Iterator[Probe]:
    """Which input must matter where, and which must not."""
    other_keys = PLAIN.with_keys(1, shift=SHIFT)
    other_values = PLAIN.with_values(*ALL, shift=SHIFT)
    other_query = Call(PLAIN.q + np.eye(LENGTH)[:, [2]] * SHIFT, PLAIN.k, PLAIN.v)
    yield Probe("queries_do_not_matter", (PLAIN, other_query), still([2]))
    yield Probe("keys_do_not_matter", (PLAIN, other_keys), still(ALL))
    yield Probe("values_do_not_matter", (PLAIN, other_values), still(ALL))
    yield Probe("other_queries_matter", (PLAIN, other_query), moved([0, 1, 3, 4]))
    reordered = Call(PLAIN.q, PLAIN.k[ORDER], PLAIN.v[ORDER])
    yield Probe("key_order_matters", (PLAIN, reordered), moved(ALL))
    yield Probe("common_shift_matters", (PLAIN, PLAIN.with_keys(*ALL, shift=SHIFT)), moved(ALL))


def sharpness() -> Iterator[Probe]:
    """Two keys whose products with the query differ by 3: ln(w₀/w₁) must be 3/√4."""
    call = read(Call(np.eye(1, WIDTH), np.array([[2.0, 0, 1, 0], [-1.0, 1, 0, 0]]), np.zeros((2, 1))))

    def ratio(output: Numbers) -> float:
        first, second = output[0]
        return float(np.log(first / second)) if first > 0 and second > 0 else np.inf

    yield Probe("too_sharp", (call,), lambda o: ratio(o[0]) > 1.5 + CHANGED)
    yield Probe("too_flat", (call,), lambda o: ratio(o[0]) < 1.5 - CHANGED)
    asked = call.asking(scale=0.1)
    yield Probe("scale_argument_does_nothing", (call, asked), still([0]))
    heads = Call(np.stack([call.q] * 3), np.stack([call.k] * 3), np.stack([call.v] * 3))
    yield Probe("sharpness_depends_on_the_heads", (call, heads), lambda o: apart(o[0], o[1][0]))
    longer = Call(call.q, np.concatenate([call.k, np.zeros((2, WIDTH))]), np.eye(4), {})
    yield Probe(
        "sharpness_depends_on_the_length",
        (call, longer),
        lambda o: abs(ratio(o[0]) - ratio(o[1][:, :2])) > CHANGED,
    )
