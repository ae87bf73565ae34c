"""Inputs on which each mistake shows: a mask mistake needs a mask, a head mistake several heads.

`contrast` is the small example whose matrices are not symmetric and whose model width is not the head's: on
the chapter's first example several mistakes happen to give the right numbers.
"""

import functools
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from attention_core.arrays import Array
from attention_core.faults.rotating import ROTATED, ROTATING
from attention_core.inputs import Inputs
from attention_core.multihead import Projections, prepare_heads
from attention_core.pipeline import RIGHT, Steps, prepare, prepare_from_x
from attention_core.positions import alibi_bias

CONTRAST = (
    [[0, 0, 1], [1, 0, 2], [2, 1, 0]],  # x
    [[1, 0], [-1, 0], [0, 1]],  # w_q
    [[0, -1], [1, 0], [-1, 0]],  # w_k
    [[1, -1], [1, -1], [-1, 0]],  # w_v
)


def wave(*shape: int, phase: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Numbers between −2 and 2 without a pattern that a mistake could hide in, the same for ever.

    >>> wave(2, 1, phase=0.0).round(3).tolist()
    [[0.0], [1.983]]
    """
    return 2.0 * np.sin(1.7 * np.arange(math.prod(shape), dtype=np.float64) ** 1.1 + phase).reshape(shape)


def _left_padding() -> Inputs:
    return prepare_from_x(*CONTRAST, mask=np.array([False, True, True]), causal="top_left")


def _decode() -> Inputs:
    q, k, v = wave(2, 3, phase=1.0), wave(5, 3, phase=2.0), wave(5, 2, phase=3.0)
    return prepare(q, k, v, causal="bottom_right")


def _window() -> Inputs:
    q, k, v = wave(6, 3, phase=4.0), wave(6, 3, phase=5.0), wave(6, 2, phase=6.0)
    return prepare(q, k, v, causal="top_left", window=(2, 0))


def _heads() -> Inputs:
    # Width 5, two heads of 3, four tokens: √d, √E, √n and √h all differ.
    w_q, w_k, w_v = (wave(5, 6, phase=float(phase)) / 2 for phase in range(3))
    weights = Projections(w_q, w_k, w_v, w_o=np.eye(6))
    return prepare_heads(wave(4, 5, phase=7.0) / 2, weights, heads=2)


def _groups() -> Inputs:
    return prepare(wave(4, 3, 2, phase=1.0), wave(2, 3, 2, phase=2.0), wave(2, 3, 2, phase=3.0))


def _cap() -> Inputs:
    q, k, v = wave(3, 2, phase=1.0), wave(3, 2, phase=2.0), wave(3, 2, phase=3.0)
    return prepare(q, k, v, softcap=0.5, mask=np.array([True, True, False]))


def _alibi() -> Inputs:
    q, k, v = (wave(4, 5, 3, phase=float(phase)) / 2 for phase in range(3))
    return prepare(q, k, v, bias=alibi_bias(4, 5, 5), causal="top_left")


def _square_values() -> Inputs:
    w_v = [[1, -1, 0], [1, -1, 2], [-1, 0, 1]]
    return prepare_from_x(*CONTRAST[:3], w_v)


def _rotary() -> Inputs:
    # Far enough that even a turn in degrees shows.
    q, k, v = wave(2, 4, phase=1.0), wave(30, 4, phase=2.0), wave(30, 3, phase=3.0)
    return prepare(q, k, v, causal="bottom_right")


_PROBES: dict[str, Callable[[], Inputs]] = {
    "contrast": lambda: prepare_from_x(*CONTRAST),
    "causal": lambda: prepare_from_x(*CONTRAST, causal="top_left"),
    "padding": lambda: prepare_from_x(*CONTRAST, mask=np.array([True, True, False])),
    "left_padding": _left_padding,
    "decode": _decode,
    "window": _window,
    "heads": _heads,
    "groups": _groups,
    "cap": _cap,
    "alibi": _alibi,
    "square_values": _square_values,
    "rotary": _rotary,
}
PROBES: Mapping[str, Callable[[], Inputs]] = MappingProxyType(
    {name: functools.cache(make) for name, make in _PROBES.items()}
)

_ELSEWHERE = {
    "causal": (
        "no_mask", "reversed_mask", "diagonal_hidden", "sees_one_ahead", "filled_with_zero",
        "masked_after_softmax", "additive_01_mask",
    ),
    "padding": ("inverted_polarity", "query_rows_masked"),
    "left_padding": ("only_causal", "only_padding", "hidden_by_both", "nan_rows", "finite_fill"),
    "decode": ("other_alignment",),
    "window": ("window_ignored", "window_one_wider", "window_two_sided", "window_without_itself"),
    "heads": ("scale_by_sqrt_heads", "one_big_head", "divided_by_maximum"),
    "groups": ("tiled_groups",),
    "cap": ("cap_ignored", "capped_after_mask"),
    "alibi": (
        "bias_ignored", "bias_sign_flipped", "alibi_heads_from_zero", "alibi_slope_by_head",
        "alibi_without_slope",
    ),
    "square_values": ("mix_with_turned_values",),
    "rotary": tuple(fault.name for fault in ROTATING),
}  # fmt: skip
_SHOWN_ON = {name: probe for probe, names in _ELSEWHERE.items() for name in names}


def probe_of(fault: str) -> str:
    """The name of the probe on which this mistake shows; "contrast" for most.

    >>> probe_of("other_alignment"), probe_of("no_scale")
    ('decode', 'contrast')
    """
    return _SHOWN_ON.get(fault, "contrast")


def right_on(probe: str) -> Steps:
    """The right pipeline there: `ROTATED` on "rotary", otherwise the default.

    >>> right_on("rotary") is ROTATED, right_on("causal") is RIGHT
    (True, True)
    """
    return ROTATED if probe == "rotary" else RIGHT


def differs(first: Array, second: Array) -> float:
    """The largest difference of two outputs; infinite where one is NaN and the other is a number.

    >>> differs(np.array([1.0, 2.0]), np.array([1.0, 2.5]))
    0.5
    """
    nan_1, nan_2 = np.isnan(first), np.isnan(second)
    if (nan_1 != nan_2).any():
        return math.inf
    return float(np.abs(np.where(nan_1, 0.0, first - second)).max())
