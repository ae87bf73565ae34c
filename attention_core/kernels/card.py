"""What a card is doing, told by the driver's own tool: clocks, power, throttling, who else uses it.

Only read, never set: a measurement says what state it was taken in, before and after. Cards are told apart by
their UUID, because their numbers depend on the order that a process sees. Where nvidia-smi is missing or says
nothing, nothing is known.
"""

import csv
import io
import os
import shutil
import subprocess
from typing import Any

FIGURES = {
    "clocks.sm": "sm_mhz",
    "clocks.mem": "memory_mhz",
    "power.draw": "power_w",
    "temperature.gpu": "temperature_c",
    "utilization.gpu": "utilisation_percent",
}
# The bits of the driver's mask that slow a card down; idle and settings are no throttling.
REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
}
_MASKS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")  # newer drivers, older ones
_SECONDS = 10
_MIB = 2**20


def cards() -> dict[str, dict[str, Any]]:
    """UUID → what that card is doing: `FIGURES` (None where not told) and "throttled", a list of reasons."""
    for mask in _MASKS:
        rows = _asked("--query-gpu=" + ",".join(("uuid", *FIGURES, mask)))
        if rows is not None:
            return {row[0]: _state(row[1:]) for row in rows if len(row) == len(FIGURES) + 2}
    return {}


def users() -> dict[str, dict[int, int | None]] | None:
    """UUID → id of each process that computes on that card → the bytes that it holds; None when not told.

    In a container the ids are those of the host, or hidden (`own`).
    """
    rows = _asked("--query-compute-apps=gpu_uuid,pid,used_memory")
    if rows is None:
        return None
    found: dict[str, dict[int, int | None]] = {}
    for row in rows:
        if len(row) == 3 and row[1].isdigit():
            held = _number(row[2])
            found.setdefault(row[0], {})[int(row[1])] = None if held is None else int(held * _MIB)
    return found


def own(before: dict[int, int | None], after: dict[int, int | None]) -> int | None:
    """Bytes that this process holds on a card: of its id or, where ids are the host's, of the only new one.

    >>> own({41: 10, 42: 10}, {41: 10, 42: 10, 43: 30})
    30
    """
    if os.getpid() in after:
        return after[os.getpid()]
    new = after.keys() - before.keys()
    return after[new.pop()] if len(new) == 1 else None


def _state(values: list[str]) -> dict[str, Any]:
    *figures, mask = values
    state: dict[str, Any] = {
        name: _number(text) for name, text in zip(FIGURES.values(), figures, strict=True)
    }
    bits = int(mask, 16) if mask.lower().startswith("0x") else 0
    return {**state, "throttled": [reason for bit, reason in REASONS.items() if bits & bit]}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # "[N/A]"
        return None


def _asked(query: str) -> list[list[str]] | None:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603
            [tool, query, "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=_SECONDS, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return [row for row in csv.reader(io.StringIO(done.stdout), skipinitialspace=True) if row]
