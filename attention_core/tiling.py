"""FlashAttention's recurrence, tile by tile: exact attention that never holds the T × S matrix.

The scores are made in tiles of `rows` queries × `columns` keys. For each block of queries a running state is
kept, and each tile is absorbed into it:

    m' = max(m, max_j s_ij)      α = e^{m − m'}      p_ij = e^{s_ij − m'}
    l' = α l + Σ_j p_ij          o' = α o + Σ_j p_ij v_j

After the last tile the output is o / l and the log-sum-exp m + ln l, the same numbers as softmax(S) V in one
piece. Under a causal rule the tiles right of the diagonal are skipped, not computed and hidden. What exists
at any moment is one tile and one state: memory grows with the length, not with its square.

Source: Dao et al. 2022, "FlashAttention", algorithm 1; Dao 2023, "FlashAttention-2", section 3.1 (o stays
unnormalised until the end); Milakov & Gimelshein 2018 for the running sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_core import masks
from attention_core.arrays import Array, Namespace, all_finite, cast_to
from attention_core.errors import NumericalError, ShapeError
from attention_core.inputs import Inputs, read_inputs


@dataclass(frozen=True)
class State:
    """What is known about some queries after some of their keys.

    `maximum` m (..., rows, 1); `total` l = Σ e^{s − m} (..., rows, 1); `weighted` o = Σ e^{s − m} v, not yet
    divided by l (..., rows, Dv). `xp` is the array library they belong to.
    """

    maximum: Array
    total: Array
    weighted: Array
    xp: Namespace

    @property
    def output(self) -> Array:
        """o / l: attention over the keys so far; zeros for a query that has seen none."""
        return self.weighted / self.xp.where(self.total == 0, 1.0, self.total)

    @property
    def log_sum_exp(self) -> Array:
        """m + ln l, without the last axis; −∞ for a query that has seen no key."""
        unseen = self.total == 0
        logarithm = self.xp.log(self.xp.where(unseen, 1.0, self.total))
        return self.xp.where(unseen, -self.xp.inf, self.maximum + logarithm)[..., 0]


@dataclass(frozen=True)
class Tile:
    """One visited tile: its queries and keys (start, stop), scores (−∞ where hidden), and the state after."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    scores: Array
    state: State


def absorb(state: State | None, scores: Array, values: Array, *, xp: Namespace) -> State:
    """The state after one more tile; `scores` (..., rows, columns), `values` (..., columns, Dv).

    >>> import numpy as np
    >>> one = absorb(None, np.array([[0.0, 0.0]]), np.array([[1.0], [3.0]]), xp=np)
    >>> one.total.tolist(), one.weighted.tolist(), one.output.tolist()
    ([[2.0]], [[4.0]], [[2.0]])
    """
    largest = xp.max(scores, axis=-1, keepdims=True)
    maximum = largest if state is None else xp.maximum(state.maximum, largest)
    base = xp.where(maximum == -xp.inf, 0.0, maximum)  # nothing seen yet: −∞ − (−∞) would be NaN
    exponentials = xp.exp(scores - base)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    weighted = exponentials @ values
    if state is not None:
        shrink = xp.exp(state.maximum - base)  # α
        total, weighted = total + shrink * state.total, weighted + shrink * state.weighted
    return State(maximum=maximum, total=total, weighted=weighted, xp=xp)


def merge(first: State, second: State) -> State:
    """Two states of the same queries over different keys as one: how split-KV decoding joins its parts.

    m = max(m₁, m₂);  l = e^{m₁ − m} l₁ + e^{m₂ − m} l₂;  o likewise.

    >>> import numpy as np
    >>> one = absorb(None, np.array([[0.0]]), np.array([[1.0]]), xp=np)
    >>> merge(one, absorb(None, np.array([[0.0]]), np.array([[3.0]]), xp=np)).output.tolist()
    [[2.0]]
    """
    xp = first.xp
    maximum = xp.maximum(first.maximum, second.maximum)
    base = xp.where(maximum == -xp.inf, 0.0, maximum)
    one, two = xp.exp(first.maximum - base), xp.exp(second.maximum - base)
    total = one * first.total + two * second.total
    return State(maximum=maximum, total=total, weighted=one * first.weighted + two * second.weighted, xp=xp)


def visited(
    queries: int, *, keys: int, rows: int, columns: int, causal: str | None = None
) -> list[tuple[int, int]]:
    """The tiles (row block, column block) that are computed, in order; the others are skipped.

    Without a causal rule all ⌈T/rows⌉ · ⌈S/columns⌉. With one, row block i needs the keys up to its last
    query's position p, so ⌊p/columns⌋ + 1 tiles.

    >>> visited(4, keys=4, rows=2, columns=1, causal="top_left")
    [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]
    """
    return list(_visits(queries, keys, (rows, columns), causal))


def _visits(queries: int, keys: int, size: tuple[int, int], causal: str | None) -> Iterator[tuple[int, int]]:
    for name, count in zip(("rows", "columns"), size, strict=True):
        if count < 1:
            raise ShapeError(name, str(count), "at least 1")
    return _in_order(queries, keys, size, causal, masks.offset_of(causal, queries, keys))


def _in_order(
    queries: int, keys: int, size: tuple[int, int], causal: str | None, offset: int
) -> Iterator[tuple[int, int]]:
    rows, columns = size
    for start in range(0, queries, rows):
        needed = keys
        if causal is not None:
            needed = min(keys, max(0, min(start + rows, queries) + offset))
        for column in range(-(-needed // columns)):
            yield start // rows, column


def tile_count(queries: int, *, keys: int, rows: int, columns: int, causal: str | None = None) -> int:
    """How many tiles are computed.

    >>> tile_count(8, keys=8, rows=4, columns=2), tile_count(8, keys=8, rows=4, columns=2, causal="top_left")
    (8, 6)
    """
    return len(visited(queries, keys=keys, rows=rows, columns=columns, causal=causal))


def steps(
    q: Array,
    k: Array,
    v: Array,
    *,
    causal: str | None = None,
    scale: float | None = None,
    rows: int = 64,
    columns: int = 64,
) -> Iterator[Tile]:
    """Every visited tile in order, with its scores and the state of its queries after it.

    q (..., H, T, D), k (..., G, S, D), v (..., G, S, Dv), or (length, width) each; `causal` and `scale` as
    for `attention`. Refused: what `attention` refuses, and tiles without rows or columns.

    >>> q, keys, values = [[1.0]], [[2.0], [1.0], [3.0]], [[1.0], [0.0], [0.0]]
    >>> [float(tile.state.maximum[0, 0]) for tile in steps(q, keys, values, columns=2)]
    [2.0, 3.0]
    """
    inputs = read_inputs(q, k, v, {"scale": scale})
    size = (rows, columns)
    return _walk(inputs, _visits(inputs.q.shape[-2], inputs.k.shape[-2], size, causal), size, causal)


def _walk(
    inputs: Inputs, tiles: Iterator[tuple[int, int]], size: tuple[int, int], causal: str | None
) -> Iterator[Tile]:
    queries, keys = inputs.q.shape[-2], inputs.k.shape[-2]
    offset = masks.offset_of(causal, queries, keys)
    state = None
    for row, column in tiles:
        r = (row * size[0], min((row + 1) * size[0], queries))
        c = (column * size[1], min((column + 1) * size[1], keys))
        scores = _scores(inputs, r, c)
        if causal is not None and c[1] - 1 > r[0] + offset:  # the tile crosses the diagonal
            scores = _hide_later(scores, r[0] + offset - c[0], inputs.xp)
        before = None if column == 0 else state
        state = absorb(before, scores, inputs.v[..., c[0] : c[1], :], xp=inputs.xp)
        yield Tile(rows=r, columns=c, scores=scores, state=state)


def _scores(inputs: Inputs, rows: tuple[int, int], columns: tuple[int, int]) -> Array:
    q, k = inputs.q[..., rows[0] : rows[1], :], inputs.k[..., columns[0] : columns[1], :]
    with np.errstate(over="ignore", invalid="ignore"):  # told below
        scores = q @ k.mT * inputs.scale
    if not all_finite(scores, inputs.xp):
        raise NumericalError("q, k", f"scores beyond {scores.dtype}", "products that the dtype can hold")
    return scores


def _hide_later(scores: Array, diagonal: int, xp: Namespace) -> Array:
    """−∞ at the keys after each query; `diagonal`: position of query 0, counted from key 0 of the tile."""
    row, column = masks.positions(scores.shape[-2], scores.shape[-1], diagonal, like=scores, xp=xp)
    return xp.where(column <= row, scores, -xp.inf)


def flash(
    q: Array,
    k: Array,
    v: Array,
    *,
    causal: str | None = None,
    scale: float | None = None,
    rows: int = 64,
    columns: int = 64,
) -> tuple[Array, Array]:
    """`attention(q, k, v, causal=…, scale=…)` by tiles: (output (..., H, T, Dv), log-sum-exp (..., H, T)).

    Arguments as for `steps`. The log-sum-exp ln Σ_j e^{s_ij} is what the backward pass needs to make the
    weights again; a query that sees no key has output 0 and log-sum-exp −∞. The output has the inputs' dtype;
    16-bit floats are computed, and their log-sum-exp returned, in float32.

    >>> output, lse = flash([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]], columns=1)
    >>> output.tolist(), round(float(lse[0]), 6)
    ([[3.0]], 0.693147)
    """
    inputs = read_inputs(q, k, v, {"scale": scale})
    size = (rows, columns)
    length = inputs.q.shape[-2]
    tiles = _visits(length, inputs.k.shape[-2], size, causal)
    xp = inputs.xp
    last = {tile.rows: tile.state for tile in _walk(inputs, tiles, size, causal)}  # one state a row block
    outputs, sums = [], []
    for start in range(0, max(length, 1), rows):
        stop = min(start + rows, length)
        state = last.pop((start, stop), None) or _unseen(inputs, start, stop)
        outputs.append(cast_to(state.output, inputs.dtype, xp))
        sums.append(state.log_sum_exp)
    return xp.concat(outputs, axis=-2), xp.concat(sums, axis=-1)


def _unseen(inputs: Inputs, start: int, stop: int) -> State:
    """The state of queries that no tile was visited for: nothing summed, and a maximum of −∞."""
    xp, like = inputs.xp, {"dtype": inputs.q.dtype, "device": inputs.q.device}
    batch = np.broadcast_shapes(*(array.shape[:-2] for array in (inputs.q, inputs.k, inputs.v)))
    shape = (*batch, stop - start)
    nothing = xp.zeros((*shape, 1), **like)
    weighted = xp.zeros((*shape, inputs.v.shape[-1]), **like)
    return State(maximum=nothing - xp.inf, total=nothing, weighted=weighted, xp=xp)
