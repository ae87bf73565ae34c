"""A run's points as CSV: every figure unrounded, one row a point."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from quiz.lab.results import Row

CONFIGURATION = ("backend", "length", "batch", "heads", "width", "dtype", "causal", "device", "seed")
FIGURES = (
    "median_ms", "p25_ms", "p75_ms", "min_ms", "n", "cold_ms", "flops", "peak_bytes", "predicted_peak_bytes",
    "error", "allowed_error", "rows_checked", "kernel", "backend_ran", "reason",
)  # fmt: skip
MACHINE = ("processor", "threads", "torch", "python", "system", "cuda")
COLUMNS = (
    "position", "attempt", *CONFIGURATION, "outcome", *FIGURES, "flops_per_second", *MACHINE, "measured_at",
)  # fmt: skip


def to_csv(rows: Iterable[Row]) -> str:
    """The table with a header. A text that a spreadsheet would take for a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(value) for value in _values(row)])
    return out.getvalue()


def _values(row: Row) -> list[Any]:
    return [
        row.position,
        row.attempt,
        *(row.configuration.get(name) for name in CONFIGURATION),
        row.outcome.value,
        *(row.measurement.get(name) for name in FIGURES),
        row.flops_a_second,
        *(row.machine.get(name) for name in MACHINE),
        row.measured_at.isoformat(),
    ]


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
