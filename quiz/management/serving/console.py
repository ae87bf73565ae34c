"""The terminal of `serve`: each child's lines under its own name, after the first lines have been said."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TextIO

COLOURS = ("36", "33", "35", "32", "34")


class Console:
    """Writes whole lines, from any thread, at once. Colours only on a terminal without NO_COLOR."""

    def __init__(self, out: TextIO, names: list[str]) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._held: list[str] | None = []
        self._width = max(map(len, names), default=0)
        coloured = out.isatty() and "NO_COLOR" not in os.environ
        self._colours = dict(zip(names, COLOURS * len(names), strict=False)) if coloured else {}

    def open(self) -> None:
        """Let the children's lines through: the first lines have been said."""
        with self._lock:
            held, self._held = self._held or [], None
            self._write(held)

    def tell(self, text: str) -> None:
        """A line of the supervisor's own."""
        with self._lock:
            self._write([text])

    def say(self, name: str, line: str) -> None:
        """A line of a child; kept back until `open`."""
        padded = name.ljust(self._width)
        colour = self._colours.get(name)
        prefix = f"\x1b[{colour}m{padded} |\x1b[0m" if colour else f"{padded} |"
        with self._lock:
            if self._held is None:
                self._write([f"{prefix} {line}"])
            else:
                self._held.append(f"{prefix} {line}")

    def _write(self, lines: list[str]) -> None:
        with suppress(OSError):  # a closed terminal or pipe must not stop the site
            self._out.writelines(f"{line}\n" for line in lines)
            self._out.flush()
