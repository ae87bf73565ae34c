"""A limit on the memory that one call may take beyond what this process holds already.

On Linux it is on the address space: an allocation beyond it is refused and raises, before a page is touched,
so that the system has nothing to kill. On CUDA it is on the allocator's share of the card. Two things would
blur it on Linux and are seen to: memory that was freed and is still held by the C library would be used
again for nothing (`hand_memory_back`), and threads map their stacks and arenas when they first run, so the
call must have run before. What a matrix library keeps from that first run is not counted either.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from attention_core.errors import UnsupportedKernel
from attention_core.measuring import ran_out

_MMAP_THRESHOLD = -3  # mallopt's name for it
_LARGE = 2**16  # blocks from here on are mapped one by one, and given back when they are freed


def hand_memory_back() -> None:
    """From now on the C library gives large blocks back to Linux when they are freed, which makes each a
    little slower. For the rest of the process: call it in one that only measures."""
    try:
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
    except (OSError, AttributeError):  # another C library, which keeps no large blocks
        pass


@contextmanager
def limited(device: torch.device, allowance: int) -> Iterator[None]:
    """Within, allocations that add up to more than `allowance` bytes raise what `exhausted` tells.

    Raises UnsupportedKernel where that much cannot be granted, or not be limited at all.
    """
    gc.collect()
    if device.type == "cuda":
        with _card(device, allowance):
            yield
    elif sys.platform == "linux":
        with _address_space(allowance):
            yield
    else:
        raise UnsupportedKernel(f"{sys.platform} cannot limit the memory of a process")


@contextmanager
def _address_space(allowance: int) -> Iterator[None]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = mapped_bytes() + allowance
    if soft != resource.RLIM_INFINITY and most > soft:
        raise UnsupportedKernel(f"this process may map {soft} bytes only, {most} are asked for")
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def _card(device: torch.device, allowance: int) -> Iterator[None]:
    torch.cuda.synchronize(device)
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info(device)
    if allowance > free:
        raise UnsupportedKernel(f"{free} bytes are free on the card, {allowance} are asked for")
    most = torch.cuda.memory_reserved(device) + allowance
    index = torch.cuda.current_device()  # which this setting, unlike the others, wants to be told
    torch.cuda.set_per_process_memory_fraction(min(1.0, most / total), index)
    try:
        yield
        torch.cuda.synchronize(device)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, index)
        torch.cuda.empty_cache()


def mapped_bytes() -> int:
    """The address space that this process has mapped (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def exhausted(error: BaseException) -> bool:
    """Whether an error means that the limit was met: PyTorch's own, Python's, or that of a C++ library."""
    return ran_out(error) or (isinstance(error, RuntimeError) and "bad_alloc" in str(error))
