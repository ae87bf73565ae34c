"""Counts are whole numbers ≥ 0, refused by name otherwise; sizes of the number formats."""

from attention_core.errors import ShapeError

ITEMSIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


def product(*, of: int = 1, **counts: int) -> int:
    """of · count · count · …, each count checked under its name.

    >>> product(of=2, heads=8, width=64)
    1024
    """
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ShapeError(name, repr(count), "a whole number ≥ 0")
        of *= count
    return of


def itemsize(dtype: str) -> int:
    """Bytes of one element: 2 for float16 and bfloat16, 4 for float32, 8 for float64.

    >>> itemsize("bfloat16")
    2
    """
    if dtype not in ITEMSIZES:
        raise ShapeError("dtype", repr(dtype), " or ".join(ITEMSIZES))
    return ITEMSIZES[dtype]
