"""How large the Triton kernel's blocks are: what is tried on a card, and the one choice for the interpreter.

A block of queries stays in shared memory beside `stages` blocks of keys and values; a card of compute
capability 9.0 has 232,448 bytes of it for a program, and registers run out sooner: what does not fit is found
on any machine by compiling ahead of time (`python -m attention_core.kernels.compiling`).
"""

from dataclasses import dataclass

NARROWEST = 16  # the smallest side that the card's matrix instruction takes


@dataclass(frozen=True)
class Tile:
    """`rows` queries by `columns` keys, run by `warps` warps of 32 threads, `stages` blocks being loaded."""

    rows: int
    columns: int
    warps: int
    stages: int


INTERPRETED = Tile(rows=32, columns=32, warps=4, stages=1)

# By the widest head that they serve. 16-bit floats go through the tensor cores; float32 does not (exact
# products are promised), and every thread then holds more numbers. Reading a mask takes registers too.
_TILES: dict[tuple[int, bool], dict[int, tuple[Tile, ...]]] = {
    (2, False): {
        64: (Tile(128, 128, 8, 2), Tile(128, 128, 8, 3), Tile(128, 64, 8, 3), Tile(64, 64, 4, 3)),
        128: (Tile(128, 128, 8, 2), Tile(128, 64, 8, 3), Tile(128, 64, 8, 2), Tile(64, 64, 4, 2)),
        256: (Tile(64, 64, 8, 2), Tile(128, 32, 8, 2), Tile(64, 32, 4, 2)),
    },
    (2, True): {
        32: (Tile(64, 64, 8, 2), Tile(128, 32, 8, 2), Tile(64, 32, 4, 2)),
        64: (Tile(128, 64, 8, 3), Tile(64, 64, 4, 3)),
        128: (Tile(64, 64, 8, 2), Tile(128, 32, 8, 2), Tile(64, 32, 4, 2)),
        256: (Tile(64, 32, 8, 2),),
    },
    (4, False): {
        64: (Tile(64, 32, 8, 2), Tile(32, 64, 8, 2), Tile(32, 32, 4, 2)),
        128: (Tile(32, 16, 8, 2), Tile(16, 32, 8, 2)),
        256: (Tile(32, 16, 8, 2), Tile(16, 32, 8, 2)),
    },
    (4, True): {
        64: (Tile(32, 32, 4, 2),),
        128: (Tile(32, 16, 8, 2), Tile(32, 32, 4, 2)),
        256: (Tile(32, 16, 8, 2), Tile(16, 32, 8, 2)),
    },
}


def tiles_for(width: int, itemsize: int, *, masked: bool = False) -> tuple[Tile, ...]:
    """What to try for heads of this width (of keys or values, the wider) in floats of this many bytes.

    >>> tiles_for(80, 2)[0]
    Tile(rows=128, columns=128, warps=8, stages=2)
    """
    return next(tiles for widest, tiles in _TILES[itemsize, masked].items() if width <= widest)


def padded(width: int) -> int:
    """The next power of two, and at least 16: blocks have no other sides.

    >>> padded(5), padded(64), padded(80)
    (16, 64, 128)
    """
    return max(NARROWEST, 1 << (width - 1).bit_length())


def constants_of(width: int, value_width: int, itemsize: int) -> dict[str, int | str]:
    """What the kernel must know when it is compiled: widths, their padding, how products are rounded."""
    return {
        "D": width,
        "DV": value_width,
        "BLOCK_D": padded(width),
        "BLOCK_DV": padded(value_width),
        "PRECISION": "ieee" if itemsize == 4 else "tf32",  # 16-bit products are exact either way
    }
