"""The project's own fused kernel: `flash_kernel` behind the same door as PyTorch's.

Takes float16, bfloat16 and float32 (with exact float32 products, not TF32), widths to 256, values of another
width than the keys, either causal alignment, a boolean mask, grouped heads, any lengths. Forward only. On a
GPU of compute capability 8.0 or later the tile is tuned once for each kind of call; without a GPU it runs
under Triton's interpreter (TRITON_INTERPRET=1, set before Python starts), slowly, with one fixed tile.

The launch is an operator of PyTorch, `attention_core::triton_flash`, so that what was dispatched proves what
ran, as for every other kernel.
"""

import importlib.util
import os

import torch

from attention_core.errors import UnsupportedKernel
from attention_core.kernels.calls import Call
from attention_core.kernels.launching import launched, tile_of
from attention_core.kernels.tiles import WIDEST
from attention_core.masks import offset_of

_CAPABILITY = (8, 0)  # asynchronous copies and bfloat16 products


def triton_flash(call: Call) -> torch.Tensor:
    """The output (B, H, T, Dv), by `attention_core::triton_flash`."""
    return with_log_sum_exp(call)[0]


def with_log_sum_exp(call: Call) -> tuple[torch.Tensor, torch.Tensor]:
    """The output, and ln Σ_j e^{s_ij} of each query, (B, H, T) in float32: −∞ for one that sees no key."""
    refuse(call)
    diagonal = None if call.causal is None else offset_of(call.causal, call.queries, call.keys)
    output, sums = launched(call.q, call.k, call.v, call.allowed, diagonal, call.scale)
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


def tuned_tile(call: Call) -> str:
    """The tile that calls like this one were tuned to, for a table of measurements; "" before the first."""
    return tile_of(call.q, call.k, call.v, call.allowed is not None)
