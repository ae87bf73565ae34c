"""The kernels by name, and what is tried when one cannot."""

from collections.abc import Callable

import torch

from attention_core.errors import ShapeError
from attention_core.kernels.calls import Call
from attention_core.kernels.flex import flex
from attention_core.kernels.naive import naive
from attention_core.kernels.sdpa import cudnn, efficient, flash, math_path
from attention_core.kernels.triton_flash import triton_flash

Kernel = Callable[[Call], torch.Tensor]

KERNELS: dict[str, Kernel] = {
    "naive": naive,
    "math": math_path,
    "flash": flash,
    "efficient": efficient,
    "cudnn": cudnn,
    "flex": flex,
    "triton_flash": triton_flash,
}
BACKENDS = tuple(KERNELS)
# What is tried next, in order: another fused kernel where the device has one, then what takes everything.
FALLBACKS: dict[str, tuple[str, ...]] = {
    "naive": (),
    "math": ("naive",),
    "flash": ("math", "naive"),
    "efficient": ("flash", "math", "naive"),
    "cudnn": ("flash", "math", "naive"),
    "flex": ("math", "naive"),
    "triton_flash": ("flash", "math", "naive"),
}


def kernel_of(backend: str) -> Kernel:
    """The function behind a backend's name.

    >>> kernel_of("naive").__name__
    'naive'
    """
    if backend not in KERNELS:
        raise ShapeError("backend", repr(backend), " or ".join(BACKENDS))
    return KERNELS[backend]
