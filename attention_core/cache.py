"""The KV cache: a decoder keeps the keys and values of the tokens it has read, and attends again only for new
ones.

With a causal rule, a token's key and value never change once computed, so they are kept; its query is used
once, when the token is new, so there is no "Q cache". Prefill reads the whole prompt at once, decoding adds
one token (or a few) and attends with the bottom-right alignment: the last query sees the last key. Every row
is the row of the full pass.

Keys are rotated (RoPE) *before* they are kept, each by its absolute position: `cache.positions(count)` are
those of the next tokens, and they go on counting when a sliding cache has dropped its oldest keys.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.arrays import Array, Namespace, counting, namespace_of, shape_of
from attention_core.attention import attention
from attention_core.errors import ShapeError


@dataclass(frozen=True)
class Cache:
    """Keys (..., G, S, D) and values (..., G, S, Dv) of the tokens kept; `start`: position of the first.

    `window` W: each query may see W keys, itself included (Hugging Face's sliding_window); None sees all.
    A cache does not change: `append` returns the longer one.
    """

    k: Array = None
    v: Array = None
    start: int = 0
    window: int | None = None

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 1:
            raise ShapeError("window", str(self.window), "at least 1 key: the token itself")

    @property
    def length(self) -> int:
        """How many tokens are kept; at most the window, once `trimmed`."""
        return 0 if self.k is None else int(self.k.shape[-2])

    @property
    def seen(self) -> int:
        """How many tokens were ever read: the position of the next one."""
        return self.start + self.length

    def positions(self, count: int) -> Array:
        """Absolute positions of the next `count` tokens, for RoPE or a position embedding.

        >>> Cache(start=7).positions(2).tolist()
        [7, 8]
        """
        xp = namespace_of(k=self.k)
        return counting(count, like=self.k, xp=xp) + self.seen

    def append(self, k: Array, v: Array) -> "Cache":
        """The cache with these tokens at its end; keys that no query can reach any more are dropped first.

        Raises ShapeError when heads, width or length do not fit.
        """
        if k.ndim < 2 or v.ndim != k.ndim or v.shape[:-1] != k.shape[:-1]:
            raise ShapeError("v", f"shape {shape_of(v)}", f"that of k, {shape_of(k)}, but for the width")
        if self.k is None:
            return replace(self, k=k, v=v)
        for name, new, old in (("k", k, self.k), ("v", v, self.v)):
            if (*new.shape[:-2], new.shape[-1]) != (*old.shape[:-2], old.shape[-1]):
                raise ShapeError(name, f"shape {shape_of(new)}", f"{shape_of(old)} but for the length")
        kept = self if self.window is None else self.trimmed(self.window - 1)
        xp = namespace_of(k=k)
        return replace(kept, k=xp.concat([kept.k, k], axis=-2), v=xp.concat([kept.v, v], axis=-2))

    def trimmed(self, keep: int) -> "Cache":
        """Only the last `keep` tokens; their positions stay what they were."""
        drop = max(0, self.length - keep)
        if not drop:
            return self
        return replace(self, k=self.k[..., drop:, :], v=self.v[..., drop:, :], start=self.start + drop)


def prefill(k: Array, v: Array, *, window: int | None = None) -> Cache:
    """The cache after a prompt: its keys and values, computed for all its tokens at once.

    >>> import numpy as np
    >>> prefill(np.ones((8, 5, 64)), np.ones((8, 5, 64))).seen
    5
    """
    return Cache(window=window).append(k, v)


def decode(cache: Cache, q: Array, *, scale: float | None = None, softcap: float | None = None) -> Array:
    """Attention of the newest queries over the cache, which holds their keys already.

    q (..., H, T, D) are the last T tokens; H is a multiple of the cache's key/value heads. Returns
    (..., H, T, Dv), the last T rows of the full causal pass.

    >>> import numpy as np
    >>> keys, values = np.ones((3, 2)), np.array([[3.0], [6.0], [9.0]])
    >>> decode(prefill(keys, values), np.ones((1, 2))).tolist()
    [[6.0]]
    """
    if q.ndim < 2 or q.shape[-2] > cache.length:
        raise ShapeError("q", f"shape {shape_of(q)}", f"(..., at most the {cache.length} tokens kept, width)")
    window = None if cache.window is None else (cache.window - 1, 0)
    return attention(q, cache.k, cache.v, causal="bottom_right", window=window, scale=scale, softcap=softcap)


def write(buffer: Array, update: Array, positions: Any, *, mode: str = "linear") -> Array:
    """A buffer of fixed length with `update` written into it, sample by sample, from each one's position on.

    buffer (B, ..., S, D); update (B, ..., n, D) with n ≤ S; `positions`: B whole numbers, or one for all.
    "linear": rows p … p + n − 1, which must lie inside. "circular": rows (p + t) mod S, so that the newest n
    tokens overwrite the oldest: what a sliding window keeps. Returns a new array of the buffer's dtype.

    Source: the ONNX operator TensorScatter (opset 24).

    >>> import numpy as np
    >>> write(np.zeros((1, 3, 1)), np.array([[[1.0], [2.0]]]), [2], mode="circular")[0, :, 0].tolist()
    [2.0, 0.0, 1.0]
    """
    xp = namespace_of(buffer=buffer, update=update)
    slots, new = shape_of(buffer), shape_of(update)
    fits = len(slots) >= 3 and len(slots) == len(new) and slots[:-2] == new[:-2] and slots[-1] == new[-1]
    if not fits or new[-2] > slots[-2]:
        raise ShapeError("update", f"shape {new}", f"the buffer's, {slots}, but for a length ≤ its own")
    if mode not in ("linear", "circular"):
        raise ShapeError("mode", repr(mode), "'linear' or 'circular'")
    starts = _starts(positions, slots[0])
    for start in starts:
        if mode == "linear" and start + new[-2] > slots[-2]:
            raise ShapeError("positions", str(start), f"at most {slots[-2] - new[-2]}: the update must fit")
    return xp.stack([_placed(buffer[b, ...], update[b, ...], start, xp) for b, start in enumerate(starts)])


def _starts(positions: Any, batch: int) -> list[int]:
    given = np.asarray(positions)
    if given.dtype.kind not in "iu" or given.shape not in ((), (batch,)):
        raise ShapeError("positions", f"{given.dtype} of shape {given.shape}", f"{batch} integers, or one")
    starts = [int(start) for start in np.broadcast_to(given, (batch,))]
    if any(start < 0 for start in starts):
        raise ShapeError("positions", str(min(starts)), "positions ≥ 0")
    return starts


def _placed(slots: Array, rows: Array, start: int, xp: Namespace) -> Array:
    """One sample: kept rows and new rows in the order of the buffer, the new ones wrapping at its end."""
    size, count = slots.shape[-2], rows.shape[-2]
    start %= size
    wrapped = max(0, start + count - size)  # how many new rows go on at row 0
    pieces = [rows[..., count - wrapped :, :], slots[..., wrapped:start, :]]
    pieces += [rows[..., : count - wrapped, :], slots[..., min(start + count, size) :, :]]
    return xp.concat([xp.astype(piece, slots.dtype) for piece in pieces], axis=-2)
