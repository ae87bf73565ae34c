"""Keeps the web server and the workers running, until asked to stop."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

from quiz.management.serving.children import Child
from quiz.management.serving.guardian import GRACE_SECONDS

TICK = 0.1


class Supervisor:
    """Runs its children in the main thread's loop; `run` returns after Ctrl-C, SIGTERM or SIGHUP.

    With `parent`, it also stops when it is no longer the child of that process.
    """

    def __init__(self, children: Sequence[Child], *, parent: int | None = None) -> None:
        self.children = children
        self._parent = parent
        self._asked_to_stop = False  # a plain value: a signal handler sets it

    def run(self, *, once_started: Callable[[], None]) -> None:
        """Start all, call `once_started` beside the loop, keep all running, stop all."""
        handlers = {
            number: signal.signal(number, self._on_signal)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        }
        try:
            threading.Thread(target=once_started, daemon=True).start()
            while not self._asked_to_stop and not self._is_abandoned():
                for child in self.children:
                    child.watch()
                time.sleep(TICK)
            self.stop()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def stop(self) -> None:
        """Ask all at once, then give each the same deadline; the guardians kill what does not stop."""
        deadline = time.monotonic() + GRACE_SECONDS + 2
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.end(deadline)

    def _is_abandoned(self) -> bool:
        return self._parent is not None and os.getppid() != self._parent

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked_to_stop = True
