"""What every measuring command shares: reading its configuration, saying what machine it ran on, stating how
it ended, printing one JSON line.

A measuring module has `measure(configuration, budget=…)` that gives one flat object with an "outcome":
"measured", "wrong" (a wrong result is never timed), "out_of_memory" or "unsupported".
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from attention_core.errors import ArgumentError, NumericalError, ShapeError, UnsupportedKernel

BUDGET = 2.0  # seconds of repetitions
# Raised whenever a figure changes its meaning: only runs of one version answer for each other.
MEASURING_VERSION = 1
LARGEST = {"batch": 2**16, "heads": 2**12, "length": 2**24, "width": 2**12, "seed": 2**63 - 1}
# PyTorch's allocator, the system (ENOMEM), CUDA and its libraries, whose own errors are plain RuntimeErrors.
RAN_OUT = (
    "can't allocate memory",
    "Cannot allocate memory",
    "CUDA error: out of memory",
    "_STATUS_ALLOC_FAILED",
)
Found = dict[str, Any]
ConfigurationT = TypeVar("ConfigurationT")


def check_whole(name: str, value: Any, *, least: int = 1, most: int = 2**24) -> None:
    """Refuse by name what is not a whole number in these bounds.

    >>> check_whole("heads", 8)
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ShapeError(name, repr(value), f"a whole number from {least} to {most}")


def check_one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """Refuse by name what is not one of these.

    >>> check_one_of("sharing", "mha", ("mha", "mqa"))
    """
    if value not in known:
        raise ShapeError(name, repr(value), " or ".join(known))


def check_device(device: str) -> None:
    """Refuse what is not a CPU or the card; of several, CUDA_VISIBLE_DEVICES chooses one."""
    check_one_of("device", device, ("cpu", "cuda"))


def read(text: str, kind: type[ConfigurationT], *, required: str) -> ConfigurationT:
    """A configuration from a JSON object; unknown names and wrong values are refused by name."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ShapeError("json", repr(text), f"a JSON object ({error})") from None
    if not isinstance(values, dict) or required not in values:
        raise ShapeError("json", repr(text), f"a JSON object with at least a {required}")
    known: dict[str, Any] = vars(kind)["__dataclass_fields__"]
    unknown = values.keys() - known.keys()
    if unknown:
        raise ShapeError("json", ", ".join(sorted(unknown)), ", ".join(known))
    return kind(**values)


def guarded(device: str, work: Callable[[], Found]) -> Found:
    """What `work` found without gradients, or how it ended instead; always with the machine and its load."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        return {"outcome": "unsupported", "reason": "this machine has no usable CUDA device"}
    start: Found = {"outcome": "measured", "reason": None, "machine": machine(device), "load": load()}
    try:
        with torch.no_grad():
            return start | work()
    except UnsupportedKernel as error:
        return start | {"outcome": "unsupported", "reason": str(error)}
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        return start | {"outcome": "out_of_memory", "reason": first_line(error)}


def ran_out(error: BaseException) -> bool:
    """Whether an error means that memory ran out: by its kind, or by what the system's, CUDA's and its
    libraries' own errors say."""
    import torch

    said = str(error)
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(text in said for text in RAN_OUT)


def command(
    measuring: Callable[[str, float], Found], arguments: Sequence[str] | None, *, module: str, example: str
) -> int:
    """Print what `measuring(JSON, budget)` found as one JSON line and return 0; 2 if it is refused."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description="Measure one configuration.")
    parser.add_argument("--json", required=True, help=f"such as {example}")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of repetitions (default 2)")
    options = parser.parse_args(arguments)
    try:
        if not 0 < options.budget <= 3600:
            raise NumericalError("budget", repr(options.budget), "seconds, more than 0 and at most 3600")
        found = measuring(options.json, options.budget)
    except ArgumentError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(
        json.dumps({name: plain(value) for name, value in found.items()}, allow_nan=False) + "\n"
    )
    return 0


def plain(value: Any) -> Any:
    """Ready for JSON: NaN and infinity become None, in lists too.

    >>> plain([1.0, float("nan")])
    [1.0, None]
    """
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def load() -> float | None:
    """Processes that wanted to run in the last minute, on average: how busy the machine was before."""
    try:
        return round(os.getloadavg()[0], 2)
    except (OSError, AttributeError):
        return None


def machine(device: str) -> dict[str, Any]:
    """What the figures were measured on: names, versions, threads."""
    import torch

    from attention_core.kernels.record import (
        cuda_version,
        cudnn_version,
        device_name,
        device_uuid,
        driver_version,
    )

    return {
        "measuring": MEASURING_VERSION,
        "device": device_name(torch.device(device)),
        "uuid": device_uuid(torch.device(device)),
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "cuda": cuda_version(),
        "cudnn": cudnn_version(),
        "driver": driver_version(),
        "tf32": torch.backends.cuda.matmul.allow_tf32,
    }


def processor() -> str:
    """The processor's own name."""
    try:
        with Path("/proc/cpuinfo").open() as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def first_line(error: BaseException) -> str:
    """What an error says, without what follows."""
    return (str(error) or type(error).__name__).splitlines()[0]
