"""Peak memory of one call, beyond what was there before it.

On a GPU the allocator counts. On Linux the kernel keeps a high-water mark of resident memory (VmHWM) that
writing 5 to /proc/self/clear_refs resets. Freed memory that the allocator still holds must first be handed
back (malloc_trim), or the call reuses it and seems to need less than its own output. `getrusage` is no use
(its peak is inherited from the parent process), and neither is tracemalloc (it does not see torch).
Elsewhere the peak is not known: None.
"""

import ctypes
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

_RESET_PEAK = "5"


def peak_of(call: Callable[[], Any], device: torch.device) -> int | None:
    """Bytes by which memory rose at most during `call()`, or None where it cannot be measured."""
    if device.type == "cuda":
        return _cuda_peak(call, device)
    return _resident_peak(call) if sys.platform == "linux" else None


def _cuda_peak(call: Callable[[], Any], device: torch.device) -> int:
    torch.cuda.synchronize(device)
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    output = call()
    torch.cuda.synchronize(device)
    del output
    return int(torch.cuda.max_memory_allocated(device) - before)


def _resident_peak(call: Callable[[], Any]) -> int | None:
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    except (OSError, AttributeError):  # another C library, or a container that forbids it
        return None
    before = _status_bytes("VmRSS")
    output = call()
    peak = _status_bytes("VmHWM")
    del output
    return max(0, peak - before)


def _status_bytes(field: str) -> int:
    with Path("/proc/self/status").open() as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")
