"""Logarithmic axes: which part of the line is shown, where a value falls, and which ticks are named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def drawable(value: float | None) -> bool:
    """Whether a value has a place on a logarithmic axis: finite and above zero."""
    return value is not None and math.isfinite(value) and value > 0


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


def decade_axis(values: Iterable[float], *, start: float, end: float) -> LogAxis:
    """An axis from the decade at or below the smallest value to the one at or above the largest."""
    logs = [math.log10(value) for value in values]
    low = math.floor(min(logs, default=0.0))
    high = math.ceil(max(logs, default=1.0))
    return LogAxis(low=low, high=max(high, low + 1), start=start, end=end)


def spanning_axis(values: Iterable[float], *, start: float, end: float) -> LogAxis:
    """An axis that ends at the data; a single value stands in the middle."""
    logs = [math.log10(value) for value in values]
    low, high = min(logs, default=0.0), max(logs, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return LogAxis(low=low, high=high, start=start, end=end)


def decades(axis: LogAxis, *, most: int = 7) -> list[float]:
    """The exponents to draw a grid line at: every decade, or every n-th when there are more than `most`."""
    low, high = round(axis.low), round(axis.high)
    step = max(1, math.ceil((high - low) / most))
    return [float(exponent) for exponent in range(low, high + 1, step)]


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
