"""The feed-forward network: the same two matrices at every position, with a bend between them.

    FFN(x)    = activation(x W₁ + b₁) W₂ + b₂
    SwiGLU(x) = (SiLU(x W) ⊙ x V) W₂

Attention mixes tokens; this mixes the features of one token. Without the bend the two matrices would be one.
"""

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core.arrays import (
    Array,
    Namespace,
    cast_to,
    check_finite,
    namespace_of,
    read_floats,
    shape_of,
    working_dtype,
)
from attention_core.errors import NumericalError, ShapeError


def relu(x: Array) -> Array:
    """max(0, x), element by element. Its slope at 0 is taken as 0.

    >>> relu([-1.0, 2.0]).tolist()
    [0.0, 2.0]
    """
    return _activate(x, lambda z, xp: xp.where(z > 0, z, xp.zeros_like(z)))


def gelu(x: Array, *, approximate: bool = False) -> Array:
    """x Φ(x), Φ the normal distribution function: ½ x (1 + erf(x/√2)).

    `approximate` takes ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), within 5e-4 of it: what GPT-2 was trained
    with. 16-bit floats are computed in float32. Source: Hendrycks & Gimpel 2016, section 2.

    >>> [round(float(gelu(1.0, approximate=rough)), 4) for rough in (False, True)]
    [0.8413, 0.8412]
    """
    return _activate(x, _gelu_by_tanh if approximate else _gelu_by_erf)


def silu(x: Array, *, beta: float = 1.0) -> Array:
    """x σ(βx), σ(z) = 1/(1 + e^{−z}). β = 1 is SiLU; any β is Swish (Ramachandran et al. 2017).

    >>> round(float(silu(1.0)), 4)
    0.7311
    """
    beta = _number("beta", beta)
    return _activate(x, lambda z, xp: z * _sigmoid(beta * z, xp))


def gate(a: Array, b: Array, *, beta: float = 1.0) -> Array:
    """Swish_β(a) ⊙ b, a and b of one shape: in SwiGLU one projection of x opens and closes the other.

    >>> gate([0.0, 2.0], [5.0, 3.0]).round(4).tolist()
    [0.0, 5.2848]
    """
    beta = _number("beta", beta)
    arrays, result, xp = _read_alike(a=a, b=b)
    a, b = arrays["a"], arrays["b"]
    if shape_of(a) != shape_of(b):
        raise ShapeError("b", f"shape {shape_of(b)}", f"{shape_of(a)}, the shape of a")
    return cast_to(_gated(a, b, beta, xp), result, xp)


def swiglu(x: Array, w: Array, v: Array, w2: Array) -> Array:
    """(SiLU(x W) ⊙ x V) W₂, without biases. x (..., E), w and v (E, F), w2 (F, E).

    Three matrices instead of two; at F = 8E/3 it has as many weights as a network of width 4E. Raises
    ShapeError and NumericalError naming the argument. Source: Shazeer 2020, "GLU Variants", equation 6.

    >>> swiglu([[0.0, 1.0]], [[1.0], [0.0]], [[2.0], [2.0]], [[3.0, 3.0]]).tolist()
    [[0.0, 0.0]]
    """
    arrays, result, xp = _read_alike(x=x, w=w, v=v, w2=w2)
    x, w, v, w2 = arrays.values()
    _check_matrix("w", w, rows=shape_of(x)[-1:], why="as many rows as x is wide")
    _check_matrix("v", v, rows=shape_of(x)[-1:], why="as many rows as x is wide")
    if shape_of(v) != shape_of(w):
        raise ShapeError("v", f"shape {shape_of(v)}", f"{shape_of(w)}, the shape of w")
    _check_matrix("w2", w2, rows=shape_of(w)[-1:], why="as many rows as w has columns")
    return cast_to(_gated(x @ w, x @ v, 1.0, xp) @ w2, result, xp)


def feed_forward(
    x: Array,
    w1: Array,
    w2: Array,
    *,
    b1: Array = None,
    b2: Array = None,
    activation: Callable[[Array], Array] = relu,
) -> Array:
    """activation(x W₁ + b₁) W₂ + b₂. x (..., E), w1 (E, F), w2 (F, E); b1 (F,) and b2 (E,), or None.

    Raises as `swiglu`. Source: Vaswani et al. 2017, section 3.3.

    >>> feed_forward([[1.0, -1.0]], [[1, -1, 2], [0, 1, 1]], [[1, 0], [2, 1], [0, -1]], b1=[0, 1, 0]).tolist()
    [[1.0, -1.0]]
    """
    arrays, result, xp = _read_alike(x=x, w1=w1, w2=w2, b1=b1, b2=b2)
    x, w1, w2 = arrays["x"], arrays["w1"], arrays["w2"]
    b1, b2 = arrays.get("b1"), arrays.get("b2")
    _check_matrix("w1", w1, rows=shape_of(x)[-1:], why="as many rows as x is wide")
    _check_matrix("w2", w2, rows=shape_of(w1)[-1:], why="as many rows as w1 has columns")
    for name, bias, matrix in (("b1", b1, w1), ("b2", b2, w2)):
        if bias is not None and shape_of(bias) != shape_of(matrix)[-1:]:
            raise ShapeError(name, f"shape {shape_of(bias)}", f"{shape_of(matrix)[-1:]}: a number a column")
    hidden = activation(_affine(x, w1, b1))
    return cast_to(_affine(hidden, w2, b2), result, xp)


def _affine(x: Array, w: Array, b: Array) -> Array:
    return x @ w if b is None else x @ w + b


def _gated(a: Array, b: Array, beta: float, xp: Namespace) -> Array:
    return a * _sigmoid(beta * a, xp) * b


def _sigmoid(z: Array, xp: Namespace) -> Array:
    """1/(1 + e^{−z}) as e^{min(z, 0)} / (1 + e^{−|z|}): the same, and no exponent is above 0."""
    return xp.exp(xp.minimum(z, xp.zeros_like(z))) / (1.0 + xp.exp(-xp.abs(z)))


def _gelu_by_erf(x: Array, xp: Namespace) -> Array:
    return 0.5 * x * (1.0 + _erf(x / math.sqrt(2.0), xp))


def _gelu_by_tanh(x: Array, xp: Namespace) -> Array:
    return 0.5 * x * (1.0 + xp.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))


def _erf(z: Array, xp: Namespace) -> Array:
    """The library's own erf, on its device and differentiable; else Python's, element after element."""
    own = getattr(xp, "erf", None) or getattr(getattr(xp, "special", None), "erf", None)
    if own is not None:
        return own(z)
    if xp is np:
        return np.asarray(np.frompyfunc(math.erf, 1, 1)(z), dtype=z.dtype)
    flat = xp.reshape(z, (-1,))
    values = [math.erf(float(flat[place])) for place in range(flat.shape[0])]
    return xp.reshape(xp.asarray(values, dtype=z.dtype), shape_of(z))


def _activate(x: Array, function: Callable[[Array, Namespace], Array]) -> Array:
    arrays, result, xp = _read_alike(x=x)
    return cast_to(function(arrays["x"], xp), result, xp)


def _read_alike(**given: Array) -> tuple[dict[str, Array], Any, Namespace]:
    """The arguments (None left out) in one dtype to compute in; the dtype of the result; their library."""
    xp = namespace_of(**given)
    read = {name: read_floats(name, value, xp) for name, value in given.items() if value is not None}
    for name, value in read.items():
        check_finite(name, value, xp)
    working, result = working_dtype(tuple(read.values()), xp)
    return {name: cast_to(value, working, xp) for name, value in read.items()}, result, xp


def _check_matrix(name: str, matrix: Array, *, rows: tuple[int, ...], why: str) -> None:
    shape = shape_of(matrix)
    if len(shape) != 2 or shape[:1] != rows:
        raise ShapeError(name, f"shape {shape}", f"({rows[0] if rows else 'E'}, width): {why}")


def _number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise NumericalError(name, repr(value), "a finite number")
    return float(value)
