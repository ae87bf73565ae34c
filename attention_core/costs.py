"""What attention costs, as exact integers: bytes, FLOPs, pairs. One multiply-add counts as 2 FLOPs.

B batch, H query heads, T queries, S keys, D head width. Everything is keyword-only, so that no two counts
can be exchanged unseen.
"""

from attention_core.errors import ShapeError
from attention_core.masks import offset_of

ITEMSIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
CHECKED_ROWS = 64  # query rows that a measurement compares with the float64 reference


def _product(*, of: int = 1, **counts: int) -> int:
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ShapeError(name, repr(count), "a whole number ≥ 0")
        of *= count
    return of


def itemsize(dtype: str) -> int:
    """Bytes of one element: 2 for float16 and bfloat16, 4 for float32, 8 for float64."""
    if dtype not in ITEMSIZES:
        raise ShapeError("dtype", repr(dtype), " or ".join(ITEMSIZES))
    return ITEMSIZES[dtype]


def kv_cache_bytes(
    *, layers: int, batch: int, length: int, kv_heads: int, head_width: int, itemsize: int
) -> int:
    """2 · L · B · S · G · D · bytes: a key and a value for every token, layer and key/value head.

    Llama-2-7B (32 layers, 32 heads of 128) at 2,048 tokens in float16 is exactly 1 GiB:

    >>> kv_cache_bytes(layers=32, batch=1, length=2048, kv_heads=32, head_width=128, itemsize=2) == 2**30
    True
    """
    return _product(
        of=2,
        layers=layers,
        batch=batch,
        length=length,
        kv_heads=kv_heads,
        head_width=head_width,
        itemsize=itemsize,
    )


def score_matrix_bytes(*, batch: int, heads: int, queries: int, keys: int, itemsize: int) -> int:
    """B · H · T · S · bytes: one score for every pair, quadratic in the length.

    >>> score_matrix_bytes(batch=1, heads=32, queries=4096, keys=4096, itemsize=2) == 2**30
    True
    """
    return _product(batch=batch, heads=heads, queries=queries, keys=keys, itemsize=itemsize)


def qkv_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """The inputs: B · H · (T + 2S) · D · bytes."""
    rows = _product(queries=queries) + _product(of=2, keys=keys)
    return _product(batch=batch, heads=heads, rows=rows, width=width, itemsize=itemsize)


def output_bytes(*, batch: int, heads: int, queries: int, width: int, itemsize: int) -> int:
    """The output: B · H · T · D · bytes."""
    return _product(batch=batch, heads=heads, queries=queries, width=width, itemsize=itemsize)


def visible_pairs(queries: int, *, keys: int, causal: str | None = None) -> int:
    """How many (query, key) pairs may attend: T·S, or with a causal rule Σ_i clip(i + 1 + offset, 0, S),
    exactly.

    >>> visible_pairs(4, keys=10, causal="top_left"), visible_pairs(4, keys=10, causal="bottom_right")
    (10, 34)
    """
    everything = _product(queries=queries, keys=keys)
    if causal is None:
        return everything
    first = offset_of(causal, queries, keys)
    return _triangle(queries + first) - _triangle(first) - _triangle(queries + first - keys)


def _triangle(n: int) -> int:
    return n * (n + 1) // 2 if n > 0 else 0


def attention_flops(
    *, batch: int, heads: int, queries: int, keys: int, width: int, causal: str | None = None
) -> int:
    """Forward FLOPs of Q Kᵀ and A V: 4 · B · H · D for each pair that may attend (softmax not counted).

    With a causal rule only the visible pairs count, exactly, not "half the square".
    """
    pairs = visible_pairs(queries, keys=keys, causal=causal)
    return _product(of=4, batch=batch, heads=heads, width=width, pairs=pairs)


def naive_peak_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """Beyond the inputs: scores and weights at once, 2 · B · H · T · S · bytes, and the output."""
    matrix = score_matrix_bytes(batch=batch, heads=heads, queries=queries, keys=keys, itemsize=itemsize)
    return 2 * matrix + output_bytes(
        batch=batch, heads=heads, queries=queries, width=width, itemsize=itemsize
    )


def math_peak_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """PyTorch's "math" path: as naive, in float32 at least, and a byte a pair for its row test."""
    pairs = _product(batch=batch, heads=heads, queries=queries, keys=keys)
    wide = max(itemsize, 4)
    copies = 0
    if wide > itemsize:
        copies = qkv_bytes(
            batch=batch, heads=heads, queries=queries, keys=keys, width=width, itemsize=wide
        ) + output_bytes(batch=batch, heads=heads, queries=queries, width=width, itemsize=wide)
    return (
        pairs
        + copies
        + 2 * wide * pairs
        + output_bytes(batch=batch, heads=heads, queries=queries, width=width, itemsize=itemsize)
    )


def flash_peak_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """The output and one float32 log-sum-exp a row: B · H · T · (D · bytes + 4), linear in the length."""
    _product(keys=keys)
    rows = _product(batch=batch, heads=heads, queries=queries)
    return rows * (_product(width=width, itemsize=itemsize) + 4)


PEAKS = {"naive": naive_peak_bytes, "math": math_peak_bytes, "flash": flash_peak_bytes}


def peak_bytes(backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str) -> int:
    """What one call of this backend is predicted to need beyond its inputs, for T = S = length."""
    if backend not in PEAKS:
        raise ShapeError("backend", repr(backend), " or ".join(PEAKS))
    return PEAKS[backend](
        batch=batch, heads=heads, queries=length, keys=length, width=width, itemsize=itemsize(dtype)
    )


def predicted_bytes(backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str) -> int:
    """What measuring this point needs at most at one time: the admission check compares it with what is free.

    Inputs, plus the larger of the call's own peak and the check against the reference: keys and values in
    float64, and four float64 matrices of scores for the checked rows.
    """
    size = itemsize(dtype)
    inputs = qkv_bytes(batch=batch, heads=heads, queries=length, keys=length, width=width, itemsize=size)
    rows = min(length, CHECKED_ROWS)
    output = output_bytes(batch=batch, heads=heads, queries=length, width=width, itemsize=size)
    checking = output + qkv_bytes(
        batch=batch, heads=heads, queries=rows, keys=length, width=width, itemsize=8
    )
    checking += 4 * score_matrix_bytes(batch=batch, heads=heads, queries=rows, keys=length, itemsize=8)
    peak = peak_bytes(backend, batch=batch, heads=heads, length=length, width=width, dtype=dtype)
    return inputs + max(peak, checking)
