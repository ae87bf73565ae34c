"""CSV files: which delimiter, where the columns are, the rows, and writing the like."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

from quiz.exercises.describing import as_json
from quiz.exercises.types import Text
from quiz.grading.autocheck.columns import INPUT, OUTPUT, Row, column_name
from quiz.grading.autocheck.judging import Judgement
from quiz.grading.autocheck.quotes import Recorder, place_of_error
from quiz.grading.autocheck.refusing import (
    Refusal,
    broken_quotes,
    empty_file,
    missing_columns,
    repeated_column,
    too_long_cell,
)

DELIMITERS = (",", ";", "\t")
CRLF = "\r\n"
CELL_LIMIT = 1_000_000
csv.field_size_limit(CELL_LIMIT)


@dataclass(frozen=True)
class Table:
    """A CSV file. Making one reads its first line; `count` reads it all and refuses what cannot be split."""

    path: Path
    encoding: str

    @cached_property
    def delimiter(self) -> str:
        """The delimiter under which the first row has the most of the needed columns; under another one its
        quotes may make no sense."""

        def found(delimiter: str) -> int:
            try:
                names = {column_name(cell) for cell in self._first_row(delimiter)}
            except Refusal:
                return -1
            return len(names & set(INPUT))

        return max(DELIMITERS, key=found)

    @cached_property
    def newline(self) -> str:
        """How the first line ends."""
        with self._open() as stream:
            return CRLF if stream.readline().endswith(CRLF) else "\n"

    @cached_property
    def header(self) -> list[str]:
        """The first row. Refused when a needed column is missing or stands there twice."""
        header = self._first_row(self.delimiter)
        if not header:
            raise empty_file()
        names = [column_name(cell) for cell in header]
        missing = [name for name in INPUT if name not in names]
        if missing:
            raise missing_columns(missing, header)
        for index, name in enumerate(names):
            if name in INPUT and name in names[:index]:
                raise repeated_column(name, index + 1)
        return header

    @cached_property
    def _places(self) -> dict[str, int]:
        names = [column_name(cell) for cell in self.header]
        return {name: names.index(name) for name in INPUT}

    @cached_property
    def _kept(self) -> list[int]:
        """Columns of the input to repeat: all but an earlier run's results, which are made anew."""
        return [i for i, cell in enumerate(self.header) if column_name(cell) not in OUTPUT]

    def count(self) -> int:
        """How many rows there are, blank lines aside."""
        return sum(1 for _ in self.rows())

    def rows(self) -> Iterator[Row]:
        """The rows below the header, each with the line it starts on."""
        records = self._records(self.delimiter)
        next(records, None)
        for line, cells in records:
            yield self._row(line, cells)

    def _row(self, line: int, cells: list[str]) -> Row:
        width = len(self.header)
        surplus = cells[width:]
        cells = cells[:width] + [""] * (width - len(cells))
        family, seed, part, response = (cells[self._places[name]] for name in INPUT[1:])
        problem = _too_many(width, len(surplus)) if any(cell.strip() for cell in surplus) else None
        return Row(line, [cells[i] for i in self._kept], family, seed, part, response, problem)

    def start(self, stream: TextIO) -> None:
        """Write the header."""
        self._write(stream, [*(self.header[i] for i in self._kept), *OUTPUT])

    def write(self, stream: TextIO, row: Row, judgement: Judgement, language: str) -> None:
        """Write one judged row."""
        expected = as_json(judgement.expected)
        if isinstance(expected, (list, tuple)):
            expected = json.dumps(expected, ensure_ascii=False)
        results = [
            judgement.verdict,
            "" if judgement.score is None else f"{judgement.score:.6g}",
            "" if expected is None else str(expected),
            "|".join(judgement.diagnosis),
            judgement.reason.in_language(language),
        ]
        self._write(stream, [*row.echo, *results])

    def _write(self, stream: TextIO, cells: list[str]) -> None:
        """A line, every cell that holds a break of whatever kind in quotes: the csv module looks only for the
        characters of its own line end."""
        line = io.StringIO()
        csv.writer(line, delimiter=self.delimiter, lineterminator=CRLF).writerow(cells)
        stream.write(line.getvalue().removesuffix(CRLF) + self.newline)

    def _open(self) -> TextIO:
        return self.path.open(encoding=self.encoding, newline="")

    def _first_row(self, delimiter: str) -> list[str]:
        return next(self._records(delimiter), (1, []))[1]

    def _records(self, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        with self._open() as stream:
            lines = Recorder(stream)
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            while True:
                line = reader.line_num + 1
                lines.forget()
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    if "field larger" in str(error):
                        raise too_long_cell(line, CELL_LIMIT) from None
                    at, column, unclosed = place_of_error(lines.kept, delimiter)
                    raise broken_quotes(line + at, column, unclosed=unclosed) from None
                if cells is None:
                    return
                if any(cell.strip() for cell in cells):
                    yield line, cells


def _too_many(width: int, surplus: int) -> Text:
    return Text(
        f"这一行有 {width + surplus} 格，表头只有 {width} 格；答案里有分隔符时要加引号",
        f"this row has {width + surplus} cells, the header has {width}; quote responses that hold the "
        "delimiter",
    )
