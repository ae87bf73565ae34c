"""JSON Lines files: an object a line, and writing the like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from quiz.exercises.describing import as_json
from quiz.exercises.types import Text
from quiz.grading.autocheck.columns import INPUT, OUTPUT, Row, column_name
from quiz.grading.autocheck.judging import Judgement
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
        value = json.loads(text, parse_constant=_refuse)
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
    if not isinstance(value, dict):
        return _broken(
            line, text, Text(f"第 {line} 行不是 JSON 对象", f"line {line}: the JSON value is not an object")
        )
    named = {column_name(name): item for name, item in value.items()}
    echo = {name: item for name, item in value.items() if column_name(name) not in OUTPUT}
    family, seed, part, response = (_as_text(named.get(name)) for name in INPUT[1:])
    return Row(line, echo, family, seed, part, response)


def _broken(line: int, text: str, problem: Text) -> Row:
    echo = {**dict.fromkeys(INPUT), "response": text}
    return Row(line, echo, "", "", "", text, problem)


def _as_text(value: Any) -> str:
    """A response may be a text as typed, or a JSON number or matrix, which reads as itself."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _is_text(line: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in line)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
