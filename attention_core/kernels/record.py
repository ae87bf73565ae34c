"""What really ran: the operators that were dispatched, not the ones that were asked for."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
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
}
# In inference mode these arrive whole, before the choice is made.
_COMPOSITES = ("aten::scaled_dot_product_attention", "aten::softmax")


@dataclass(frozen=True)
class Record:
    """One kernel run: what was asked, what ran (`kernel` is the operator that proves it) and on what.

    `fell_back_because` is None when the asked backend ran. `ran` is "none" for an empty product.
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
        if self.operators[-1] in _COMPOSITES:
            with self:
                return function.decompose(*args, **(kwargs or {}))
        return function(*args, **(kwargs or {}))


def spied(call: Callable[[], torch.Tensor]) -> tuple[torch.Tensor, str, str]:
    """(output, path that ran, operator that proves it). Slows the call a little: never time a spied one."""
    with _Spy() as spy:
        output = call()
    for operator in spy.operators:
        if operator in PROOFS:
            return output, PROOFS[operator], operator
    return output, "none", "none"


def dtype_name(dtype: torch.dtype) -> str:
    """The dtype without its library: float32 for torch.float32."""
    return str(dtype).removeprefix("torch.")


def device_name(device: torch.device) -> str:
    """The card's name, or "cpu"."""
    return str(torch.cuda.get_device_name(device) if device.type == "cuda" else device.type)


def driver_version() -> str | None:
    """The CUDA version that this torch was built for, or None."""
    version: str | None = torch.version.cuda
    return version
