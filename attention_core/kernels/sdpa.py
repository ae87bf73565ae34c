"""PyTorch's scaled_dot_product_attention with its backend pinned, so that a name means a kernel.

Unpinned it chooses silently: three axes, dropout, float64 on CUDA or an explicit mask may take it to the
unfused path, and on Hopper cards it prefers cuDNN. A pinned backend refuses instead, and that refusal is an
UnsupportedKernel.
"""

import warnings

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_core.errors import UnsupportedKernel
from attention_core.kernel_rules import refused_here
from attention_core.kernels.calls import Call

_REFUSALS = ("No available kernel", "No viable backend")


def math_path(call: Call) -> torch.Tensor:
    """The unfused path (SDPBackend.MATH): takes everything, keeps float32 intermediates for 16-bit inputs."""
    return _pinned(call, SDPBackend.MATH)


def flash(call: Call) -> torch.Tensor:
    """The fused FlashAttention kernel (SDPBackend.FLASH_ATTENTION) of the tensors' device."""
    if reason := refused_here("flash", call.request):
        raise UnsupportedKernel(reason)
    return _pinned(call, SDPBackend.FLASH_ATTENTION)


def efficient(call: Call) -> torch.Tensor:
    """The memory-efficient kernel of CUDA devices (SDPBackend.EFFICIENT_ATTENTION): tiles, and any mask."""
    return _pinned(call, SDPBackend.EFFICIENT_ATTENTION)


def cudnn(call: Call) -> torch.Tensor:
    """NVIDIA's own (SDPBackend.CUDNN_ATTENTION), which PyTorch prefers on Hopper cards."""
    return _pinned(call, SDPBackend.CUDNN_ATTENTION)


def _pinned(call: Call, backend: SDPBackend) -> torch.Tensor:
    causal = call.plainly_causal
    visible = None if causal else call.visible()
    with warnings.catch_warnings(record=True) as said, sdpa_kernel([backend]):
        warnings.simplefilter("always")
        try:
            return scaled_dot_product_attention(
                call.q,
                call.k,
                call.v,
                attn_mask=visible,
                is_causal=causal,
                scale=call.scale,
                enable_gqa=call.q.shape[1] != call.k.shape[1],
            )
        except RuntimeError as error:
            if not str(error).startswith(_REFUSALS):
                raise
            raise UnsupportedKernel(_reason(error, said)) from error


def _reason(error: RuntimeError, said: list[warnings.WarningMessage]) -> str:
    """PyTorch warns why before it refuses; keep the sentences, not the source lines."""
    why = [str(warning.message).split(" (Triggered internally")[0].strip() for warning in said]
    return " ".join([str(error).split(".")[0] + ".", *why])
