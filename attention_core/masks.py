"""Masks: which query may attend to which key. True = may attend, everywhere in this library.

Query i stands at position p = i + offset, key j at position j. The causal rule is j ≤ p; a window is
p − left ≤ j ≤ p + right, both ends included. With as many queries as keys the offset is 0. With fewer
queries there are two conventions: "top_left" (offset 0) and "bottom_right" (offset S − T: the last query
sees the last key, what decoding with a cache needs). Other libraries' conventions are in `mask_conventions`.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from attention_core.arrays import Array, Namespace, counting, namespace_of
from attention_core.errors import MaskError, ShapeError
from attention_core.mask_conventions import (
    from_additive,
    from_hugging_face,
    from_multihead,
    from_sdpa,
    to_additive,
    to_hugging_face,
    to_multihead,
    to_sdpa,
)

Alignment = Literal["top_left", "bottom_right"]
ALIGNMENTS = ("top_left", "bottom_right")
Window = tuple[int | None, int | None]


def causal(
    queries: int, *, keys: int | None = None, alignment: str = "top_left", like: Array = None
) -> Array:
    """(T, S): True where key j is not after query i. `like` gives the array library and device.

    >>> causal(2, keys=4, alignment="bottom_right").astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    keys = queries if keys is None else keys
    xp = namespace_of(like=like)
    rows, columns = positions(queries, keys, offset_of(alignment, queries, keys), like=like, xp=xp)
    return columns <= rows


def window(
    queries: int, *, keys: int | None = None, span: Window, offset: int = 0, like: Array = None
) -> Array:
    """(T, S): True where p − left ≤ j ≤ p + right, `span` = (left, right), both inclusive, None = unbounded.

    >>> window(3, span=(1, 0)).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    keys = queries if keys is None else keys
    rows, columns = positions(queries, keys, offset, like=like, xp=namespace_of(like=like))
    reach = queries + keys + abs(offset)  # no query and key are further apart
    left, right = (reach if side is None else side for side in check_window(span))
    return (columns >= rows - left) & (columns <= rows + right)


def padding(lengths: Sequence[int] | Array, *, keys: int, side: str = "right") -> Array:
    """(B, 1, 1, S): True at the real keys of each sample; `side` says where the padding stands.

    >>> padding([1, 3], keys=3)[:, 0, 0].astype(int).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    count = np.asarray(lengths)
    if count.ndim != 1 or count.dtype.kind not in "iu":
        raise MaskError(
            "lengths", f"{count.dtype} of shape {count.shape}", "one whole number for each sample"
        )
    if count.size and (count.min() < 0 or count.max() > keys):
        raise MaskError("lengths", str(count.tolist()), f"lengths from 0 to {keys}, the number of keys")
    if side not in ("left", "right"):
        raise MaskError("side", repr(side), "'left' or 'right'")
    column = np.arange(keys)
    real = column < count[:, None] if side == "right" else column >= keys - count[:, None]
    return real[:, None, None, :]


def combine(*masks: Array) -> Array:
    """What every mask allows (logical and). None allows everything; None alone gives None.

    >>> combine(None, np.array([True, False]), np.array([True, True])).tolist()
    [True, False]
    """
    together = None
    for mask in masks:
        if mask is not None:
            together = mask if together is None else together & mask
    return together


def sees_nothing(mask: Array) -> Array:
    """(..., T): True for the queries that no key is left for. Attention gives them zeros.

    >>> sees_nothing(np.array([[False, False], [True, False]])).tolist()
    [True, False]
    """
    xp = namespace_of(mask=mask)
    return ~xp.any(xp.asarray(mask), axis=-1)


def offset_of(alignment: str | None, queries: int, keys: int) -> int:
    """The position of query 0: S − T for bottom_right, otherwise 0.

    >>> offset_of("bottom_right", 2, 5), offset_of("top_left", 2, 5)
    (3, 0)
    """
    if alignment is not None and alignment not in ALIGNMENTS:
        raise MaskError("causal", repr(alignment), "None, 'top_left' or 'bottom_right'")
    return keys - queries if alignment == "bottom_right" else 0


def positions(queries: int, keys: int, offset: int, *, like: Array, xp: Namespace) -> tuple[Array, Array]:
    """Positions of the queries (T, 1) and of the keys (S,), ready to be compared.

    >>> [part.tolist() for part in positions(2, 3, 1, like=None, xp=np)]
    [[[1], [2]], [0, 1, 2]]
    """
    return counting(queries, like=like, xp=xp)[:, None] + offset, counting(keys, like=like, xp=xp)


def check_window(span: Any) -> Window:
    """(left, right), each a whole number ≥ 0 or None. A bare number is refused: libraries disagree on it.

    >>> check_window((2, None))
    (2, None)
    """
    expected = "(left, right), each a whole number ≥ 0 or None for unbounded, both ends inclusive"
    if not isinstance(span, (tuple, list)) or len(span) != 2:
        raise MaskError("window", repr(span), expected)
    for side in span:
        if side is not None and (
            isinstance(side, bool) or not isinstance(side, (int, np.integer)) or side < 0
        ):
            raise MaskError("window", repr(span), expected)
    return span[0], span[1]


def check_mask(name: str, mask: Array, scores: tuple[int, ...], xp: Namespace) -> Array:
    """A boolean array that spreads over the scores (..., H, T, S) without enlarging them."""
    if xp is np and type(mask) is not np.ndarray:
        try:
            mask = np.asarray(mask)
        except ValueError:
            raise ShapeError(name, "rows of unequal length", "a rectangular array") from None
    boolean = mask.dtype == np.bool_ if xp is np else xp.isdtype(mask.dtype, "bool")
    if not boolean:
        raise MaskError(name, f"dtype {mask.dtype}", "boolean, True = may attend (added scores go in `bias`)")
    check_spreads(name, mask, scores)
    return mask


def check_spreads(name: str, array: Array, scores: tuple[int, ...]) -> None:
    """Refuse an array that does not broadcast to exactly the shape of the scores."""
    shape = tuple(array.shape)
    fits = len(shape) <= len(scores) and all(
        size in (1, wanted) for size, wanted in zip(reversed(shape), reversed(scores), strict=False)
    )
    if not fits:
        raise ShapeError(name, f"shape {shape}", f"a shape that spreads over the scores {scores}")


__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "Window",
    "causal",
    "check_mask",
    "check_spreads",
    "check_window",
    "combine",
    "from_additive",
    "from_hugging_face",
    "from_multihead",
    "from_sdpa",
    "offset_of",
    "padding",
    "positions",
    "sees_nothing",
    "to_additive",
    "to_hugging_face",
    "to_multihead",
    "to_sdpa",
    "window",
]
