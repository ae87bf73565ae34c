"""One child of the supervisor: started under its guardian, its output prefixed, its restarts spaced out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

GUARDIAN = Path(__file__).with_name("guardian.py")
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 30.0  # a child that lived this long starts again with a short pause


def pause_before(restart: int) -> float:
    """0.5·2^n seconds before restart n (0, 1, 2, …), at most 30."""
    return float(min(0.5 * 2**restart, LONGEST_PAUSE)) if restart < 16 else LONGEST_PAUSE


class Child:
    """A command that should always run. `say(name, line)` takes each line that it prints."""

    def __init__(self, name: str, command: Sequence[str], *, say: Callable[[str, str], None]) -> None:
        self.name = name
        self.command = command
        self.restarts = 0
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._pump: threading.Thread | None = None
        self._started = 0.0
        self._start_at: float | None = time.monotonic()

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        self._start_at = None
        self._started = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-I", "-S", str(GUARDIAN), *self.command],
            stdin=subprocess.PIPE,  # never written to: its end tells the guardian that the supervisor is gone
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._pump = threading.Thread(target=self._copy_lines, args=(self._process,), daemon=True)
        self._pump.start()

    def watch(self) -> None:
        """Start it when it is due; when it ended, kill what is left of it and note when to start it again."""
        now = time.monotonic()
        if self._process is None:
            if self._start_at is not None and now >= self._start_at:
                self.start()
            return
        if not self._has_ended(self._process):
            return
        code = self._clear(self._process)
        if now - self._started >= STEADY_SECONDS:
            self.restarts = 0
        pause = pause_before(self.restarts)
        self.restarts += 1
        self._start_at = now + pause
        self._say(self.name, f"ended ({describe_code(code)}); starting again in {pause:g} s")

    def ask_to_stop(self) -> None:
        self._start_at = None
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGTERM)  # not yet collected, so the number is still its own

    def end(self, deadline: float) -> None:
        """Wait for the end until `deadline` (monotonic), then kill."""
        process = self._process
        if process is None:
            return
        while not self._has_ended(process) and time.monotonic() < deadline:
            time.sleep(0.02)
        self._clear(process)

    @staticmethod
    def _has_ended(process: subprocess.Popen[bytes]) -> bool:
        """Without collecting it: until then its process group's number cannot be anyone else's."""
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _clear(self, process: subprocess.Popen[bytes]) -> int:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        if process.stdin is not None:
            process.stdin.close()
        if self._pump is not None:
            self._pump.join(timeout=2)
        self._process = None
        return code

    def _copy_lines(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                self._say(self.name, line.decode(errors="replace").rstrip())


def describe_code(code: int) -> str:
    """An exit code for people: negative, or above 128, is a signal."""
    number = -code if code < 0 else code - 128
    if number > 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
    return f"exit code {code}"
