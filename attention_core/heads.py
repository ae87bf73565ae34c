"""Heads: one width cut into several, each attending on its own.

(..., n, h·d) ⇄ (..., h, n, d). The cut is along the width first, and only then are the axes exchanged:
reshaping straight to (..., h, n, d) mixes positions with heads and is a classic error that no shape check
sees.
"""

from attention_core.arrays import Array, Namespace, namespace_of, shape_of
from attention_core.errors import ShapeError


def split(x: Array, *, heads: int) -> Array:
    """(..., n, h·d) → (..., h, n, d).

    >>> import numpy as np
    >>> split(np.arange(8.0).reshape(2, 4), heads=2).tolist()
    [[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]]
    """
    xp = namespace_of(x=x)
    *batch, length, width = shape_of(x)
    apart = xp.reshape(x, (*batch, length, heads, _head_width(width, heads)))
    return _exchange(apart, xp)


def merge(x: Array) -> Array:
    """(..., h, n, d) → (..., n, h·d): the heads' outputs side by side. The inverse of `split`.

    >>> import numpy as np
    >>> merge(np.array([[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]])).tolist()
    [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]
    """
    xp = namespace_of(x=x)
    *batch, heads, length, width = shape_of(x)
    return xp.reshape(_exchange(x, xp), (*batch, length, heads * width))


def _exchange(x: Array, xp: Namespace) -> Array:
    axes = list(range(x.ndim))
    axes[-3], axes[-2] = axes[-2], axes[-3]
    return xp.permute_dims(x, tuple(axes))


def head_shape(*, batch: int, length: int, d_model: int, heads: int) -> tuple[int, int, int, int]:
    """Shape of Q (or K, V) after splitting: (B, h, n, d_model / h).

    >>> head_shape(batch=2, length=5, d_model=512, heads=8)
    (2, 8, 5, 64)
    """
    return batch, heads, length, _head_width(d_model, heads)


def score_shape(*, batch: int, heads: int, queries: int, keys: int) -> tuple[int, int, int, int]:
    """Shape of the scores: (B, h, T, S), whatever the width.

    >>> score_shape(batch=2, heads=8, queries=5, keys=9)
    (2, 8, 5, 9)
    """
    return batch, heads, queries, keys


def _head_width(width: int, heads: int) -> int:
    if heads < 1:
        raise ShapeError("heads", str(heads), "at least 1")
    if width % heads:
        raise ShapeError("heads", str(heads), f"a divisor of the width {width}")
    return width // heads


def repeat_groups(x: Array, *, heads: int) -> Array:
    """(..., G, S, D) → (..., H, S, D): each key/value head repeated for its H/G query heads, side by side.

    Heads 1, 2 become 1, 1, 2, 2 (not 1, 2, 1, 2): query head h reads group ⌊h·G/H⌋ (Ainslie et al. 2023,
    GQA).

    >>> import numpy as np
    >>> repeat_groups(np.arange(2.0).reshape(2, 1, 1), heads=4)[:, 0, 0].tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    *batch, groups, length, width = shape_of(x)
    if groups == heads:
        return x
    if groups == 0 or heads % groups:
        raise ShapeError("heads", str(heads), f"a multiple of the {groups} key/value heads")
    xp = namespace_of(x=x)
    apart = xp.expand_dims(x, axis=-3)  # (..., G, 1, S, D)
    spread = xp.broadcast_to(apart, (*batch, groups, heads // groups, length, width))
    return xp.reshape(spread, (*batch, heads, length, width))
