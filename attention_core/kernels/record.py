"""What really ran: the operators that were dispatched, not the ones that were asked for."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
# In inference mode these arrive whole, before the choice is made.
_COMPOSITES = ("aten::scaled_dot_product_attention", "aten::softmax")


@dataclass(frozen=True)
class Record:
    """One kernel run: what was asked, what ran (`kernel` is the operator that proves it) and on what.

    `fell_back_because` is None when the asked backend ran. `ran` is "none" for an empty product. The driver
    is the card's; `cuda_version` and `cudnn_version` are the libraries that torch loaded, because another
    cuDNN is another kernel. None where there is no card.
    """

    asked: str
    ran: str
    kernel: str
    fell_back_because: str | None
    device: str
    dtype: str
    shapes: dict[str, list[int]]
    mask_kind: str
    torch_version: str
    driver_version: str | None
    cuda_version: str | None
    cudnn_version: int | None

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


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


def spied(call: Callable[[], torch.Tensor]) -> tuple[torch.Tensor, str, str]:
    """(output, path that ran, operator that proves it). Slows the call a little: never time a spied one.

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


def dtype_name(dtype: torch.dtype) -> str:
    """The dtype without its library: float32 for torch.float32."""
    return str(dtype).removeprefix("torch.")


def device_name(device: torch.device) -> str:
    """The card's name, or "cpu"."""
    return str(torch.cuda.get_device_name(device) if device.type == "cuda" else device.type)


def launched(call: Callable[[], Any]) -> list[str]:
    """Names of the CUDA kernels that a call launches, by PyTorch's profiler; none on a CPU. Never time it."""
    if not torch.cuda.is_available():
        return []
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        call()
        torch.cuda.synchronize()
    names = [event.name for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return sorted(set(names))


def driver_version() -> str | None:
    """The version of the NVIDIA driver, told by Linux; None where there is none."""
    try:
        told = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return None
    found = re.search(r"\b\d+\.\d+(\.\d+)?\b", told)
    return found.group() if found else None


def cuda_version() -> str | None:
    """The CUDA version that this torch was built for; None for a CPU build."""
    version: str | None = torch.version.cuda
    return version


def cudnn_version() -> int | None:
    """The cuDNN that torch loaded, such as 92000; None without one."""
    version: int | None = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
    return version
