"""The project's own fused kernel: `flash_kernel` behind the same door as PyTorch's.

Takes float16, bfloat16 and float32 (with exact float32 products, not TF32), widths to 256, values of another
width than the keys, either causal alignment, a boolean mask, grouped heads, any lengths. Forward only. On a
GPU of compute capability 8.0 or later the tile is tuned once for each kind of call; without a GPU it runs
under Triton's interpreter (TRITON_INTERPRET=1, set before Python starts), slowly, with one fixed tile.

The launch is an operator of PyTorch, `attention_core::triton_flash`, so that what was dispatched proves what
ran, as for every other kernel.
"""

import importlib.util
import math
import os
from functools import cache
from typing import Any

import torch

from attention_core.errors import UnsupportedKernel
from attention_core.kernels.calls import Call
from attention_core.kernels.tiles import INTERPRETED, WIDEST, constants_of, tiles_for
from attention_core.masks import offset_of

_CAPABILITY = (8, 0)  # asynchronous copies and bfloat16 products
_LOG2_E = math.log2(math.e)


def triton_flash(call: Call) -> torch.Tensor:
    """The output (B, H, T, Dv), by `attention_core::triton_flash`."""
    return with_log_sum_exp(call)[0]


def with_log_sum_exp(call: Call) -> tuple[torch.Tensor, torch.Tensor]:
    """The output, and ln Σ_j e^{s_ij} of each query, (B, H, T) in float32: −∞ for one that sees no key."""
    refuse(call)
    diagonal = None if call.causal is None else offset_of(call.causal, call.queries, call.keys)
    output, sums = _launched(call.q, call.k, call.v, call.allowed, diagonal, call.scale)
    return output, sums


def refuse(call: Call) -> None:
    """UnsupportedKernel with the reason, for what this kernel cannot take here."""
    if torch.is_grad_enabled() and any(x.requires_grad for x in (call.q, call.k, call.v)):
        raise UnsupportedKernel("gradients: this kernel has no backward pass")
    if importlib.util.find_spec("triton") is None:
        raise UnsupportedKernel("Triton is not installed")
    if call.q.dtype == torch.float64:
        raise UnsupportedKernel("float64: float16, bfloat16 and float32 only")
    widest = max(call.q.shape[-1], call.v.shape[-1])
    if widest > WIDEST:
        raise UnsupportedKernel(f"width {widest}: at most {WIDEST}")
    if call.q.is_cuda:
        capability = torch.cuda.get_device_capability(call.q.device)
        if capability < _CAPABILITY:
            raise UnsupportedKernel(f"compute capability {capability}: at least {_CAPABILITY}")
    elif os.environ.get("TRITON_INTERPRET") != "1":
        raise UnsupportedKernel("no CUDA tensors, and Triton's interpreter is off (TRITON_INTERPRET=1)")
    elif call.q.dtype == torch.bfloat16:
        raise UnsupportedKernel("bfloat16 under Triton's interpreter, which miscalculates it")


@torch.library.custom_op("attention_core::triton_flash", mutates_args=())  # type: ignore[untyped-decorator, unused-ignore]
def _launched(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    diagonal: int | None,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:
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


def tuned_tile(call: Call) -> str:
    """The tile that calls like this one were tuned to, for a table of measurements; "" before the first."""
    kernel, _ = _kernel_for(*_kind(call.q, call.k, call.v, call.allowed is not None))
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
