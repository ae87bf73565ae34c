"""Time of one call, honestly: warmed up, repeated, synchronised, and told as quartiles.

The host clock is right on a CPU. CUDA launches return at once, so there a pair of events on the same stream
brackets each call and is read after one synchronisation; the card is kept busy first until the launches have
queued up, or a short call would wait for Python between its events. Caches are left warm. The inputs are the
caller's: random normal ones, because a card draws less power on zeros and runs faster.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

import torch

LEAST = 5  # repetitions, unless one call alone exceeds the budget
MOST = 200
SLOW = 3
_WARM_SHARE = 0.2  # of the budget
_AHEAD = 1.5  # how much longer the card is kept busy than the launches should take
_LONGEST_AHEAD = 0.5  # seconds
_CYCLES = 2e9  # of a card in a second, roughly


@dataclass(frozen=True)
class Times:
    """Milliseconds: median, quartiles and least of `n` repetitions."""

    median: float
    p25: float
    p75: float
    least: float
    n: int


def once(call: Callable[[], Any], device: torch.device) -> float:
    """Milliseconds of one call by the host clock, synchronised on both sides (for the cold call)."""
    _settle(device)
    start = time.perf_counter()
    call()
    _settle(device)
    return (time.perf_counter() - start) * 1e3


def repeated(call: Callable[[], Any], device: torch.device, *, budget: float) -> Times:
    """Warm up by count and time, then repeat for `budget` seconds: 5 to 200 times, 3 if slower than it."""
    warm_until = time.perf_counter() + budget * _WARM_SHARE
    quickest = once(call, device)
    while time.perf_counter() < warm_until:
        quickest = min(quickest, once(call, device))
    least = LEAST if quickest < budget * 1e3 else SLOW
    if device.type == "cuda":
        return _summary(_cuda_samples(call, min(MOST, max(least, int(budget * 1e3 / quickest)))))
    return _summary(_host_samples(call, least, budget))


def _host_samples(call: Callable[[], Any], least: int, budget: float) -> list[float]:
    taken: list[float] = []
    end = time.perf_counter() + budget
    while len(taken) < least or (time.perf_counter() < end and len(taken) < MOST):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1e3)
    return taken


def _cuda_samples(call: Callable[[], Any], count: int) -> list[float]:
    """The clock says nothing of when launches end, so their number is fixed before."""
    pairs: list[tuple[Any, Any]] = []
    begun = time.perf_counter()
    call()
    launching = time.perf_counter() - begun
    torch.cuda.synchronize()
    torch.cuda._sleep(int(min(count * launching * _AHEAD, _LONGEST_AHEAD) * _CYCLES))
    for _ in range(count):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        pairs.append((start, stop))
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in pairs]


def _summary(samples: list[float]) -> Times:
    p25, median, p75 = quantiles(samples, n=4, method="inclusive")
    return Times(median=median, p25=p25, p75=p75, least=min(samples), n=len(samples))


def _settle(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
