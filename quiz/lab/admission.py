"""Is there room and time for a run? Said as a sum, before anything is allocated.

A point needs the process, its inputs, and the larger of the call and the check in float64. It is admitted
when that is at most nine tenths of what is free on the worker's device. A point that does not fit is not run
and stands as ✗ on the chart; a run in which some size has no way left that fits is refused. The worker
asks again before each point, because what is free changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from quiz.lab.demos.demo import Configuration, Demo, Parameters, Term
from quiz.lab.device import Device
from quiz.lab.outcomes import SHARE

# An interpreter with torch loaded: resident bytes (a CUDA context is on the card).
PROCESS_BYTES = {"cpu": 256 * 2**20, "cuda": 512 * 2**20}
# Careful rates in FLOP/s: an unfused float32 pass on one core, and the same on a data-centre card.
RATES = {"cpu": 2.5e10, "cuda": 1e13}
START_SECONDS = 4.0  # a new process imports torch, draws inputs and checks the result
CALLS = 8  # the cold one, the watched one, the one for memory, warm-up and the least repetitions
BUDGET_SECONDS = 1.0  # for repetitions
LONGEST = 2**20


@dataclass(frozen=True, kw_only=True)
class Need:
    """What one point needs: the terms and their sum."""

    name: str
    configuration: Configuration
    terms: tuple[Term, ...]
    seconds: float

    @property
    def total(self) -> int:
        return sum(term.size for term in self.terms)


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """A run against a device: every point's need, which points fit, and whether the run is admitted."""

    demo: Demo
    parameters: Parameters
    device: Device | None
    needs: tuple[Need, ...]

    @property
    def room(self) -> int | None:
        """Bytes that may be asked for: nine tenths of what is free; None while no device is known."""
        return None if self.device is None else int(self.device.free_bytes * SHARE)

    @property
    def kind(self) -> str:
        """The kind of device it is for, "cpu" or "cuda"."""
        return self.device.kind if self.device else "cpu"

    def fits(self, need: Need) -> bool:
        return self.room is None or need.total <= self.room

    @cached_property
    def largest(self) -> tuple[Need, ...]:
        """The most demanding point of each way to compute it."""
        most: dict[str, Need] = {}
        for need in self.needs:
            kept = most.get(need.configuration[self.demo.way])
            if kept is None or need.total > kept.total:
                most[need.configuration[self.demo.way]] = need
        return tuple(most.values())

    @cached_property
    def left_out(self) -> tuple[Need, ...]:
        """Points that will not be run, for want of memory."""
        return tuple(need for need in self.needs if not self.fits(need))

    @cached_property
    def impossible_sizes(self) -> tuple[int, ...]:
        """Sizes at which no chosen way fits."""
        possible = {need.configuration[self.demo.x] for need in self.needs if self.fits(need)}
        return tuple(sorted({need.configuration[self.demo.x] for need in self.needs} - possible))

    @property
    def is_admitted(self) -> bool:
        return not self.impossible_sizes

    @property
    def seconds(self) -> float:
        return sum(need.seconds for need in self.needs if self.fits(need))


def assess(demo: Demo, parameters: Parameters, device: Device | None) -> Assessment:
    """What a run would need on a device (None: not known yet, then only the worker can tell)."""
    kind = device.kind if device else "cpu"
    needs = tuple(need_of(demo, point, kind=kind) for point in demo.points(parameters))
    return Assessment(demo=demo, parameters=parameters, device=device, needs=needs)


def need_of(demo: Demo, configuration: Configuration, *, kind: str) -> Need:
    """The need of one point on a kind of device."""
    process = Term(name=_("the process with torch"), formula="", size=PROCESS_BYTES[kind])
    calls = CALLS * demo.calls_flops(configuration) / RATES[kind]
    return Need(
        name=demo.point_name(configuration),
        configuration=configuration,
        terms=(process, *demo.terms(configuration)),
        seconds=START_SECONDS + BUDGET_SECONDS * 1.2 + min(calls, demo.most_budgets * BUDGET_SECONDS),
    )


def largest_size(demo: Demo, configuration: Configuration, device: Device) -> int:
    """The largest size `x` that this point would be admitted with, all else equal; 0 when none."""
    room = int(device.free_bytes * SHARE)
    return largest_size_within(demo, configuration, room=room, kind=device.kind)


def largest_size_within(demo: Demo, configuration: Configuration, *, room: int, kind: str) -> int:
    """The largest size `x` with which this point needs at most `room` bytes; 0 when none."""
    low, high = 0, LONGEST
    while low < high:
        middle = (low + high + 1) // 2
        if need_of(demo, {**configuration, demo.x: middle}, kind=kind).total <= room:
            low = middle
        else:
            high = middle - 1
    return low


def best_device(devices: Sequence[Device]) -> Device | None:
    """The device a run may count on: of those that can measure, the one with most memory free."""
    able = [device for device in devices if device.can_measure]
    return max(able, key=lambda device: device.free_bytes, default=None)
