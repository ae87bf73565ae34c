"""A run's points as rows for tables, charts and CSV: one row a position, the latest attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from quiz.lab.demos.demo import Demo
from quiz.lab.formatting import size, threads_told
from quiz.lab.models import Point
from quiz.lab.outcomes import FOR_MEMORY, SHARE, Outcome
from quiz.lab.reasons import translated


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured point. Times in milliseconds, memory in bytes; None where there is none."""

    position: int
    attempt: int
    configuration: dict[str, Any]
    outcome: Outcome
    measurement: dict[str, Any]
    measured_at: datetime
    demo: Demo

    @property
    def way(self) -> str:
        return str(self.configuration[self.demo.way])

    @property
    def x(self) -> int:
        return int(self.configuration[self.demo.x])

    @property
    def name(self) -> str:
        return self.demo.point_name(self.configuration)

    @property
    def is_measured(self) -> bool:
        return self.outcome == Outcome.MEASURED

    @property
    def lacks_memory(self) -> bool:
        return self.outcome in FOR_MEMORY

    @property
    def reason(self) -> str:
        """The outcome in the reader's words, with the sum of a refusal or what the measuring process said."""
        needed, free = self.number("needed_bytes"), self.number("free_bytes")
        said = translated(str(self.measurement.get("reason") or ""))
        if needed is not None and free is not None:
            said = _("needs %(needed)s; nine tenths of the %(free)s that were free are %(room)s") % {
                "needed": size(needed),
                "free": size(free),
                "room": size(free * SHARE),
            }
        return f"{self.outcome.label}: {said}" if said else str(self.outcome.label)

    @property
    def fell_back(self) -> bool:
        """Another path ran than the one asked for."""
        ran = self.measurement.get("backend_ran")
        return bool(ran) and ran != self.way

    def number(self, name: str) -> float | None:
        value = self.measurement.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    @property
    def median(self) -> float | None:
        return self.number("median_ms")

    @property
    def low(self) -> float | None:
        return self.number("p25_ms")

    @property
    def high(self) -> float | None:
        return self.number("p75_ms")

    @property
    def peak(self) -> float | None:
        return self.number("peak_bytes")

    @property
    def predicted(self) -> float | None:
        return self.number("predicted_peak_bytes")

    @property
    def flops_a_second(self) -> float | None:
        """At the median, counting 4·H·d for each visible pair and nothing for softmax."""
        flops = self.number("flops")
        return flops / (self.median * 1e-3) if flops and self.median else None

    @property
    def machine(self) -> dict[str, Any]:
        found = self.measurement.get("machine")
        return found if isinstance(found, dict) else {}


def rows_of(points: Iterable[Point], demo: Demo) -> list[Row]:
    """The rows by position. Measured twice (after a lost worker), a position counts by its last attempt."""
    latest: dict[int, Point] = {}
    for point in points:
        kept = latest.get(point.position)
        if kept is None or point.attempt > kept.attempt:
            latest[point.position] = point
    return [
        Row(
            position=point.position,
            attempt=point.attempt,
            configuration=point.configuration,
            outcome=Outcome(point.outcome),
            measurement=point.measurement,
            measured_at=point.created_at,
            demo=demo,
        )
        for _place, point in sorted(latest.items())
    ]


def machine_parts(machine: Mapping[str, Any]) -> list[str]:
    """What is known of a machine, for people: `CPU`, `AMD EPYC`, `2 threads`, `torch 2.13.0`, …"""
    device, threads = str(machine.get("device") or ""), machine.get("threads")
    parts = ["CPU" if device == "cpu" else device, str(machine.get("processor") or "")]
    if threads:
        parts.append(threads_told(int(threads)))
    for name, title in (("torch", "torch"), ("cuda", "CUDA"), ("driver", _("driver")), ("python", "Python")):
        if machine.get(name):
            parts.append(f"{title} {machine[name]}")
    return [part for part in (*parts, str(machine.get("system") or "")) if part]


def machines(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The distinct machines the figures come from, in the order they appear."""
    found: list[dict[str, Any]] = []
    for row in rows:
        if row.machine and row.machine not in found:
            found.append(row.machine)
    return found
