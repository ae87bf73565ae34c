"""Honest hand work: rounding every step to three decimals must still come out right.

A draw on which it would not is not asked (`Family.accepts`). Three usual ways of working are tried:
dividing by √d_k, exponentials as they stand or with the row's maximum subtracted, and multiplying by a
rounded 1/√d_k.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
PLACES = 3
MARGIN = 0.0047  # of the tolerance of 0.005: what rounding may use up


def rounded_weights(scaled: Array) -> Iterator[Array]:
    """The weights of each row when scores, exponentials and shares are rounded, by both usual ways."""
    for shift in (0.0, scaled.max(axis=-1, keepdims=True)):
        exponentials = np.round(np.exp(scaled - shift), PLACES)
        yield np.round(exponentials / exponentials.sum(axis=-1, keepdims=True), PLACES)


def survives(scores: Array, values: Array, output: Array, *, scale: float = 1.0) -> bool:
    """Whether rounded work on these scores and values stays within `MARGIN` of the exact output."""
    ways = [np.round(scores * scale, PLACES)]
    if scale != 1.0:
        ways.append(np.round(scores * round(scale, PLACES), PLACES))
    return all(
        float(np.abs(np.round(weights @ values, PLACES) - output).max()) <= MARGIN
        for scaled in ways
        for weights in rounded_weights(scaled)
    )
