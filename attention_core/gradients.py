"""Attention's backward pass in closed form.

With S the scores after scaling and cap, A = softmax(S + bias, hidden at −∞), O = A V, and the loss's gradient
∂O given:

    ∂V = Aᵀ ∂O                        the mixing
    ∂A = ∂O Vᵀ
    ∂S = A ⊙ (∂A − δ),  δ_i = Σ_j ∂A_ij A_ij = ∂O_i · O_i      the softmax: its Jacobian is diag(a) − a aᵀ
    ∂Z = ∂S ⊙ (1 − tanh²(z/c))        the soft cap, if any
    ∂Q = ∂Z K · scale,   ∂K = ∂Zᵀ Q · scale

A hidden key has weight 0, so no gradient reaches it; a query that sees nothing sends none. Key/value heads
that several query heads share collect the sum of theirs. δ needs only the output: this is why
FlashAttention's backward pass keeps O and the log-sum-exp, and not A (Dao et al. 2022, appendix B.2).
"""

from dataclasses import dataclass
from typing import Unpack

from attention_core.arrays import Array, Namespace, cast_to, check_finite, namespace_of, read_floats, shape_of
from attention_core.errors import ShapeError
from attention_core.inputs import Options
from attention_core.pipeline import Trace, follow, prepare


@dataclass(frozen=True)
class Gradients:
    """∂loss/∂q, ∂k, ∂v and ∂bias (None without a bias), each in the shape and dtype of its argument."""

    q: Array
    k: Array
    v: Array
    bias: Array | None


def softmax_jacobian(weights: Array) -> Array:
    """∂a_i/∂s_j = a_i (1 if i = j else 0) − a_i a_j: (..., n) → (..., n, n), from the softmax's output a.

    >>> softmax_jacobian([0.5, 0.5]).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    xp = namespace_of(weights=weights)
    weights = read_floats("weights", weights, xp)
    column = weights[..., :, None]
    identity = xp.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return column * identity - column * weights[..., None, :]


def softmax_backward(weights: Array, d_weights: Array) -> Array:
    """a ⊙ (∂a − Σ_j ∂a_j a_j) over the last axis: the Jacobian times ∂a, without building it.

    >>> softmax_backward([0.5, 0.5], [1.0, 0.0]).tolist()
    [0.25, -0.25]
    """
    xp = namespace_of(weights=weights, d_weights=d_weights)
    weights, d_weights = read_floats("weights", weights, xp), read_floats("d_weights", d_weights, xp)
    inner = xp.sum(weights * d_weights, axis=-1, keepdims=True)
    return weights * (d_weights - inner)


def backward(q: Array, k: Array, v: Array, d_output: Array, **options: Unpack[Options]) -> Gradients:
    """The gradients of Σ d_output ⊙ attention(q, k, v, **options).

    d_output (..., H, T, Dv) has the output's shape. Options and refusals are those of `attention`.

    >>> gradients = backward([[1.0]], [[0.0], [0.0]], [[1.0], [3.0]], [[1.0]])
    >>> gradients.v.tolist(), gradients.q.tolist(), gradients.k.tolist()
    ([[0.5], [0.5]], [[0.0]], [[-0.5], [0.5]])
    """
    inputs = prepare(q, k, v, **options)
    t = follow(inputs)
    xp = t.xp
    d_output = _read_gradient(d_output, shape_of(t.output), xp)
    d_output = cast_to(d_output, t.weights.dtype, xp)
    d_masked = softmax_backward(t.weights, d_output @ t.v.mT)
    d_scores = _through_cap(t, d_masked) * t.scale
    bias = options.get("bias")
    return Gradients(
        q=_as_argument(d_scores @ t.k, q, xp),
        k=_as_argument(d_scores.mT @ t.q, k, xp),
        v=_as_argument(t.weights.mT @ d_output, v, xp),
        bias=None if bias is None else _as_argument(d_masked, bias, xp),
    )


def _through_cap(t: Trace, d_capped: Array) -> Array:
    if t.softcap is None:
        return d_capped
    share = t.capped / t.softcap  # tanh(z / c)
    return d_capped * (1.0 - share * share)


def _read_gradient(d_output: Array, shape: tuple[int, ...], xp: Namespace) -> Array:
    d_output = read_floats("d_output", d_output, xp)
    if shape_of(d_output) != shape:
        raise ShapeError("d_output", f"shape {shape_of(d_output)}", f"that of the output, {shape}")
    check_finite("d_output", d_output, xp)
    return d_output


def _as_argument(gradient: Array, argument: Array, xp: Namespace) -> Array:
    """Summed over every axis along which the argument was repeated or spread, in its shape and dtype."""
    argument = read_floats("argument", argument, xp)
    shape = shape_of(argument)
    extra = gradient.ndim - len(shape)
    if extra:
        gradient = xp.sum(gradient, axis=tuple(range(extra)))
    if len(shape) > 2 and shape[-3] not in (1, gradient.shape[-3]):
        gradient = _sum_groups(gradient, shape[-3], xp)
    spread = tuple(axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis] != 1)
    if spread:
        gradient = xp.sum(gradient, axis=spread, keepdims=True)
    return cast_to(gradient, argument.dtype, xp)


def _sum_groups(gradient: Array, groups: int, xp: Namespace) -> Array:
    """(..., H, S, D) → (..., G, S, D): what the H/G query heads of each group send, added."""
    *batch, heads, length, width = shape_of(gradient)
    apart = xp.reshape(gradient, (*batch, groups, heads // groups, length, width))
    return xp.sum(apart, axis=-3)
