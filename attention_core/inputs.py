"""Reading the arguments of attention: everything that can be refused is refused here, before any arithmetic.

What comes out is `Inputs`: arrays of one library in one floating dtype, keys and values repeated to the
query heads, and the causal rule, the window and the caller's mask combined into one `visible`.
"""

import math
import numbers
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from attention_core import masks
from attention_core.arrays import (
    Array,
    Namespace,
    cast_to,
    check_finite,
    first_where,
    namespace_of,
    read_floats,
    shape_of,
    working_dtype,
)
from attention_core.errors import MaskError, NumericalError, ShapeError
from attention_core.heads import repeat_groups


class Options(TypedDict, total=False):
    """The keyword arguments that `attention`, `trace` and `trace_from_x` share."""

    mask: Array
    bias: Array
    causal: str | None
    window: masks.Window | None
    scale: float | None
    softcap: float | None


@dataclass
class Inputs:
    """Checked arguments. `x` is the layer's input when the projections were made here, else None."""

    xp: Namespace
    q: Array  # (..., H, T, D)
    k: Array  # (..., H, S, D)
    v: Array  # (..., H, S, Dv)
    groups: int  # G: how many heads k and v had before each was repeated for its query heads
    x: Array
    mask: Array  # the caller's, or None
    bias: Array
    visible: Array  # mask, causal rule and window together; None when nothing is hidden
    causal: str | None
    window: masks.Window | None
    offset: int  # the position of query 0
    scale: float
    softcap: float | None
    dtype: Any  # of the output


_OPTIONS = frozenset(Options.__annotations__)


def read_inputs(q: Array, k: Array, v: Array, options: Options) -> Inputs:
    """Check and read the arguments of `attention`; its docstring says what they mean."""
    if not _OPTIONS.issuperset(options):
        raise TypeError(f"unknown keyword {', '.join(sorted(set(options) - _OPTIONS))}")
    mask, bias = options.get("mask"), options.get("bias")
    causal, window = options.get("causal"), options.get("window")
    scale, softcap = options.get("scale"), options.get("softcap")
    xp = namespace_of(q=q, k=k, v=v, mask=mask, bias=bias)
    q, k, v = read_floats("q", q, xp), read_floats("k", k, xp), read_floats("v", v, xp)
    scores = check_shapes(shape_of(q), shape_of(k), shape_of(v))
    check_finite("q", q, xp)
    check_finite("k", k, xp)
    check_finite("v", v, xp)
    groups = k.shape[-3] if k.ndim > 2 else 1
    dtype, result = working_dtype((q, k, v), xp)
    q, k, v = cast_to(q, dtype, xp), cast_to(k, dtype, xp), cast_to(v, dtype, xp)
    if len(scores) > 2:
        k, v = repeat_groups(k, heads=scores[-3]), repeat_groups(v, heads=scores[-3])
    offset = masks.offset_of(causal, scores[-2], scores[-1])
    window = None if window is None else masks.check_window(window)
    mask = None if mask is None else masks.check_mask("mask", mask, scores, xp)
    return Inputs(
        xp=xp,
        q=q,
        k=k,
        v=v,
        groups=groups,
        x=None,
        mask=mask,
        bias=None if bias is None else _read_bias(bias, scores, dtype, xp),
        visible=masks.combine(mask, _nearby(causal, window, scores, offset, q)),
        causal=causal,
        window=window,
        offset=offset,
        scale=1.0 / math.sqrt(q.shape[-1]) if scale is None else _number("scale", scale),
        softcap=None if softcap is None else _read_softcap(softcap),
        dtype=result,
    )


def check_shapes(q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the scores, (..., H, T, S), or a ShapeError naming the argument that does not fit."""
    for name, shape in (("q", q), ("k", k), ("v", v)):
        if len(shape) < 2:
            raise ShapeError(name, f"shape {shape}", "(..., heads, length, width) or (length, width)")
        if (len(shape) == 2) != (len(q) == 2):
            raise ShapeError(name, f"shape {shape}", f"as many axes for heads as q, whose shape is {q}")
    if q[-1] == 0:
        raise ShapeError("q", f"shape {q}", "a width of at least 1")
    if k[-1] != q[-1]:
        raise ShapeError("k", f"shape {k}, width {k[-1]}", f"width {q[-1]}, that of q")
    if v[-2] != k[-2]:
        raise ShapeError("v", f"shape {v}, length {v[-2]}", f"length {k[-2]}, that of k")
    if len(q) == 2:
        return q[0], k[0]
    if v[-3] != k[-3]:
        raise ShapeError("v", f"shape {v}, {v[-3]} heads", f"{k[-3]} heads, as k has")
    if k[-3] != q[-3] and (k[-3] == 0 or q[-3] % k[-3]):
        raise ShapeError("k", f"shape {k}, {k[-3]} heads", f"a number of heads that divides the {q[-3]} of q")
    return (*_batch(q, k, v), q[-3], q[-2], k[-2])


def _batch(q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...]) -> tuple[int, ...]:
    if q[:-3] == k[:-3] == v[:-3]:
        return q[:-3]
    batch = q[:-3]
    for name, shape in (("k", k), ("v", v)):
        try:
            batch = np.broadcast_shapes(batch, shape[:-3])
        except ValueError:
            raise ShapeError(name, f"shape {shape}", f"batch axes that fit those of q, {q[:-3]}") from None
    return batch


def _read_bias(bias: Array, scores: tuple[int, ...], dtype: Any, xp: Namespace) -> Array:
    if xp is np:
        try:
            bias = np.asarray(bias)
        except ValueError:
            raise ShapeError("bias", "rows of unequal length", "a rectangular array") from None
    floating = bias.dtype.kind == "f" if xp is np else xp.isdtype(bias.dtype, "real floating")
    if not floating:
        raise MaskError("bias", f"dtype {bias.dtype}", "floats to add (a boolean rule goes in `mask`)")
    masks.check_spreads("bias", bias, scores)
    bias = cast_to(bias, dtype, xp)
    bad = ~(bias < xp.inf)  # NaN compares false with everything
    if bool(xp.any(bad)):
        raise NumericalError("bias", first_where(bias, bad, xp), "finite numbers, or −inf to hide")
    return bias


def _nearby(
    causal: str | None, window: masks.Window | None, scores: tuple[int, ...], offset: int, like: Array
) -> Array:
    """What causal rule and window allow together: the causal rule is a window that ends at the query."""
    if causal is None and window is None:
        return None
    left, right = (None, None) if window is None else window
    span = (left, right if causal is None else 0)
    return masks.window(scores[-2], keys=scores[-1], span=span, offset=offset, like=like)


def _number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise NumericalError(name, repr(value), "a finite number")
    return float(value)


def _read_softcap(softcap: float) -> float:
    if _number("softcap", softcap) <= 0:
        raise NumericalError("softcap", repr(softcap), "a number > 0 (None for no cap)")
    return float(softcap)
