"""The parent of one child of `serve`, so that nothing of that child outlives it or the supervisor.

Run as a script of its own (`python -I -S guardian.py COMMAND …`), without Django: it must be small and never
busy. Its standard input is a pipe whose other end only the supervisor holds.

- The child ends: whatever it left behind is killed, and the guardian exits with the child's code.
- The pipe ends (the supervisor was killed): everything is killed at once.
- SIGTERM or SIGINT: passed on to the child alone, which stops its own helpers; after 10 s all is killed.

On Linux the guardian is the "child subreaper": descendants that lose their parent become its children,
whatever process group or session they moved to, so that killing children until none is left kills them all.
Elsewhere the process group is killed. If the guardian itself is killed, the child gets SIGKILL by
PR_SET_PDEATHSIG and the supervisor kills the group.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path
from types import FrameType

GRACE_SECONDS = 10.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
ON_LINUX = sys.platform == "linux"


def control(option: int, value: int) -> None:
    if ON_LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def start(command: list[str]) -> int:
    """Fork and run the command; the child dies with this process and reads nothing."""
    guardian = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


class Guardian:
    """Waits for the child, the pipe and the signals, whichever comes first."""

    def __init__(self, command: list[str]) -> None:
        self.wake_out, wake_in = os.pipe()
        os.set_blocking(wake_in, False)
        signal.set_wakeup_fd(wake_in)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        self.asked = False
        self.child = start(command)
        self.code: int | None = None

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self.asked = True

    def run(self) -> int:
        """The child's exit code (128 + signal number when a signal ended it)."""
        deadline: float | None = None
        while self.code is None and (deadline is None or time.monotonic() < deadline):
            if self.asked and deadline is None:
                deadline = time.monotonic() + GRACE_SECONDS
                os.kill(self.child, signal.SIGTERM)
            ready, _out, _error = select.select([0, self.wake_out], [], [], 0.5)
            if self.wake_out in ready:
                os.read(self.wake_out, 1024)
            if 0 in ready and not os.read(0, 1024):
                break
            self.reap()
        self.kill_all()
        return self.code if self.code is not None else 128 + signal.SIGKILL

    def reap(self) -> bool:
        """Collect every dead child; whether any child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code

    def kill_all(self) -> None:
        """Kill every descendant. A killed process hands its children to this one, until none is left."""
        if not ON_LINUX:
            os.killpg(0, signal.SIGKILL)  # this process too; the supervisor only misses the exit code
        while self.reap():
            for pid in children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


def children() -> list[int]:
    """The processes whose parent is this one (field 4 of /proc/<pid>/stat, after the name in brackets)."""
    me = os.getpid()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == me:
                    found.append(int(entry.name))
    return found


if __name__ == "__main__":
    control(PR_SET_CHILD_SUBREAPER, 1)
    sys.exit(Guardian(sys.argv[1:]).run())
