"""Where in a CSV record the quotes went wrong: the csv module says only that they did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO


class Recorder:
    """The lines of a stream, those since the last `forget` kept at hand."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.kept: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._stream)
        self.kept.append(line)
        return line

    def forget(self) -> None:
        """Start a new record."""
        self.kept.clear()


def place_of_error(lines: list[str], delimiter: str) -> tuple[int, int, bool]:
    """Lines after the record's first, the column from 1, and whether a quote is never closed (else something
    follows a closing one)."""
    row, column, opened = 0, 1, (0, 1)
    state = "start"  # of a cell; then "plain", "quoted" or "closed"
    for line, text in enumerate(lines):
        for character in text:
            if state == "quoted":
                state = "closed" if character == '"' else "quoted"
            elif state == "closed" and character == '"':
                state = "quoted"  # a doubled quote
            elif character == delimiter or character in "\r\n":
                column, state = (column + 1 if character == delimiter else column), "start"
            elif state == "closed":
                return line, column, False
            elif character == '"' and state == "start":
                state, opened = "quoted", (line, column)
            else:
                state = "plain"
        row = line
    return (opened[0], opened[1], True) if state == "quoted" else (row, column, False)
