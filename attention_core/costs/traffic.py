"""What moves between memory and processor, and whether moving or computing takes longer.

For one head, in bytes; multiply by B · H. FlashAttention does the same FLOPs (and some more) with less
traffic: Θ(N²d²/M) against Θ(Nd + N²) for an on-chip memory of M elements (Dao et al. 2022, theorem 2).
"""

from attention_core.costs.counting import product
from attention_core.errors import NumericalError, ShapeError


def least_traffic_bytes(*, queries: int, keys: int, width: int, itemsize: int) -> int:
    """Q, K, V read once and O written once: (2T + 2S) · D · bytes. No exact attention moves less.

    >>> least_traffic_bytes(queries=4096, keys=4096, width=64, itemsize=2)
    2097152
    """
    rows = product(of=2, queries=queries) + product(of=2, keys=keys)
    return product(rows=rows, width=width, itemsize=itemsize)


def naive_traffic_bytes(*, queries: int, keys: int, width: int, itemsize: int) -> int:
    """The least, and 4 · T · S: scores written and read, weights written and read.

    >>> naive_traffic_bytes(queries=4096, keys=4096, width=64, itemsize=2)
    136314880
    """
    pairs = product(of=4, queries=queries, keys=keys, itemsize=itemsize)
    return pairs + least_traffic_bytes(queries=queries, keys=keys, width=width, itemsize=itemsize)


def tiled_traffic_bytes(*, queries: int, keys: int, width: int, itemsize: int, rows: int) -> int:
    """Q read and O written once, K and V read once for each block of `rows` queries (before any cache hit).

    >>> tiled_traffic_bytes(queries=4096, keys=4096, width=64, itemsize=2, rows=128)
    34603008
    """
    if product(rows=rows) == 0:
        raise ShapeError("rows", "0", "at least 1")
    blocks = -(-product(queries=queries) // rows)
    own, other = product(of=2, queries=queries), product(of=2, keys=keys, blocks=blocks)
    return product(moved=own + other, width=width, itemsize=itemsize)


def tile_bytes(*, rows: int, columns: int, width: int, itemsize: int, stages: int = 1) -> int:
    """On-chip bytes of a tile: (rows + 2 · stages · columns) · D · bytes; `stages` buffers of K and V.

    A block of threads on an H100 or H200 may have 232,448.

    >>> tile_bytes(rows=128, columns=64, width=64, itemsize=2)
    32768
    """
    lines = product(rows=rows) + product(of=2, stages=stages, columns=columns)
    return product(lines=lines, width=width, itemsize=itemsize)


def arithmetic_intensity(*, flops: int, moved: int) -> float:
    """FLOPs for each byte moved.

    >>> arithmetic_intensity(flops=4096, moved=128)
    32.0
    """
    if product(moved=moved) == 0:
        raise ShapeError("moved", "0", "at least 1 byte")
    return product(flops=flops) / moved


def decode_intensity(*, heads: int, kv_heads: int, itemsize: int) -> float:
    """2H / (G · bytes) FLOPs a byte: one query over a long cache, whose keys and values are each read once.

    4·H·S·D FLOPs over 2·G·S·D·bytes: the length does not matter. In 16-bit formats it is H/G.

    >>> decode_intensity(heads=64, kv_heads=8, itemsize=2)
    8.0
    """
    moved = product(kv_heads=kv_heads, itemsize=itemsize)
    if moved == 0:
        raise ShapeError("kv_heads, itemsize", f"{kv_heads}, {itemsize}", "at least 1 each")
    return product(of=2, heads=heads) / moved


def ridge_intensity(*, peak_flops: float, bandwidth: float) -> float:
    """Peak FLOP/s over bytes/s: below this many FLOPs a byte the memory is what one waits for.

    >>> round(ridge_intensity(peak_flops=989e12, bandwidth=4.8e12))
    206
    """
    if not (peak_flops > 0 and bandwidth > 0):
        raise NumericalError("peak_flops, bandwidth", f"{peak_flops}, {bandwidth}", "numbers > 0")
    return peak_flops / bandwidth


def attainable_flops(*, intensity: float, peak_flops: float, bandwidth: float) -> float:
    """min(peak, intensity · bandwidth): the roofline (Williams et al. 2009), FLOP/s.

    >>> attainable_flops(intensity=31.5, peak_flops=989e12, bandwidth=4.8e12) / 1e12
    151.20000000000002
    """
    return peak_flops * min(1.0, intensity / ridge_intensity(peak_flops=peak_flops, bandwidth=bandwidth))
