"""FlashAttention's forward pass as one Triton kernel: `tiling` on a GPU, a program for each block of queries.

A program holds its queries and walks over the keys in blocks, with the running maximum m, sum l and output o
of `tiling`. Scores are kept in base 2 (multiplied by log₂ e beforehand), because 2^x is the instruction that
the card has. Blocks in which every query sees every key need no test at all, so the walk has two parts: the
plain blocks, then the edge, where the causal rule, the caller's mask or the end of the keys hide something.

Nothing imports torch here. Triton decides when a function is decorated whether it will be compiled or
interpreted: set TRITON_INTERPRET=1 in the environment before this module is imported to run it on a CPU.

Sources: Dao 2023, "FlashAttention-2", algorithm 1; Milakov & Gimelshein 2018 for the running sum.
"""

import os

import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"

LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def _absorb(  # type: ignore[no-untyped-def]
    state,
    q,
    k_start,
    v_start,
    mask_row,
    t,
    keys,
    diagonal,
    scale,
    start,
    stop,
    EDGE: tl.constexpr,
    CAUSAL: tl.constexpr,
    MASKED: tl.constexpr,
    D: tl.constexpr,
    DV: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_DV: tl.constexpr,
    BLOCK_S: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Take the keys from `start` to `stop` into (m, l, o), a block at a time."""
    m, l, o = state  # noqa: E741
    d = tl.arange(0, BLOCK_D)
    dv = tl.arange(0, BLOCK_DV)
    for first in tl.range(start, stop, BLOCK_S):
        s = first + tl.arange(0, BLOCK_S)
        inside = (s < keys) if EDGE else (s >= 0)
        k = _loaded(
            k_start + s[None, :] * D + d[:, None], inside[None, :], d[:, None] < D, EDGE, D != BLOCK_D
        )
        products = tl.dot(q, k, input_precision=PRECISION)
        if EDGE:
            sees = inside[None, :]
            if CAUSAL:
                sees = sees & (s[None, :] <= t[:, None] + diagonal)
            if MASKED:
                sees = sees & (tl.load(mask_row[:, None] + s[None, :], mask=inside[None, :], other=0) != 0)
            scores = tl.where(sees, products * scale, -float("inf"))
            new = tl.maximum(m, tl.max(scores, 1))
            base = tl.where(new == -float("inf"), 0.0, new)  # nothing seen yet: −∞ − (−∞) would be NaN
            p = tl.exp2(scores - base[:, None])
        else:
            new = tl.maximum(m, tl.max(products, 1) * scale)
            base = new
            p = tl.exp2(products * scale - base[:, None])
        shrink = tl.exp2(m - base)
        l = l * shrink + tl.sum(p, 1)  # noqa: E741
        v = _loaded(
            v_start + s[:, None] * DV + dv[None, :], inside[:, None], dv[None, :] < DV, EDGE, DV != BLOCK_DV
        )
        o = tl.dot(p.to(v.dtype), v, o * shrink[:, None], input_precision=PRECISION)
        m = new
    return m, l, o


@triton.jit
def _loaded(pointers, rows, columns, RAGGED: tl.constexpr, NARROW: tl.constexpr):  # type: ignore[no-untyped-def]
    """A block; zeros past the end of the keys (`RAGGED`) and of the width (`NARROW`), unread."""
    if RAGGED and NARROW:
        return tl.load(pointers, mask=rows & columns, other=0.0)
    if RAGGED:
        return tl.load(pointers, mask=rows, other=0.0)
    if NARROW:
        return tl.load(pointers, mask=columns, other=0.0)
    return tl.load(pointers)


@triton.jit
def attend(  # type: ignore[no-untyped-def]
    q_at,
    k_at,
    v_at,
    mask_at,
    output_at,
    lse_at,
    heads,
    groups,
    queries,
    keys,
    mask_batch,
    mask_head,
    mask_query,
    diagonal,
    scale,
    CAUSAL: tl.constexpr,
    MASKED: tl.constexpr,
    D: tl.constexpr,
    DV: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_DV: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_S: tl.constexpr,
):
    """q (B, H, T, D), k (B, G, S, D), v (B, G, S, DV), output (B, H, T, DV), lse (B, H, T), all contiguous.

    The grid is (⌈T / BLOCK_T⌉, B·H). Query t sees key s when s ≤ t + `diagonal` (CAUSAL) and the mask, found
    by its strides, is not 0 (MASKED). `scale` is |scale| · log₂ e; a negative scale comes as negated queries.
    """
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # the longest walks first
    head = tl.program_id(1)
    group = head // heads * groups + head % heads // (heads // groups)
    first = block * BLOCK_T
    t = first + tl.arange(0, BLOCK_T)
    d = tl.arange(0, BLOCK_D)
    dv = tl.arange(0, BLOCK_DV)
    rows = head.to(tl.int64) * queries + t
    real = t < queries
    q = tl.load(q_at + rows[:, None] * D + d[None, :], mask=real[:, None] & (d[None, :] < D), other=0.0)
    k_start = k_at + group.to(tl.int64) * keys * D
    v_start = v_at + group.to(tl.int64) * keys * DV
    mask_row = mask_at
    if MASKED:
        shared = (head // heads).to(tl.int64) * mask_batch + (head % heads).to(tl.int64) * mask_head
        mask_row = mask_at + shared + tl.minimum(t, queries - 1).to(tl.int64) * mask_query
    stop = keys
    plain = keys // BLOCK_S * BLOCK_S
    if CAUSAL:
        stop = tl.minimum(keys, tl.maximum(0, first + BLOCK_T + diagonal))
        plain = tl.minimum(keys, tl.maximum(0, first + diagonal + 1)) // BLOCK_S * BLOCK_S
    m = tl.full([BLOCK_T], -float("inf"), tl.float32)
    l = tl.zeros([BLOCK_T], tl.float32)  # noqa: E741
    o = tl.zeros([BLOCK_T, BLOCK_DV], tl.float32)
    state = (m, l, o)
    if MASKED:
        plain = 0
    else:
        state = _absorb(
            state, q, k_start, v_start, mask_row, t, keys, diagonal, scale, 0, plain,
            False, CAUSAL, MASKED, D, DV, BLOCK_D, BLOCK_DV, BLOCK_S, PRECISION,
        )  # fmt: skip
    m, l, o = _absorb(  # noqa: E741
        state, q, k_start, v_start, mask_row, t, keys, diagonal, scale, plain, stop,
        True, CAUSAL, MASKED, D, DV, BLOCK_D, BLOCK_DV, BLOCK_S, PRECISION,
    )  # fmt: skip
    blind = l == 0.0
    o = o / tl.where(blind, 1.0, l)[:, None]
    lse = tl.where(blind, -float("inf"), (m + tl.log2(tl.where(blind, 1.0, l))) * LN_2)
    tl.store(
        output_at + rows[:, None] * DV + dv[None, :],
        o.to(output_at.dtype.element_ty),
        mask=real[:, None] & (dv[None, :] < DV),
    )
    tl.store(lse_at + rows, lse, mask=real)
