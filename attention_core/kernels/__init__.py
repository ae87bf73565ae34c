"""Attention on torch by several kernels, and proof of which one ran.

    naive         Q Kᵀ, softmax, times V, as plain torch operations: the score matrix exists in memory
    math          PyTorch's own unfused path, pinned
    flash         PyTorch's fused kernel, pinned: tiles, no score matrix
    efficient     the memory-efficient kernel (CUDA)
    cudnn         NVIDIA's own (CUDA)
    flex          FlexAttention: fused on CUDA, unfused on a CPU
    triton_flash  this project's fused kernel, in Triton: CUDA, or a CPU under Triton's interpreter

`run` chooses, runs, proves and checks. To add a kernel: a module with a function `Call -> output` that raises
UnsupportedKernel *before* making any number, an entry in `backends.KERNELS`, and the operator that proves
it in `spying.PROOFS`. `compiling` compiles the Triton kernel for a card that is not there.
"""

from attention_core.kernels.backends import BACKENDS
from attention_core.kernels.dispatching import run
from attention_core.kernels.record import Record

__all__ = ["BACKENDS", "Record", "run"]
