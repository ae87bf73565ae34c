"""The longest sequence that a memory takes, by the law of each backend's peak."""

from attention_core.costs.counting import product
from attention_core.costs.memory import peak_bytes


def longest_length(backend: str, *, memory: int, batch: int, heads: int, width: int, dtype: str) -> int:
    """The largest n whose peak beyond the inputs is at most `memory` bytes; 0 when not even one token fits.

    Where the peak grows with n², four times the memory only doubles it; where it grows with n, it quadruples:

    >>> shape = {"batch": 1, "heads": 32, "width": 128, "dtype": "float32"}
    >>> [longest_length("naive", memory=m * 2**20, **shape) for m in (16, 64, 256)]
    [225, 480, 992]
    >>> [longest_length("flash", memory=m * 2**20, **shape) for m in (16, 64, 256)]
    [1016, 4064, 16256]
    """
    product(memory=memory)

    def fits(length: int) -> bool:
        shape = {"batch": batch, "heads": heads, "width": width}
        return peak_bytes(backend, length=length, dtype=dtype, **shape) <= memory

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
