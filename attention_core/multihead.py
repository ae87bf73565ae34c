"""Multi-head attention: several small attentions side by side, each with projections of its own.

    Q = X W_Q,  K = C W_K,  V = C W_V        project        C is X itself, or the context of cross-attention
    (n, h·d) → (h, n, d)                     split          head i reads columns i·d … (i + 1)·d
    head_i = attention(Q_i, K_i, V_i)        attend         each scaled by √d, the width of one head
    [head_1; …; head_h] W_O                  join

Rows are vectors: a matrix is (inputs, outputs) and stands on the right. The same function is multi-head (as
many key/value heads as query heads), grouped (fewer, each serving several query heads), multi-query (one) and
cross-attention (a context): they differ in which arrays go in, not in what is done.

Source: Vaswani et al. 2017, section 3.2.2; Shazeer 2019 (multi-query); Ainslie et al. 2023 (grouped).
"""

from dataclasses import dataclass, fields
from typing import Unpack

from attention_core.arrays import Array, check_finite, namespace_of, read_floats, shape_of
from attention_core.errors import ShapeError
from attention_core.heads import merge, split
from attention_core.inputs import Inputs, Options, read_inputs
from attention_core.pipeline import RIGHT, Steps, Trace, follow


@dataclass(frozen=True)
class Projections:
    """w_q (E, H·D), w_k (Ec, G·D), w_v (Ec, G·Dv), w_o (H·Dv, E); biases (outputs,), or None.

    E is the width of x, Ec that of the context (E without one).
    """

    w_q: Array
    w_k: Array
    w_v: Array
    w_o: Array
    b_q: Array = None
    b_k: Array = None
    b_v: Array = None
    b_o: Array = None


def multi_head(
    x: Array,
    weights: Projections,
    *,
    heads: int,
    kv_heads: int | None = None,
    context: Array = None,
    **options: Unpack[Options],
) -> Array:
    """Multi-head attention of x (..., T, E) over the context (..., S, Ec), or over x itself: (..., T, E).

    `kv_heads` G divides `heads` H and is H unless given; `options` are those of `attention`, a mask spreads
    over (..., H, T, S). Raises ShapeError, MaskError or NumericalError, naming the argument.

    >>> identity = [[1.0, 0.0], [0.0, 1.0]]
    >>> multi_head([[1.0, 2.0]], Projections(identity, identity, identity, identity), heads=2).tolist()
    [[1.0, 2.0]]
    """
    inputs = prepare_heads(x, weights, heads=heads, kv_heads=kv_heads, context=context, **options)
    return join(follow(inputs).output, weights.w_o, weights.b_o)


def grouped(
    x: Array, weights: Projections, *, heads: int, kv_heads: int, **options: Unpack[Options]
) -> Array:
    """Grouped-query attention: each key/value head serves heads/kv_heads neighbouring query heads.

    >>> weights = Projections([[1.0, 1.0]], [[1.0]], [[1.0]], [[1.0], [1.0]])
    >>> grouped([[2.0]], weights, heads=2, kv_heads=1).tolist()
    [[4.0]]
    """
    return multi_head(x, weights, heads=heads, kv_heads=kv_heads, **options)


def multi_query(x: Array, weights: Projections, *, heads: int, **options: Unpack[Options]) -> Array:
    """Multi-query attention: one key/value head for all query heads, so a cache is `heads` times smaller.

    >>> weights = Projections([[1.0, 1.0]], [[1.0]], [[1.0]], [[1.0], [1.0]])
    >>> multi_query([[2.0]], weights, heads=2).tolist()
    [[4.0]]
    """
    return multi_head(x, weights, heads=heads, kv_heads=1, **options)


def cross(x: Array, context: Array, weights: Projections, *, heads: int, **options: Unpack[Options]) -> Array:
    """Cross-attention: queries from x (the decoder), keys and values from the context (the encoder).

    >>> weights = Projections([[0.0]], [[1.0]], [[1.0]], [[1.0]])
    >>> cross([[5.0]], [[2.0], [4.0]], weights, heads=1).tolist()
    [[3.0]]
    """
    return multi_head(x, weights, heads=heads, context=context, **options)


def trace_heads(
    x: Array, weights: Projections, *, heads: int, steps: Steps = RIGHT, **options: Unpack[Options]
) -> Trace:
    """Self-attention of every head with its intermediates kept, each (..., H, n, ·); `steps` as for `trace`.

    `join(trace.output, w_o)` makes the layer's output of it.

    >>> weights = Projections([[0.0]], [[1.0]], [[1.0]], [[1.0]])
    >>> trace_heads([[2.0], [4.0]], weights, heads=1).weights.tolist()
    [[[0.5, 0.5], [0.5, 0.5]]]
    """
    return follow(prepare_heads(x, weights, heads=heads, **options), steps)


def prepare_heads(
    x: Array,
    weights: Projections,
    *,
    heads: int,
    kv_heads: int | None = None,
    context: Array = None,
    **options: Unpack[Options],
) -> Inputs:
    """Project, split into heads and check, to `follow` several `Steps` on the same inputs.

    >>> weights = Projections([[0.0, 0.0]], [[1.0]], [[1.0]], [[1.0], [1.0]])
    >>> prepare_heads([[2.0], [4.0]], weights, heads=2, kv_heads=1).k.shape
    (2, 2, 1)
    """
    kv_heads = heads if kv_heads is None else kv_heads
    x, context, given = _read(x, context, weights)
    q = split(_affine(x, given.w_q, given.b_q), heads=heads)
    k = split(_affine(context, given.w_k, given.b_k), heads=kv_heads)
    v = split(_affine(context, given.w_v, given.b_v), heads=kv_heads)
    inputs = read_inputs(q, k, v, options)
    inputs.x = x
    return inputs


def join(outputs: Array, w_o: Array, b_o: Array = None) -> Array:
    """[head_1; …; head_h] W_O + b_O: (..., H, T, Dv) → (..., T, E).

    >>> join([[[1.0]], [[2.0]]], [[0.0, 1.0], [1.0, 0.0]]).tolist()
    [[2.0, 1.0]]
    """
    xp = namespace_of(outputs=outputs, w_o=w_o)
    side_by_side = merge(read_floats("outputs", outputs, xp))
    w_o = read_floats("w_o", w_o, xp)
    _check_matrix("w_o", w_o, side_by_side.shape[-1], "all heads together")
    return _affine(side_by_side, w_o, None if b_o is None else read_floats("b_o", b_o, xp))


def _affine(x: Array, w: Array, b: Array) -> Array:
    return x @ w if b is None else x @ w + b


def _read(x: Array, context: Array, weights: Projections) -> tuple[Array, Array, Projections]:
    given = {field.name: getattr(weights, field.name) for field in fields(Projections)}
    xp = namespace_of(x=x, context=context, **given)
    x = read_floats("x", x, xp)
    context = x if context is None else read_floats("context", context, xp)
    read = {name: None if value is None else read_floats(name, value, xp) for name, value in given.items()}
    for name, array in (("x", x), ("context", context)):
        if array.ndim < 2:
            raise ShapeError(name, f"shape {shape_of(array)}", "(..., length, width)")
        check_finite(name, array, xp)
    for name, array, what in (
        ("w_q", x, "x"),
        ("w_k", context, "the context"),
        ("w_v", context, "the context"),
    ):
        _check_matrix(name, read[name], array.shape[-1], what)
    for end in "qkvo":
        bias, matrix = read[f"b_{end}"], read[f"w_{end}"]
        if bias is not None and shape_of(bias) != shape_of(matrix)[-1:]:
            raise ShapeError(f"b_{end}", f"shape {shape_of(bias)}", f"{shape_of(matrix)[-1:]}: one a column")
    return x, context, Projections(**read)


def _check_matrix(name: str, matrix: Array, rows: int, what: str) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise ShapeError(
            name, f"shape {shape_of(matrix)}", f"({rows}, width): as many rows as {what} is wide"
        )
