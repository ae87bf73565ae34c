"""One point in a child process: watched, limited in time and memory, killed without a trace when it must end.

The child has a process group of its own, so that Ctrl-C in a terminal reaches only the worker, which ends
the child and gives the run back, and so that whatever the child started ends with it; the kernel kills it
when the worker dies. What it says on standard output is the result; anything else is a stated outcome. It is
kept in memory: a full disk spoils no measurement.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from attention_core.measuring import RAN_OUT
from quiz.lab.outcomes import Outcome

MODULE = "attention_core.benchmark"
ADDRESS_SPACE_EXTRA = 4 * 2**30  # what torch maps and never touches
LOOK_SECONDS = 0.05
KILL_SECONDS = 10.0  # a process that waits for a device cannot even be killed
HEARD_BYTES = 2**20  # of what the child said, the end
ERROR = re.compile(r"[A-Za-z_][\w.]*(Error|Exception)\b")
NO_RESULT = "the measuring process printed no result"
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
    with _kept("output") as output, _kept("errors") as errors:
        child = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            process_group=0,
        )
        try:
            stopped = _watch(child, limits, check)
        finally:
            code = _end(child)
        return stopped or _read(code, _heard(output), _heard(errors))


def _kept(name: str) -> IO[bytes]:
    """A file in memory where the system has them."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(name), "w+b")
    return tempfile.TemporaryFile()


def _heard(said: IO[bytes]) -> str:
    """The end of what the child said; what is no text is replaced, so that it can be stored."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - HEARD_BYTES))
    return said.read().decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _watch(child: subprocess.Popen[bytes], limits: Limits, check: Callable[[], None]) -> Measured | None:
    """Wait for the child. A result only when it has to be stopped."""
    end = time.monotonic() + limits.seconds
    while not _has_ended(child):
        check()
        if time.monotonic() > end:
            return _without_figures(Outcome.TIMED_OUT, f"stopped after {limits.seconds:g} s")
        if resident_bytes(child.pid) > limits.memory:
            return _without_figures(Outcome.OUT_OF_MEMORY, f"stopped at {limits.memory} resident bytes")
        time.sleep(LOOK_SECONDS)
    return None


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Without collecting it: until then its group's number cannot be anyone else's."""
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(child: subprocess.Popen[bytes]) -> int:
    """Kill what is left of the child and of all that it started; its exit code (negative: a signal)."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    try:
        return child.wait(timeout=KILL_SECONDS)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL


def resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 when it is gone or the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _read(code: int, output: str, errors: str) -> Measured:
    """What a child that ended by itself has to say."""
    if code == -signal.SIGKILL:
        return _without_figures(Outcome.OUT_OF_MEMORY, "killed by the system, as when memory runs out")
    if code < 0:
        return _without_figures(Outcome.CRASHED, _signal_name(-code))
    if code != 0:
        said = _error(errors) or f"exit code {code}"
        ran_out = any(text in said for text in ("MemoryError", "OutOfMemory", *RAN_OUT))
        return _without_figures(Outcome.OUT_OF_MEMORY if ran_out else Outcome.CRASHED, said)
    try:
        found = json.loads(output.strip().splitlines()[-1], parse_constant=_refuse)
        Outcome(found["outcome"])
    except (ValueError, IndexError, KeyError, TypeError, RecursionError):
        return _without_figures(Outcome.CRASHED, NO_RESULT)
    return dict(found)


def _error(errors: str) -> str:
    """The line that names the last error, and not advice that may follow it; or else the last line."""
    lines = errors.strip().splitlines() or [""]
    named = [line for line in lines if ERROR.match(line)]
    return (named or lines)[-1][:300]


def _refuse(constant: str) -> None:
    """NaN and the infinities are no JSON; PostgreSQL would not take them."""
    raise ValueError(constant)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"


def _without_figures(outcome: Outcome, reason: str) -> Measured:
    return {"outcome": outcome.value, "reason": reason}
