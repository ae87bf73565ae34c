"""One point in a child process: watched, limited in time and memory, killed without a trace when it must end.

The child has a process group of its own, so that Ctrl-C in a terminal reaches only the worker, which ends
the child and gives the run back; the kernel kills it when the worker dies. What it says on standard output is
the result; anything else is a stated outcome.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from quiz.lab.outcomes import Outcome

MODULE = "attention_core.benchmark"
ADDRESS_SPACE_EXTRA = 4 * 2**30  # what torch maps and never touches
LOOK_SECONDS = 0.05
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds of wall clock; resident bytes; `address_space` bounds allocations too (not on a GPU)."""

    seconds: float
    memory: int
    address_space: bool = True


Measured = dict[str, Any]


def measure(
    configuration: dict[str, Any],
    *,
    limits: Limits,
    budget: float,
    check: Callable[[], None],
    module: str = MODULE,
) -> Measured:
    """The measurement as the child printed it, or {"outcome", "reason"} when the child could not.

    `check` is called about 20 times a second; whatever it raises ends the child at once and is passed on.
    """
    space = limits.memory + ADDRESS_SPACE_EXTRA if limits.address_space else 0
    command = [sys.executable, "-m", "quiz.lab.guarded", str(space), str(os.getpid()), module]
    command += ["--json", json.dumps(configuration), "--budget", str(budget)]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            process_group=0,
        )
        try:
            ended = _watch(child, limits, check)
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
        return ended or _read(child.returncode, output, errors)


def _watch(child: subprocess.Popen[bytes], limits: Limits, check: Callable[[], None]) -> Measured | None:
    """Wait for the child. A result only when it has to be stopped."""
    end = time.monotonic() + limits.seconds
    while child.poll() is None:
        check()
        if time.monotonic() > end:
            return _without_figures(Outcome.TIMED_OUT, f"stopped after {limits.seconds:g} s")
        if resident_bytes(child.pid) > limits.memory:
            return _without_figures(Outcome.OUT_OF_MEMORY, f"stopped at {limits.memory} resident bytes")
        time.sleep(LOOK_SECONDS)
    return None


def resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 when it is gone or the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _read(code: int, output: IO[str], errors: IO[str]) -> Measured:
    """What a child that ended by itself has to say."""
    output.seek(0)
    errors.seek(0)
    said = errors.read()
    if code == -signal.SIGKILL:
        return _without_figures(Outcome.OUT_OF_MEMORY, "killed by the system, as when memory runs out")
    if code < 0:
        return _without_figures(Outcome.CRASHED, signal.Signals(-code).name)
    if code != 0:
        last = (said.strip().splitlines() or [f"exit code {code}"])[-1][:300]
        ran_out = "MemoryError" in last or "allocate memory" in last
        return _without_figures(Outcome.OUT_OF_MEMORY if ran_out else Outcome.CRASHED, last)
    try:
        found = json.loads(output.read().strip().splitlines()[-1])
        Outcome(found["outcome"])
    except (ValueError, IndexError, KeyError, TypeError):
        return _without_figures(Outcome.CRASHED, "the measuring process printed no result")
    return dict(found)


def _without_figures(outcome: Outcome, reason: str) -> Measured:
    return {"outcome": outcome.value, "reason": reason}
