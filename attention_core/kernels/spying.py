"""What really ran: the operators that were dispatched, not the ones that were asked for."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# The operator that only this path dispatches. PyTorch's unfused path is a composite, seen by its row-safe
# softmax.
PROOFS = {
    "aten::_scaled_dot_product_flash_attention_for_cpu": "flash",
    "aten::_scaled_dot_product_flash_attention": "flash",
    "aten::_scaled_dot_product_efficient_attention": "efficient",
    "aten::_scaled_dot_product_cudnn_attention": "cudnn",
    "aten::_scaled_dot_product_attention_math": "math",
    "aten::_safe_softmax": "math",
    "aten::_softmax": "naive",
    "attention_core::flex": "flex",
    "attention_core::flex_unfused": "flex",
    "attention_core::triton_flash": "triton_flash",
}
_OWN = "attention_core::"
ResultT = TypeVar("ResultT")
# In inference mode these arrive whole, before the choice is made.
_COMPOSITES = ("aten::scaled_dot_product_attention", "aten::softmax")


class _Spy(TorchDispatchMode):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.operators: list[str] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.operators.append(function.name().split(".")[0])
        if self.operators[-1].startswith(_OWN):
            return _apart(lambda: function(*args, **(kwargs or {})))
        if self.operators[-1] in _COMPOSITES:
            with self:
                return function.decompose(*args, **(kwargs or {}))
        return function(*args, **(kwargs or {}))


def spied(call: Callable[[], ResultT]) -> tuple[ResultT, str, str]:
    """(what it returns, path that ran, operator that proves it). Slows the call: never time a spied one.

    >>> spied(lambda: torch.softmax(torch.ones(2), dim=0))[1:]
    ('naive', 'aten::_softmax')
    """
    with _Spy() as spy:
        output = call()
    for operator in spy.operators:
        if operator in PROOFS:
            return output, PROOFS[operator], operator
    return output, "none", "none"


def _apart(call: Callable[[], Any]) -> Any:
    """In a thread of its own: vmap, which FlexAttention's mask needs, does not work under a dispatch mode."""
    inference = torch.is_inference_mode_enabled()

    def run() -> Any:
        with torch.inference_mode() if inference else torch.no_grad():
            return call()

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run).result()


def launched(call: Callable[[], Any], device: torch.device) -> list[str]:
    """Names of the CUDA kernels that a call launches, by PyTorch's profiler; none on a CPU. Never time it,
    and time nothing after it: what it attaches may stay."""
    if device.type != "cuda":  # and the card, if there is one, is left alone
        return []
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        call()
        torch.cuda.synchronize()
    names = [event.name for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return sorted(set(names))
