"""The project's own fused kernel: `flash_kernel` behind the same door as PyTorch's.

Takes float16, bfloat16 and float32 (with exact float32 products, not TF32), widths to 256, values of another
width than the keys, either causal alignment, a boolean mask, grouped heads, any lengths. Forward only. On a
GPU of compute capability 8.0 or later the tile is tuned once for each kind of call; without a GPU it runs
under Triton's interpreter (TRITON_INTERPRET=1, set before Python starts), slowly, with one fixed tile.

The launch is an operator of PyTorch, `attention_core::triton_flash`, so that what was dispatched proves what
ran, as for every other kernel.
"""

import importlib.util

import torch

from attention_core.errors import UnsupportedKernel
from attention_core.kernel_rules import refused_here
from attention_core.kernels.calls import Call
from attention_core.kernels.launching import launched, tile_of
from attention_core.masks import offset_of


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
    if importlib.util.find_spec("triton") is None:
        raise UnsupportedKernel("Triton is not installed")
    if reason := refused_here("triton_flash", call.request):
        raise UnsupportedKernel(reason)


def tuned_tile(call: Call) -> str:
    """The tile that calls like this one were tuned to, for a table of measurements; "" before the first."""
    return tile_of(call.q, call.k, call.v, call.allowed is not None)
