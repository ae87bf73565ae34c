"""Positions: attention alone cannot tell the order of its tokens, so order is written in.

    sinusoidal   added to the embeddings: a wave of its own frequency for each pair of columns
    rotary       q and k are turned by an angle that grows with the position; q·k then depends on the distance
    ALiBi        a penalty on the scores that grows with the distance; nothing is added to the tokens

Pair i of a width d turns with the frequency base^{−2i/d}: the first pair fastest, and sine and cosine of a
pair share it. Angles are always float64, whatever the dtype of x: in 16 bits position 2049 is position 2048,
and in float32 an angle of 100,000 is known to no better than 0.004.
"""

from typing import Any

import numpy as np

from attention_core.arrays import (
    Array,
    Namespace,
    cast_to,
    check_finite,
    counting,
    namespace_of,
    read_floats,
    shape_of,
    working_dtype,
)
from attention_core.errors import NumericalError, ShapeError

_PLAIN = (np.ndarray, np.generic, list, tuple, range, int, float)


def sinusoidal(positions: Array, width: int) -> Array:
    """PE(p, 2i) = sin(p / 10000^{2i/d}),  PE(p, 2i + 1) = cos(p / 10000^{2i/d}).

    positions (...); returns (..., width), float64 for whole-number positions, else in their dtype. An odd
    width ends on a sine. PE(p) · PE(q) depends on p − q only, and its own length is √(d/2) for an even d.

    Raises ShapeError for a width below 1, NumericalError for positions that are not finite numbers.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal([0, 1], 4).round(4).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.8415, 0.5403, 0.01, 1.0]]
    """
    if width < 1:
        raise ShapeError("width", str(width), "at least 1")
    places, xp = _read_positions(positions, like=None)
    angles = _angles(places, width, 10000.0, xp)
    waves = xp.stack([xp.sin(angles), xp.cos(angles)], axis=-1)  # (..., pairs, 2)
    side_by_side = xp.reshape(waves, (*shape_of(places), 2 * angles.shape[-1]))
    return cast_to(side_by_side[..., :width], places.dtype, xp)


def rope(
    x: Array,
    positions: Array,
    *,
    base: float = 10000.0,
    interleaved: bool = False,
    rotary_dim: int | None = None,
) -> Array:
    """Turn pair i of each row by its position times base^{−2i/r}: (a, b) → (a cos − b sin, a sin + b cos).

    x (..., n, D), queries or keys; positions (n,), or (B, n) with a row for each sample, or whatever spreads
    over (..., n). Returns x's shape and dtype. Then ⟨rope(q, m), rope(k, n)⟩ depends on m − n only.

    interleaved   False: pairs are (i, i + r/2), as in Llama and GPT-NeoX; True: (2i, 2i + 1), as in the paper
                  and GPT-J. Weights trained for one are wrong for the other, though position 0 hides it.
    rotary_dim    r, even: only the first r columns turn (partial rotary); the whole width unless given

    Raises ShapeError for an odd or too large r and for positions that do not fit, NumericalError for numbers
    that are not finite and for a base that is not above 0.
    Source: Su et al. 2021, "RoFormer", section 3.2.2.

    >>> rope([[1.0, 0.0], [1.0, 0.0]], [0, 1]).round(4).tolist()
    [[1.0, 0.0], [0.5403, 0.8415]]
    """
    xp = namespace_of(x=x)
    x = read_floats("x", x, xp)
    if x.ndim < 2:
        raise ShapeError("x", f"shape {shape_of(x)}", "(..., length, width)")
    width = int(x.shape[-1])
    turning = width if rotary_dim is None else rotary_dim
    if turning < 2 or turning % 2 or turning > width:
        name = "x" if rotary_dim is None else "rotary_dim"
        given = f"width {width}" if rotary_dim is None else str(rotary_dim)
        raise ShapeError(name, given, f"an even number of columns to turn, from 2 to the width {width}")
    if not 0 < base < float("inf"):
        raise NumericalError("base", repr(base), "a finite number > 0")
    places, xp = _read_positions(positions, like=x)
    angles = _angles(_spread(places, shape_of(x)[:-1], xp), turning, float(base), xp)
    return rotate(x, xp.cos(angles), xp.sin(angles), interleaved=interleaved)


def rotate(x: Array, cosines: Array, sines: Array, *, interleaved: bool = False) -> Array:
    """`rope` from a table: x (..., n, D); cosines and sines (..., n, r/2), as a cache holds them.

    16-bit floats are turned in float32 and rounded once.

    >>> rotate([[1.0, 2.0]], [[0.0]], [[1.0]]).tolist()
    [[-2.0, 1.0]]
    """
    xp = namespace_of(x=x, cosines=cosines, sines=sines)
    x, table = read_floats("x", x, xp), {"cosines": cosines, "sines": sines}
    check_finite("x", x, xp)
    dtype, result = working_dtype((x,), xp)
    for name, value in table.items():
        value = read_floats(name, value, xp)
        _check_table(name, shape_of(value), shape_of(x))
        table[name] = cast_to(value, dtype, xp)
    cosines, sines = table["cosines"], table["sines"]
    if cosines.shape[-1] != sines.shape[-1]:
        raise ShapeError("sines", f"{sines.shape[-1]} pairs", f"{cosines.shape[-1]} pairs, as cosines has")
    pairs = int(cosines.shape[-1])
    x = cast_to(x, dtype, xp)
    first, second = _pairs(x, pairs, interleaved)
    turned = (first * cosines - second * sines, first * sines + second * cosines)
    if interleaved:
        together = xp.reshape(xp.stack(turned, axis=-1), (*shape_of(x)[:-1], 2 * pairs))
    else:
        together = xp.concat(turned, axis=-1)
    return cast_to(xp.concat((together, x[..., 2 * pairs :]), axis=-1), result, xp)


def _pairs(x: Array, pairs: int, interleaved: bool) -> tuple[Array, Array]:
    if interleaved:
        return x[..., 0 : 2 * pairs : 2], x[..., 1 : 2 * pairs : 2]
    return x[..., :pairs], x[..., pairs : 2 * pairs]


def alibi_slopes(heads: int) -> "np.ndarray[Any, Any]":
    """m_h = 2^{−8h/H}, h = 1 … H, for a power of two; any other H first takes the slopes of the largest power
    of two below it, then every other slope of twice that many heads.

    Raises ShapeError for fewer than 1 head. Source: Press et al. 2022, "Train Short, Test Long", section 3.

    >>> alibi_slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    if heads < 1:
        raise ShapeError("heads", str(heads), "at least 1")
    power = 1 << (heads.bit_length() - 1)
    return np.concatenate([_geometric(power), _geometric(2 * power)[::2][: heads - power]])


def _geometric(heads: int) -> "np.ndarray[Any, Any]":
    return np.asarray(2.0 ** (-8.0 * np.arange(1, heads + 1) / heads), dtype=np.float64)


def alibi_bias(heads: int, queries: int, keys: int, *, offset: int = 0) -> "np.ndarray[Any, Any]":
    """(H, T, S), to be given as `bias`: −m_h · |p − j| for the query at position p = i + offset and key j.

    Under a causal mask that is −m_h (p − j); ahead of the query the penalty grows in the same way. With a
    cache of n keys the offset is n, as for every mask.

    >>> alibi_bias(1, 2, 3, offset=1).tolist()
    [[[-0.00390625, 0.0, -0.00390625], [-0.0078125, -0.00390625, 0.0]]]
    """
    if queries < 0 or keys < 0:
        raise ShapeError("queries, keys", f"{queries}, {keys}", "numbers ≥ 0")
    distance = np.abs(np.arange(queries)[:, None] + offset - np.arange(keys))
    penalty = alibi_slopes(heads)[:, None, None] * distance
    return np.asarray(0.0 - penalty)  # 0 − 0 is 0, and not −0


def _angles(places: Array, width: int, base: float, xp: Namespace) -> Array:
    """p · base^{−2i/d}, (..., ⌈d/2⌉), in float64."""
    places = cast_to(places, xp.float64, xp)
    pair = cast_to(counting((width + 1) // 2, like=places, xp=xp), xp.float64, xp)
    return places[..., None] * base ** (pair * (-2.0 / width))


def _read_positions(positions: Array, *, like: Array) -> tuple[Array, Namespace]:
    """As floats in the library and on the device of `like`; plain numbers may accompany any library's x."""
    if isinstance(positions, range):
        positions = list(positions)
    if isinstance(positions, _PLAIN):
        xp = namespace_of(like=like)
        places = read_floats("positions", positions, np)
        if xp is not np:
            import array_api_compat

            places = xp.asarray(places, device=array_api_compat.device(like))
    else:
        xp = namespace_of(x=like, positions=positions)
        places = read_floats("positions", positions, xp)
    check_finite("positions", places, xp)
    return places, xp


def _spread(places: Array, rows: tuple[int, ...], xp: Namespace) -> Array:
    """Positions ready to spread over x's rows (..., n): (B, n) becomes (B, 1, …, n)."""
    shape = shape_of(places)
    if not shape and rows[-1] == 1:
        return xp.reshape(places, (1,))  # the one position of a decoding step
    between = len(rows) - 2
    wide = (shape[0], *[1] * between, shape[1]) if len(shape) == 2 and between > 0 else shape
    fits = 0 < len(wide) <= len(rows) and wide[-1] == rows[-1]
    if not fits or any(a not in (1, b) for a, b in zip(reversed(wide), reversed(rows), strict=False)):
        expected = f"({rows[-1]},), (batch, {rows[-1]}), or a shape that spreads over {rows}"
        raise ShapeError("positions", f"shape {shape}", expected)
    return xp.reshape(places, wide)


def _check_table(name: str, shape: tuple[int, ...], x: tuple[int, ...]) -> None:
    wanted = (*x[:-1], shape[-1] if shape else 0)
    fits = len(shape) <= len(wanted) and all(
        a in (1, b) for a, b in zip(reversed(shape), reversed(wanted), strict=False)
    )
    if not shape or not fits or not 1 <= shape[-1] <= x[-1] // 2:
        expected = f"(..., length, pairs), spreading over {x[:-1]}, with 1 to {x[-1] // 2} pairs"
        raise ShapeError(name, f"shape {shape}", expected)
