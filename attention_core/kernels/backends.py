"""The kernels by name; what is tried when one cannot is in `kernel_rules.FALLBACKS`."""

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


def kernel_of(backend: str) -> Kernel:
    """The function behind a backend's name.

    >>> kernel_of("naive").__name__
    'naive'
    """
    if backend not in KERNELS:
        raise ShapeError("backend", repr(backend), " or ".join(BACKENDS))
    return KERNELS[backend]
