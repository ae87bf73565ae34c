"""JSON Lines files: an object a line, and writing the like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from quiz.exercises.describing import as_json
from quiz.exercises.reading import MAX_LENGTH
from quiz.exercises.types import Response, Text
from quiz.grading.autocheck.columns import INPUT, OUTPUT, Row, column_name
from quiz.grading.autocheck.judging import Judgement
from quiz.grading.autocheck.lossless import Unsound, load, twice
from quiz.grading.autocheck.refusing import empty_file, missing_columns


@dataclass(frozen=True)
class JsonLines:
    """A file with one JSON value a line. Lines that are no object become malformed rows."""

    path: Path
    encoding: str

    def count(self) -> int:
        """How many rows there are, blank lines aside. Refused when a needed column is in none of them."""
        total, found = 0, dict[str, None]()
        for row in self.rows():
            total += 1
            found.update(dict.fromkeys(row.echo) if row.problem is None else {})
        if not total:
            raise empty_file()
        names = {column_name(name) for name in found}
        missing = [name for name in INPUT if name not in names]
        if missing:
            raise missing_columns(missing, list(found))
        return total

    def rows(self) -> Iterator[Row]:
        """The rows with their lines."""
        with self.path.open(encoding=self.encoding) as stream:
            for line, text in enumerate(stream, start=1):
                if text.strip():
                    yield _row(line, text.rstrip("\r\n"))

    def start(self, stream: TextIO) -> None:
        """JSON Lines have no header."""

    def write(self, stream: TextIO, row: Row, judgement: Judgement, language: str) -> None:
        """Write one judged row."""
        results = {
            "verdict": judgement.verdict,
            "score": None if judgement.score is None else round(judgement.score, 6),
            "expected": as_json(judgement.expected),
            "diagnosis": "|".join(judgement.diagnosis),
            "reason": judgement.reason.in_language(language),
        }
        line = json.dumps({**row.echo, **results}, ensure_ascii=False)
        if not _is_text(line):  # half a surrogate pair from a \\u escape: write it back as one
            line = json.dumps({**row.echo, **results})
        stream.write(line + "\n")


def _row(line: int, text: str) -> Row:
    try:
        value = load(text)
        named = _named(value) if isinstance(value, dict) else None
    except Unsound as unsound:
        return _broken(line, text, Text(f"第 {line} 行：{unsound.zh}", f"line {line}: {unsound.en}"))
    except ValueError as error:
        column = getattr(error, "colno", 1)
        return _broken(
            line,
            text,
            Text(
                f"第 {line} 行第 {column} 个字符处不是合法的 JSON",
                f"line {line}, character {column}: not valid JSON",
            ),
        )
    except RecursionError:
        return _broken(line, text, Text(f"第 {line} 行嵌套太深", f"line {line}: nested too deeply"))
    if named is None:
        return _broken(
            line, text, Text(f"第 {line} 行不是 JSON 对象", f"line {line}: the JSON value is not an object")
        )
    echo = {name: item for name, item in value.items() if column_name(name) not in OUTPUT}
    family, seed, part = (_as_text(named.get(name)) for name in INPUT[1:-1])
    return Row(line, echo, family, seed, part, _response(named.get(INPUT[-1])))


def _named(value: dict[str, Any]) -> dict[str, Any]:
    """The columns of an object by their plain names. Unsound when a needed one stands there twice."""
    named: dict[str, Any] = {}
    for name, item in value.items():
        plain = column_name(name)
        if plain in named and plain in INPUT:
            raise twice(plain)
        named[plain] = item
    return named


def _broken(line: int, text: str, problem: Text) -> Row:
    echo = {**dict.fromkeys(INPUT), "response": text}
    return Row(line, echo, "", "", "", text, problem)


def _response(value: Any) -> Response:
    """A response may be a text as typed; a JSON number or list of numbers, which reads as itself; or a list
    (of lists) with texts in it, one a cell, each read as it would be by itself.
    """
    written = _as_text(value)
    if not isinstance(value, list) or len(written) > MAX_LENGTH:
        return written
    nested = all(isinstance(item, list) for item in value)
    rows = value if nested else [value]
    cells = [cell for row in rows for cell in row]
    if any(isinstance(cell, list | dict) for cell in cells) or not any(isinstance(c, str) for c in cells):
        return written
    texts = [[_as_text(cell) for cell in row] for row in rows]
    return texts if nested else texts[0]


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_text(line: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in line)
