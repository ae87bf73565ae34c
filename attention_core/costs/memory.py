"""Bytes of one attention call: its inputs, its matrix of scores, its peak, and what measuring it needs."""

from attention_core.costs.counting import itemsize as bytes_of
from attention_core.costs.counting import product
from attention_core.errors import ShapeError

CHECKED_ROWS = 64  # query rows that a measurement compares with the float64 reference


def score_matrix_bytes(*, batch: int, heads: int, queries: int, keys: int, itemsize: int) -> int:
    """B · H · T · S · bytes: one score for every pair, quadratic in the length.

    >>> score_matrix_bytes(batch=1, heads=32, queries=4096, keys=4096, itemsize=2) == 2**30
    True
    """
    return product(batch=batch, heads=heads, queries=queries, keys=keys, itemsize=itemsize)


def qkv_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """The inputs: B · H · (T + 2S) · D · bytes.

    >>> qkv_bytes(batch=1, heads=8, queries=128, keys=128, width=64, itemsize=2)
    393216
    """
    rows = product(queries=queries) + product(of=2, keys=keys)
    return product(batch=batch, heads=heads, rows=rows, width=width, itemsize=itemsize)


def output_bytes(*, batch: int, heads: int, queries: int, width: int, itemsize: int) -> int:
    """The output: B · H · T · D · bytes.

    >>> output_bytes(batch=1, heads=8, queries=128, width=64, itemsize=2)
    131072
    """
    return product(batch=batch, heads=heads, queries=queries, width=width, itemsize=itemsize)


def naive_peak_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """Beyond the inputs: scores and weights at once, 2 · B · H · T · S · bytes, and the output.

    >>> naive_peak_bytes(batch=1, heads=8, queries=128, keys=128, width=64, itemsize=2)
    655360
    """
    matrix = score_matrix_bytes(batch=batch, heads=heads, queries=queries, keys=keys, itemsize=itemsize)
    return 2 * matrix + output_bytes(
        batch=batch, heads=heads, queries=queries, width=width, itemsize=itemsize
    )


def math_peak_bytes(*, batch: int, heads: int, queries: int, keys: int, width: int, itemsize: int) -> int:
    """PyTorch's "math" path: as naive, in float32 at least, and a byte a pair for its row test.

    >>> math_peak_bytes(batch=1, heads=8, queries=128, keys=128, width=64, itemsize=2)
    2359296
    """
    pairs = product(batch=batch, heads=heads, queries=queries, keys=keys)
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
    """The output and one float32 log-sum-exp a row: B · H · T · (D · bytes + 4), linear in the length.

    >>> flash_peak_bytes(batch=1, heads=8, queries=128, keys=128, width=64, itemsize=2)
    135168
    """
    product(keys=keys)
    rows = product(batch=batch, heads=heads, queries=queries)
    return rows * (product(width=width, itemsize=itemsize) + 4)


PEAKS = {
    "naive": naive_peak_bytes,
    "math": math_peak_bytes,
    "flash": flash_peak_bytes,
    "efficient": flash_peak_bytes,
    "cudnn": flash_peak_bytes,
    "triton_flash": flash_peak_bytes,
}


def peak_bytes(backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str) -> int:
    """What one call of this backend is predicted to need beyond its inputs, for T = S = length.

    >>> peak_bytes("flash", batch=1, heads=8, length=128, width=64, dtype="float16")
    135168
    """
    if backend not in PEAKS:
        raise ShapeError("backend", repr(backend), " or ".join(PEAKS))
    return PEAKS[backend](
        batch=batch, heads=heads, queries=length, keys=length, width=width, itemsize=bytes_of(dtype)
    )


def predicted_bytes(backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str) -> int:
    """What measuring this point needs at most at one time: the admission check compares it with what is free.

    Inputs, plus the larger of the call's own peak and the check against the reference: keys and values in
    float64, and four float64 matrices of scores for the checked rows.

    >>> predicted_bytes("flash", batch=1, heads=8, length=128, width=64, dtype="float16")
    3932160
    """
    size = bytes_of(dtype)
    inputs = qkv_bytes(batch=batch, heads=heads, queries=length, keys=length, width=width, itemsize=size)
    rows = min(length, CHECKED_ROWS)
    output = output_bytes(batch=batch, heads=heads, queries=length, width=width, itemsize=size)
    checking = output + qkv_bytes(
        batch=batch, heads=heads, queries=rows, keys=length, width=width, itemsize=8
    )
    checking += 4 * score_matrix_bytes(batch=batch, heads=heads, queries=rows, keys=length, itemsize=8)
    peak = peak_bytes(backend, batch=batch, heads=heads, length=length, width=width, dtype=dtype)
    return inputs + max(peak, checking)
