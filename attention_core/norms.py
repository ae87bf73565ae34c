"""Normalisation of each token by itself, over its features.

    LayerNorm   (x − μ) / √(σ² + ε) · weight + bias
    RMSNorm      x      / √(mean x² + ε) · weight

Both work along the last axis, so that a token's result depends on neither its neighbours nor the batch: that
is why they suit sequences of any length and decoding one token at a time, where BatchNorm does not.

σ² is the population variance (divided by the width, not by one less), and it is computed in two passes:
first the mean, then the mean of the squared differences. The one-pass form E[x²] − E[x]² subtracts two large,
nearly equal numbers and loses every digit where the mean is large beside the spread.
"""

import math
import numbers
from dataclasses import dataclass
from typing import Any

from attention_core.arrays import (
    Array,
    Namespace,
    all_finite,
    cast_to,
    check_finite,
    namespace_of,
    read_floats,
    shape_of,
    working_dtype,
)
from attention_core.errors import NumericalError, ShapeError


def layer_norm(x: Array, weight: Array = None, bias: Array = None, *, eps: float = 1e-5) -> Array:
    """(x − μ) / √(σ² + ε) · weight + bias over the last axis.

    x (..., E); weight γ and bias β (E,), left out when None. 16-bit floats are computed in float32 and
    rounded once. A row of equal numbers gives the bias.

    Raises ShapeError, NumericalError (naming the argument). Source: Ba, Kiros & Hinton 2016, section 3.

    >>> layer_norm([1.0, 2.0, 3.0, 4.0], eps=0.0).round(3).tolist()
    [-1.342, -0.447, 0.447, 1.342]
    """
    given = _read(x, weight, bias, eps)
    mean, inverse = _moments(given.x, eps, given.xp)
    return given.finish((given.x - mean) * inverse)


def moments(x: Array, *, eps: float = 1e-5) -> tuple[Array, Array]:
    """μ and 1/√(σ² + ε) of each row, (..., 1): what LayerNorm keeps for its backward pass.

    >>> [float(part[0]) for part in moments([1.0, 3.0], eps=0.0)]
    [2.0, 1.0]
    """
    given = _read(x, None, None, eps)
    mean, inverse = _moments(given.x, eps, given.xp)
    return cast_to(mean, given.dtype, given.xp), cast_to(inverse, given.dtype, given.xp)


def rms_norm(x: Array, weight: Array = None, *, eps: float = 1e-6) -> Array:
    """x / √(mean x² + ε) · weight over the last axis: LayerNorm without centring, and without a bias.

    x (..., E); weight (E,) or None. Raises as `layer_norm`. Source: Zhang & Sennrich 2019, section 4.

    >>> rms_norm([1.0, 2.0, 3.0, 4.0], eps=0.0).round(3).tolist()
    [0.365, 0.73, 1.095, 1.461]
    """
    given = _read(x, weight, None, eps)
    square = given.xp.mean(given.x * given.x, axis=-1, keepdims=True)
    return given.finish(given.x * _inverse_root(square, eps, given.xp))


def _moments(x: Array, eps: float, xp: Namespace) -> tuple[Array, Array]:
    mean = xp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    return mean, _inverse_root(xp.mean(centred * centred, axis=-1, keepdims=True), eps, xp)


def _inverse_root(square: Array, eps: float, xp: Namespace) -> Array:
    """1/√(square + ε). ε = 0 is allowed: a row without spread (or all of zeros) then stays 0, not 0 · ∞."""
    if not all_finite(square, xp):
        raise NumericalError(
            "x", f"squares beyond {square.dtype}", "numbers whose squares the dtype can hold"
        )
    floored = square + eps
    return 1.0 / xp.sqrt(xp.where(floored == 0, 1.0, floored))


@dataclass(frozen=True)
class _Inputs:
    """Checked arguments in the dtype to compute in; `dtype` is that of the result."""

    xp: Namespace
    x: Array
    weight: Array
    bias: Array
    dtype: Any

    def finish(self, normalised: Array) -> Array:
        """Weight, bias and the one rounding."""
        scaled = normalised if self.weight is None else normalised * self.weight
        return cast_to(scaled if self.bias is None else scaled + self.bias, self.dtype, self.xp)


def _read(x: Array, weight: Array, bias: Array, eps: float) -> _Inputs:
    xp = namespace_of(x=x, weight=weight, bias=bias)
    x = read_floats("x", x, xp)
    if x.ndim < 1 or x.shape[-1] == 0:
        raise ShapeError("x", f"shape {shape_of(x)}", "(..., width), a width of at least 1")
    check_finite("x", x, xp)
    if isinstance(eps, bool) or not isinstance(eps, numbers.Real) or not 0 <= eps < math.inf:
        raise NumericalError("eps", repr(eps), "a finite number ≥ 0")
    working, result = working_dtype((x,), xp)
    x = cast_to(x, working, xp)
    weight, bias = _parameter("weight", weight, x, xp), _parameter("bias", bias, x, xp)
    return _Inputs(xp=xp, x=x, weight=weight, bias=bias, dtype=result)


def _parameter(name: str, value: Array, x: Array, xp: Namespace) -> Array:
    if value is None:
        return None
    value = read_floats(name, value, xp)
    if shape_of(value) != shape_of(x)[-1:]:
        expected = f"({x.shape[-1]},): a number for each feature of x"
        raise ShapeError(name, f"shape {shape_of(value)}", expected)
    check_finite(name, value, xp)
    return cast_to(value, x.dtype, xp)
