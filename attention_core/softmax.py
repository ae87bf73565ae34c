"""Softmax: exponentials of each row, divided by their sum. Stable, in logarithms, and block by block.

    softmax(x)_j = e^{x_j − m} / Σ_k e^{x_k − m},   m = max_k x_k

Subtracting the maximum changes nothing in exact arithmetic and keeps every exponent ≤ 0, so that nothing
overflows (float64 overflows at e^709.8, float32 at e^88.7, float16 at e^11.09). A row of −∞ only has nothing
to share out: it gives zeros here, where the bare formula gives 0/0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from attention_core.arrays import Array, Namespace, namespace_of, read_floats, shape_of
from attention_core.errors import ShapeError


def softmax(x: Array, *, axis: int = -1) -> Array:
    """Shares that sum to 1 along `axis`; zeros where every entry is −∞, or where the axis is empty.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    x, xp = _read(x, axis)
    return softmax_along(x, axis, xp)


def softmax_along(x: Array, axis: int, xp: Namespace) -> Array:
    """`softmax` for an array already read: the pipeline calls it thousands of times."""
    if x.shape[axis] == 0:
        return xp.exp(x)  # empty as well; an empty maximum would raise
    exponentials = xp.exp(x - _finite_maximum(x, axis, xp))
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    return exponentials / xp.where(total == 0, 1.0, total)


def log_sum_exp(x: Array, *, axis: int = -1) -> Array:
    """ln Σ_j e^{x_j} = m + ln Σ_j e^{x_j − m}; −∞ for a row of −∞ or of nothing. The axis is removed.

    >>> round(float(log_sum_exp([1000.0, 1000.0])), 6)
    1000.693147
    """
    x, xp = _read(x, axis)
    return xp.squeeze(_log_total(x, axis, xp), axis=axis)


def log_softmax(x: Array, *, axis: int = -1) -> Array:
    """x_j − ln Σ_k e^{x_k}: the logarithm of softmax without the loss of taking it afterwards.

    >>> log_softmax([0.0, 0.0]).round(4).tolist()
    [-0.6931, -0.6931]
    """
    x, xp = _read(x, axis)
    total = _log_total(x, axis, xp)
    return x - xp.where(total == -xp.inf, 0.0, total)  # a row of −∞ stays −∞ instead of −∞ − (−∞)


def _read(x: Array, axis: int) -> tuple[Array, Namespace]:
    xp = namespace_of(x=x)
    x = read_floats("x", x, xp)
    if not -x.ndim <= axis < x.ndim:
        raise ShapeError("axis", str(axis), f"an axis of x, whose shape is {shape_of(x)}")
    return x, xp


def entropy(weights: Array, *, axis: int = -1) -> Array:
    """−Σ_j a_j ln a_j of shares, in nats, with 0 ln 0 = 0: from 0 (all on one) to ln n (all alike).

    >>> round(float(entropy([0.5, 0.5])), 6)
    0.693147
    """
    xp = namespace_of(weights=weights)
    weights = read_floats("weights", weights, xp)
    logarithms = xp.log(xp.where(weights > 0, weights, 1.0))
    return 0.0 - xp.sum(weights * logarithms, axis=axis)


def _log_total(x: Array, axis: int, xp: Namespace) -> Array:
    if x.shape[axis] == 0:  # the logarithm of an empty sum; an empty maximum would raise
        return xp.sum(x, axis=axis, keepdims=True) - xp.inf
    maximum = _finite_maximum(x, axis, xp)
    total = xp.sum(xp.exp(x - maximum), axis=axis, keepdims=True)
    nothing = total == 0
    return xp.where(nothing, -xp.inf, xp.log(xp.where(nothing, 1.0, total)) + maximum)


def _finite_maximum(x: Array, axis: int, xp: Namespace) -> Array:
    maximum = xp.max(x, axis=axis, keepdims=True)
    return xp.where(maximum == -xp.inf, 0.0, maximum)  # −∞ − (−∞) would be NaN


@dataclass(frozen=True)
class Running:
    """What an online softmax knows after some of the keys. Every field keeps the row axis: (..., T, 1) or
    (..., T, D).

    `maximum` m: the largest score so far. `total` l = Σ e^{s_j − m} over the keys so far.
    `output` Σ e^{s_j − m} v_j / l, or None when no values were given.
    """

    maximum: Array
    total: Array
    output: Array | None


def online(scores: Array, *, block: int, values: Array | None = None) -> Iterator[Running]:
    """Softmax in one pass over blocks of keys, yielding the running state after each block.

    With m' = max(m, max of the block) and α = e^{m − m'}:  l' = α l + Σ e^{s_j − m'}, and the unnormalised
    output is rescaled by the same α. After the last block, e^{s_j − m} / l is the softmax and `output` is
    A·V, though no more than one block of exponentials ever existed. (Milakov & Gimelshein 2018;
    FlashAttention, Dao et al. 2022.)

    `scores` (..., T, S) or (S,); `values` (..., S, D); `block` ≥ 1 keys.

    >>> [round(float(state.total[0]), 4) for state in online([2.0, 1.0, 3.0, 2.0, 4.0, 5.0], block=3)]
    [1.5032, 1.6211]
    """
    if block < 1:
        raise ShapeError("block", str(block), "at least 1 key")
    xp = namespace_of(scores=scores, values=values)
    scores = read_floats("scores", scores, xp)
    values = None if values is None else read_floats("values", values, xp)
    if values is not None and values.shape[-2] != scores.shape[-1]:
        raise ShapeError("values", f"{values.shape[-2]} rows", f"{scores.shape[-1]}, one for each score")
    return _absorb_blocks(scores, values, block, xp)


def _absorb_blocks(scores: Array, values: Array | None, block: int, xp: Namespace) -> Iterator[Running]:
    maximum = total = weighted = None
    keys = scores.shape[-1]
    for start in range(0, keys, block):
        stop = min(start + block, keys)
        piece = scores[..., start:stop]
        largest = xp.max(piece, axis=-1, keepdims=True)
        new_maximum = largest if maximum is None else xp.maximum(maximum, largest)
        finite = xp.where(new_maximum == -xp.inf, 0.0, new_maximum)
        exponentials = xp.exp(piece - finite)
        piece_total = xp.sum(exponentials, axis=-1, keepdims=True)
        piece_weighted = None if values is None else exponentials @ values[..., start:stop, :]
        if maximum is None:
            total, weighted = piece_total, piece_weighted
        else:
            shrink = xp.exp(maximum - finite)  # α; e^{−∞} = 0 forgets a start that saw nothing
            total = shrink * total + piece_total
            weighted = None if weighted is None else shrink * weighted + piece_weighted
        maximum = new_maximum
        output = None if weighted is None else weighted / xp.where(total == 0, 1.0, total)
        yield Running(maximum=maximum, total=total, output=output)
