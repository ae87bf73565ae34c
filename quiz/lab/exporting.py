"""A run's points to take away: CSV with one row a point, or JSON; every figure unrounded."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from quiz.lab.demos.demo import Demo, Parameters
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row

# Names that come first, in this order; a demonstration's own follow by the alphabet.
CONFIGURATION = ("backend", "length", "batch", "heads", "width", "dtype", "causal", "device", "seed")
FIGURES = (
    "median_ms", "p25_ms", "p75_ms", "min_ms", "n", "cold_ms", "flops", "peak_bytes", "predicted_peak_bytes",
    "error", "allowed_error", "rows_checked", "kernel", "backend_ran", "reason",
)  # fmt: skip
# What `attention_core.measuring.machine` says; its "device" is the card's name, or "cpu".
MACHINE = (
    "processor", "cores", "threads", "system", "python", "numpy", "torch", "card", "uuid", "driver", "cuda",
    "cudnn", "tf32", "measuring",
)  # fmt: skip
_NOT_FIGURES = {"outcome", "configuration", "machine", "tflops"}
_PLAIN = (str, int, float, type(None))


def to_csv(rows: Iterable[Row]) -> str:
    """The table with a header. A text that a spreadsheet would take for a formula gets an apostrophe."""
    rows = list(rows)
    configuration, figures = _names(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        ("position", "attempt", *configuration, "outcome", *figures, "flops_per_second", *MACHINE,
         "measured_at")
    )  # fmt: skip
    for row in rows:
        writer.writerow(
            [
                _cell(value)
                for value in (
                    row.position,
                    row.attempt,
                    *(row.configuration.get(name) for name in configuration),
                    row.outcome.value,
                    *(row.measurement.get(name) for name in figures),
                    row.flops_a_second,
                    *(_of_machine(row, name) for name in MACHINE),
                    row.measured_at.isoformat(),
                )
            ]
        )
    return out.getvalue()


def _of_machine(row: Row, name: str) -> Any:
    if name != "card":
        return row.machine.get(name)
    device = row.machine.get("device")
    return None if device == "cpu" else device


def _names(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """What the points are configured by, and the plain figures that any of them has."""
    configured = {name for row in rows for name in row.configuration}
    measured = {
        name for row in rows for name, value in row.measurement.items() if isinstance(value, _PLAIN)
    } - _NOT_FIGURES
    return _ordered(configured, CONFIGURATION), _ordered(measured, FIGURES)


def _ordered(names: set[str], first: Sequence[str]) -> list[str]:
    return [name for name in first if name in names] + sorted(names - set(first))


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def to_json(demo: Demo, parameters: Parameters, rows: Iterable[Row]) -> str:
    """The whole run as JSON, which `from_json` reads again."""
    told = {
        "demo": demo.slug,
        "parameters": dict(parameters),
        "points": [
            {
                "position": row.position,
                "attempt": row.attempt,
                "configuration": row.configuration,
                "outcome": row.outcome.value,
                "measurement": row.measurement,
                "measured_at": row.measured_at.isoformat(),
            }
            for row in rows
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False)


def from_json(text: str, demo: Demo) -> tuple[dict[str, Any], list[Row]]:
    """(parameters, rows) of a run that `to_json` wrote."""
    told = json.loads(text)
    rows = [
        Row(
            **{
                **point,
                "outcome": Outcome(point["outcome"]),
                "measured_at": datetime.fromisoformat(point["measured_at"]),
            },
            demo=demo,
        )
        for point in told["points"]
    ]
    return told["parameters"], rows
