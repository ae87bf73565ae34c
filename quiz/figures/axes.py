"""Axes, logarithmic and linear: which part is shown, where a value falls, and which ticks are named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Scale = Literal["log", "linear"]
NARROW = 1.0  # decades: less than this fills only a part of whole decades
EDGE = 0.02  # decades between the data and the end of the axis
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def drawable(value: float | None, scale: Scale = "log") -> bool:
    """Whether a value has a place on an axis: finite, and above zero on a logarithmic one."""
    return value is not None and math.isfinite(value) and (value > 0 or scale == "linear")


@dataclass(frozen=True, kw_only=True)
class LogAxis:
    """Maps log₁₀ values in [low, high] to pixels from `start` to `end` (start may be the larger)."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; increasing in the value when start < end. Clamped to the axis."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self) -> list[tuple[float, str]]:
        """The decades inside, or 1, 2, 5 of each where there is at most one; each with its name."""
        exponents = list(range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1))
        if len(exponents) > 1:
            step = max(1, math.ceil(len(exponents) / 7))
            return [(10.0**e, decade_name(e)) for e in exponents[::step]]
        steps = [
            m * 10.0**e
            for e in range(math.floor(self.low), math.floor(self.high + 1e-9) + 1)
            for m in (1, 2, 5)
        ]
        inside = [v for v in steps if self.low - 1e-9 <= math.log10(v) <= self.high + 1e-9]
        return [(value, significant(value)) for value in inside]


@dataclass(frozen=True, kw_only=True)
class LinearAxis:
    """Maps values in [low, high] to pixels from `start` to `end`; ticks stand `step` apart."""

    low: float
    high: float
    start: float
    end: float
    step: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self) -> list[tuple[float, str]]:
        """Every whole multiple of the step inside, with its name."""
        places = range(math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9) + 1)
        return [(n * self.step, significant(n * self.step, digits=6)) for n in places]


Axis = LogAxis | LinearAxis


def height_axis(values: Iterable[float], scale: Scale, *, start: float, end: float) -> Axis:
    """The axis of heights: whole decades, or whole steps, from zero on where the values are near it."""
    if scale == "log":
        return decade_axis(values, start=start, end=end)
    low, high = _ends(values)
    low, high = (0.0, high) if 0 <= low <= 0.6 * high else (low, high)
    low, high = (low, 0.0) if 0 > high >= 0.6 * low else (low, high)
    step = _step(high - low)
    ends = (math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)
    return LinearAxis(low=ends[0], high=ends[1], start=start, end=end, step=step)


def width_axis(values: Iterable[float], scale: Scale, *, start: float, end: float) -> Axis:
    """The axis along which the data run: it ends where they end."""
    if scale == "log":
        return spanning_axis(values, start=start, end=end)
    low, high = _ends(values)
    return LinearAxis(low=low, high=high, start=start, end=end, step=_step(high - low))


def _ends(values: Iterable[float]) -> tuple[float, float]:
    """The smallest and the largest, apart even when they are one."""
    known = list(values) or [0.0, 1.0]
    low, high = min(known), max(known)
    if high - low < 1e-9 * max(1.0, abs(high)):
        room = abs(high) / 2 or 1.0
        return low - room, high + room
    return low, high


def _step(span: float, *, most: int = 6) -> float:
    """1, 2 or 5 times a power of ten, so that at most `most` steps fill the span."""
    power: float = 10.0 ** math.floor(math.log10(span / most))
    return next(power * m for m in (1, 2, 5, 10) if power * m * most >= span * (1 - 1e-9))


def decade_axis(values: Iterable[float], *, start: float, end: float) -> LogAxis:
    """An axis from the decade at or below the smallest value to the one at or above the largest.

    Values that lie within one decade would be a flat line on it: theirs ends at 1, 2 or 5 of a decade.
    """
    logs = [math.log10(value) for value in values]
    least, most = min(logs, default=0.0), max(logs, default=1.0)
    if most - least < NARROW:
        low, high = _step_below(least), _step_above(most)
        return LogAxis(low=low, high=high, start=start, end=end)
    return LogAxis(low=math.floor(least), high=math.ceil(most), start=start, end=end)


def _step_below(log: float) -> float:
    """log₁₀ of the largest of 1, 2, 5 times a power of ten that is clearly below."""
    return max(step for step in _steps(log) if step < log - EDGE)


def _step_above(log: float) -> float:
    return min(step for step in _steps(log) if step > log + EDGE)


def _steps(log: float) -> list[float]:
    whole = math.floor(log)
    return [power + math.log10(m) for power in range(whole - 1, whole + 3) for m in (1, 2, 5)]


def spanning_axis(values: Iterable[float], *, start: float, end: float) -> LogAxis:
    """An axis that ends at the data; a single value stands in the middle."""
    logs = [math.log10(value) for value in values]
    low, high = min(logs, default=0.0), max(logs, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return LogAxis(low=low, high=high, start=start, end=end)


def decade_name(exponent: float) -> str:
    """`0.001` to `10000`, then `10⁵`."""
    if -3 <= exponent <= 4:
        return f"{10.0**exponent:.3f}".rstrip("0").rstrip(".")
    return "10" + str(round(exponent)).translate(SUPERSCRIPT)


def significant(value: float, *, digits: int = 3) -> str:
    """A value for people with so many significant digits: `0.0123`, `1.2`, `370`, `16384`."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if not -5 <= exponent <= 9:
        return f"{value:.{digits - 1}e}"
    text = f"{value:.{max(0, digits - 1 - exponent)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def spaced(positions: Sequence[float], widths: Sequence[float], *, gap: float = 8) -> list[int]:
    """Which of the centred labels can be printed without touching: the last always, then from the right."""
    kept: list[int] = []
    edge = math.inf
    for index in sorted(range(len(positions)), key=lambda i: -positions[i]):
        if positions[index] + widths[index] / 2 <= edge:
            kept.append(index)
            edge = positions[index] - widths[index] / 2 - gap
    return sorted(kept)
