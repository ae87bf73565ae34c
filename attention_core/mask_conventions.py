"""The same mask as other libraries write it. Here True = may attend.

    torch scaled_dot_product_attention   boolean, True = may attend; or floats that are added
    torch nn.MultiheadAttention          boolean, True = must NOT attend (attn_mask and key_padding_mask)
    Hugging Face attention_mask          (B, S) whole numbers, 1 = real token, 0 = padding
    additive                             0 = may attend, −∞ = hidden

A large finite number such as finfo.min is not "hidden": a row of nothing else gives the mean of all values.
So
`from_additive` accepts 0 and −∞ only.
"""

from typing import Any

import numpy as np

from attention_core.arrays import Array, Namespace, first_where, namespace_of
from attention_core.errors import MaskError


def to_sdpa(mask: Array) -> Array:
    """As `attn_mask` of scaled_dot_product_attention: the same array.

    >>> to_sdpa([[True, False]]).tolist()
    [[True, False]]
    """
    return _boolean("mask", mask)[0]


def from_sdpa(attn_mask: Array) -> Array:
    """From a boolean `attn_mask` of scaled_dot_product_attention (a float one: `from_additive`).

    >>> from_sdpa([[True, False]]).tolist()
    [[True, False]]
    """
    return _boolean("attn_mask", attn_mask)[0]


def to_multihead(mask: Array) -> Array:
    """As `attn_mask` or `key_padding_mask` of nn.MultiheadAttention: inverted.

    >>> to_multihead([[True, False]]).tolist()
    [[False, True]]
    """
    return ~_boolean("mask", mask)[0]


def from_multihead(drop_mask: Array) -> Array:
    """From a boolean mask of nn.MultiheadAttention, in which True means "must not attend".

    >>> from_multihead([[False, True]]).tolist()
    [[True, False]]
    """
    return ~_boolean("drop_mask", drop_mask)[0]


def to_hugging_face(mask: Array) -> Array:
    """A padding mask (B, 1, 1, S) as an `attention_mask` (B, S) of 1 and 0.

    >>> to_hugging_face([[[[True, True, False]]]]).tolist()
    [[1, 1, 0]]
    """
    mask, xp = _boolean("mask", mask)
    shape = tuple(mask.shape)
    if len(shape) != 4 or shape[1:3] != (1, 1):
        raise MaskError("mask", f"shape {shape}", "a padding mask (B, 1, 1, S)")
    return xp.astype(mask[:, 0, 0, :], xp.int64)


def from_hugging_face(attention_mask: Array) -> Array:
    """From an `attention_mask` (B, S) of 1 (real) and 0 (padding) to (B, 1, 1, S).

    >>> from_hugging_face([[1, 1, 0]]).tolist()
    [[[[True, True, False]]]]
    """
    xp = namespace_of(attention_mask=attention_mask)
    array = np.asarray(attention_mask) if xp is np else attention_mask
    if len(array.shape) != 2:
        raise MaskError("attention_mask", f"shape {tuple(array.shape)}", "(batch, keys)")
    other = (array != 0) & (array != 1)
    if bool(xp.any(other)):
        raise MaskError("attention_mask", first_where(array, other, xp), "only 1 (real) and 0 (padding)")
    return (array == 1)[:, None, None, :]


def to_additive(mask: Array, *, dtype: Any = None) -> Array:
    """0 where one may attend, −∞ elsewhere, to be added to the scores; float64 unless `dtype` is given.

    >>> to_additive([[True, False]]).tolist()
    [[0.0, -inf]]
    """
    mask, xp = _boolean("mask", mask)
    zero = xp.zeros(tuple(mask.shape), dtype=xp.float64 if dtype is None else dtype)
    return xp.where(mask, zero, -xp.inf)


def from_additive(bias: Array) -> Array:
    """From 0 and −∞ to True and False; any other number is refused, a large negative one above all.

    >>> from_additive([[0.0, -float("inf")]]).tolist()
    [[True, False]]
    """
    xp = namespace_of(bias=bias)
    bias = np.asarray(bias) if xp is np else bias
    other = (bias != 0) & (bias != -xp.inf)
    if bool(xp.any(other)):
        raise MaskError("bias", first_where(bias, other, xp), "only 0 and −inf (a finite fill hides nothing)")
    return bias == 0


def _boolean(name: str, mask: Array) -> tuple[Array, Namespace]:
    xp = namespace_of(mask=mask)
    mask = np.asarray(mask) if xp is np else mask
    if not xp.isdtype(mask.dtype, "bool"):
        raise MaskError(name, f"dtype {mask.dtype}", "boolean")
    return mask, xp
