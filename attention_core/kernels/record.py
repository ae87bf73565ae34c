"""The record of one run: what was asked, what ran, and on what."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch


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


def dtype_name(dtype: torch.dtype) -> str:
    """The dtype without its library: float32 for torch.float32."""
    return str(dtype).removeprefix("torch.")


def device_name(device: torch.device) -> str:
    """The card's name, or "cpu"."""
    return str(torch.cuda.get_device_name(device) if device.type == "cuda" else device.type)


def device_uuid(device: torch.device) -> str | None:
    """What the driver calls this very card, "GPU-…", whatever its number; None for a CPU."""
    if device.type != "cuda":
        return None
    uuid = str(torch.cuda.get_device_properties(device).uuid)
    return uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"


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
