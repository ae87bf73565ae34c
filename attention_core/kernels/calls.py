"""One attention call as every kernel gets it: four axes, one boolean mask, no doubt left.

Kernels are pickier than the reference: PyTorch sends three-axis inputs to its unfused path without a word,
takes a mask beside `is_causal` on some devices only, and its CPU flash kernel reads past the end of keys
shorter than the values. So shapes are checked and everything is brought to one form before a kernel is asked.
"""

import math
import os
from dataclasses import dataclass

import torch

from attention_core.arrays import check_finite, namespace_of, shape_of
from attention_core.errors import NumericalError, ShapeError
from attention_core.inputs import check_shapes
from attention_core.kernel_rules import Request, plainly_causal
from attention_core.masks import check_mask, offset_of

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@dataclass(frozen=True)
class Call:
    """q (B, H, T, D), k and v (B, G, S, D or Dv). `allowed` (1 or B, 1 or H, T or 1, S) or None: the
    caller's mask.

    `causal` is None, "top_left" or "bottom_right"; both hold together. `shape` is that of the output asked
    for.
    """

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    allowed: torch.Tensor | None
    causal: str | None
    scale: float
    shape: tuple[int, ...]

    @property
    def queries(self) -> int:
        return int(self.q.shape[-2])

    @property
    def keys(self) -> int:
        return int(self.k.shape[-2])

    @property
    def empty(self) -> bool:
        """No kernel runs for an empty product; PyTorch answers by itself whatever backend is pinned."""
        return 0 in (self.q.numel(), self.k.numel(), self.v.numel())

    @property
    def plainly_causal(self) -> bool:
        """True when `is_causal=True` says it all: PyTorch aligns it top-left and takes no mask beside it."""
        masked = self.allowed is not None
        return plainly_causal(self.causal, masked=masked, queries=self.queries, keys=self.keys)

    @property
    def request(self) -> Request:
        """What the rules of the kernels look at."""
        device = self.q.device
        explicit = not self.plainly_causal and (self.allowed is not None or self.causal is not None)
        return Request(
            device=device.type,
            dtype=str(self.q.dtype).removeprefix("torch."),
            width=int(self.q.shape[-1]),
            value_width=int(self.v.shape[-1]),
            masked=explicit,
            gradients=torch.is_grad_enabled() and any(x.requires_grad for x in (self.q, self.k, self.v)),
            interpreted=os.environ.get("TRITON_INTERPRET") == "1",
            capability=torch.cuda.get_device_capability(device) if device.type == "cuda" else None,
        )

    def visible(self, rows: torch.Tensor | None = None) -> torch.Tensor | None:
        """Mask and causal rule as one boolean tensor of four axes, or None; for some query `rows`, or all."""
        if self.causal is None and self.allowed is None:
            return None
        allowed = self.allowed
        if allowed is not None and rows is not None and allowed.shape[-2] != 1:
            allowed = allowed[..., rows, :]
        if self.causal is None:
            return allowed
        index = torch.arange(self.queries, device=self.q.device) if rows is None else rows
        position = index[:, None] + offset_of(self.causal, self.queries, self.keys)
        before = (torch.arange(self.keys, device=self.q.device) <= position)[None, None]
        return before if allowed is None else before & allowed

    @property
    def mask_kind(self) -> str:
        """For the record: "none", "boolean", "causal top_left", "boolean + causal bottom_right", …"""
        parts = [] if self.allowed is None else ["boolean"]
        parts += [] if self.causal is None else [f"causal {self.causal}"]
        return " + ".join(parts) or "none"

    def grouped(self, x: torch.Tensor) -> torch.Tensor:
        """Keys or values repeated to the query heads, each beside its copy: 1, 1, 2, 2."""
        times = self.q.shape[1] // x.shape[1] if x.shape[1] else 1
        return x if times == 1 else x.repeat_interleave(times, dim=1)


def read_call(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    causal: str | None = None,
    scale: float | None = None,
) -> Call:
    """Check the arguments as `attention` does, and bring them to four axes. Errors name the argument.

    >>> call = read_call(torch.ones(3, 4), torch.ones(5, 4), torch.ones(5, 4), causal="bottom_right")
    >>> tuple(call.q.shape), call.scale, call.mask_kind, call.shape
    ((1, 1, 3, 4), 0.5, 'causal bottom_right', (3, 4))
    """
    given = {"q": q, "k": k, "v": v}
    for name, tensor in given.items():
        if not isinstance(tensor, torch.Tensor):
            raise ShapeError(name, f"a {type(tensor).__name__}", "a torch tensor")
        if tensor.dtype not in DTYPES or tensor.dtype != q.dtype:
            raise NumericalError(name, f"dtype {tensor.dtype}", f"one of {DTYPES}, the same for q, k and v")
        if tensor.device != q.device:
            raise ShapeError(name, f"device {tensor.device}", f"device {q.device}, that of q")
    scores = check_shapes(shape_of(q), shape_of(k), shape_of(v))
    xp = namespace_of(q=q)
    for name, tensor in given.items():
        check_finite(name, tensor, xp)
    offset_of(causal, scores[-2], scores[-1])
    if scale is not None and not math.isfinite(scale):
        raise NumericalError("scale", repr(scale), "a finite number")
    batch = scores[:-3]
    return Call(
        q=_four_axes(q, batch),
        k=_four_axes(k, batch),
        v=_four_axes(v, batch),
        allowed=None if mask is None else _four_axis_mask(check_mask("mask", mask, scores, xp), batch),
        causal=causal,
        scale=1.0 / math.sqrt(q.shape[-1]) if scale is None else float(scale),
        shape=(*scores[:-1], v.shape[-1]),
    )


def _four_axes(x: torch.Tensor, batch: tuple[int, ...]) -> torch.Tensor:
    heads = x.shape[-3] if x.ndim > 2 else 1
    return x.expand(*batch, heads, *x.shape[-2:]).reshape(math.prod(batch), heads, *x.shape[-2:])


def _four_axis_mask(mask: torch.Tensor, batch: tuple[int, ...]) -> torch.Tensor:
    while mask.ndim < 4:
        mask = mask[None]
    inner = mask.shape[-3:]
    if math.prod(mask.shape[:-3]) == 1:
        return mask.reshape(1, *inner)
    return mask.expand(*batch, *inner).reshape(math.prod(batch), *inner)
