"""The launch of the Triton kernel as an operator of PyTorch, and the choice of its tile."""

import math
from functools import cache
from typing import Any

import torch

from attention_core.kernels.tiles import INTERPRETED, constants_of, tiles_for

_LOG2_E = math.log2(math.e)


@torch.library.custom_op("attention_core::triton_flash", mutates_args=())  # type: ignore[untyped-decorator, unused-ignore]
def launched(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    diagonal: int | None,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output (B, H, T, Dv) and log-sum-exp (B, H, T); query t sees key s ≤ t + `diagonal`, if not None."""
    batch, heads, queries, width = q.shape
    value_width = v.shape[-1]
    q = (-q if scale < 0 else q).contiguous()
    output = torch.empty(batch, heads, queries, value_width, dtype=q.dtype, device=q.device)
    sums = torch.empty(batch, heads, queries, dtype=torch.float32, device=q.device)
    strides = [0, 0, 0]
    if mask is not None:
        mask = mask.contiguous().view(torch.uint8)
        strides = [s if n > 1 else 0 for s, n in zip(mask.stride()[:3], mask.shape[:3], strict=True)]
    kernel, fixed = _kernel_for(*_kind(q, k, v, mask is not None))

    def grid(options: dict[str, Any]) -> tuple[int, int]:
        return -(-queries // options["BLOCK_T"]), batch * heads

    unread = sums  # in the place of a mask that is not there
    tensors = (q, k.contiguous(), v.contiguous(), unread if mask is None else mask, output, sums)
    sizes = (heads, k.shape[1], queries, k.shape[2])
    constants: dict[str, Any] = {"CAUSAL": diagonal is not None, "MASKED": mask is not None}
    constants |= constants_of(width, value_width, q.element_size())
    with torch.cuda.device_of(q):
        kernel[grid](*tensors, *sizes, *strides, diagonal or 0, abs(scale) * _LOG2_E, **constants, **fixed)
    return output, sums


def tile_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, masked: bool) -> str:
    """What was found best for calls of this kind; "" before the first, and under the interpreter."""
    kernel, _ = _kernel_for(*_kind(q, k, v, masked))
    return str(getattr(kernel, "best_config", ""))


def _kind(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, masked: bool
) -> tuple[int, int, bool, tuple[int, ...]]:
    """Calls of one kind share a tile: width, bytes, masked or not, and sizes to the next power of two."""
    sizes = (q.shape[0] * q.shape[1], q.shape[2], k.shape[2])
    width = max(q.shape[-1], v.shape[-1])
    return width, q.element_size(), masked, tuple((size - 1).bit_length() for size in sizes)


@cache
def _kernel_for(
    width: int, itemsize: int, masked: bool, sizes: tuple[int, ...]
) -> tuple[Any, dict[str, int]]:
    """(what to launch, its fixed options): tuned over the tiles for this width, or interpreted with one."""
    import triton

    from attention_core.kernels import flash_kernel

    if flash_kernel.INTERPRETED:
        return flash_kernel.attend, {"BLOCK_T": INTERPRETED.rows, "BLOCK_S": INTERPRETED.columns}
    tried = [
        triton.Config(
            {"BLOCK_T": tile.rows, "BLOCK_S": tile.columns}, num_warps=tile.warps, num_stages=tile.stages
        )
        for tile in tiles_for(width, itemsize, masked=masked)
    ]
    # Of one kind by sizes; the values of these arguments, and the dtypes, still tell calls apart.
    return triton.autotune(configs=tried, key=["CAUSAL", "D", "DV"])(flash_kernel.attend), {}
