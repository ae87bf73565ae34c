"""A matrix as a figure, or several side by side: `value: chapter.A`, `name: A`, `role: s`, `heat: yes`, …"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from quiz.bank.blocks.keys import Entry, read_keys
from quiz.bank.blocks.setting import Block, BlockError, Setting
from quiz.exercises.formatting import NOISE, show
from quiz.expressions import ExpressionError, evaluate
from quiz.figures.matrix import Look, matrix, plain_letter

KEYS = ("value", "name", "role", "rows", "columns", "heat", "lit", "note")
ROLES = ("q", "k", "v", "s", "o")
MOST = 6  # side by side


def _figures(source: str, setting: Setting) -> str:
    drawn = [
        matrix(_value(entries, setting), name=_name(entries), **_look(entries, setting))
        for entries in _matrices(source)
    ]
    return drawn[0] if len(drawn) == 1 else f'<div class="matrices">{"".join(drawn)}</div>'


def _words(source: str, setting: Setting) -> str:
    lines = []
    for entries in _matrices(source):
        value = _value(entries, setting)
        note = f", {entries['note'].text}" if "note" in entries else ""
        size = "×".join(str(length) for length in value.shape)
        lines.append(f"{plain_letter(_name(entries))} ({size}{note}) = {show(value.tolist())}")
    return "\n".join(lines)


def _matrices(source: str) -> Iterator[dict[str, Entry]]:
    """The keys of each matrix; a line `---` begins the next."""
    lines = source.split("\n")
    ends = [at for at, line in enumerate(lines) if line.strip() == "---"] + [len(lines)]
    if len(ends) > MOST:
        raise BlockError(f"at most {MOST} matrices stand side by side", ends[MOST] + 1)
    start = 0
    for end in ends:
        entries = read_keys(lines[start:end], start + 1, KEYS)
        for key in ("value", "name"):
            if key not in entries:
                raise BlockError(f"{key} is missing", start)
        for key in ("name", "note", "rows", "columns"):
            if key in entries and ("\\" in entries[key].text or "$" in entries[key].text):
                raise BlockError(f"{key} is plain text, such as W_Q, K^T or q_{{2}}", entries[key].line)
        yield entries
        start = end + 1


def _value(entries: dict[str, Entry], setting: Setting) -> np.ndarray[Any, Any]:
    entry = entries["value"]
    try:
        value = evaluate(entry.text, setting.names)
    except ExpressionError as error:
        raise BlockError(f"value: {error}", entry.line) from None
    if not isinstance(value, np.ndarray) or value.ndim not in (1, 2):
        raise BlockError("value is no vector or matrix", entry.line)
    numbers = value.astype(np.float64)
    return np.where(np.abs(numbers) < NOISE, 0.0, numbers)


def _name(entries: dict[str, Entry]) -> str:
    return entries["name"].text


def _look(entries: dict[str, Entry], setting: Setting) -> Look:
    value = np.atleast_2d(_value(entries, setting))
    look: Look = {"language": setting.language}
    if "role" in entries:
        look["role"] = _one_of(entries["role"], ROLES)
    if "note" in entries:
        look["note"] = entries["note"].text
    if "heat" in entries:
        look["heat"] = _one_of(entries["heat"], ("yes", "no")) == "yes"
    if "lit" in entries:
        look["lit"] = _row(entries["lit"], len(value)) - 1
    if "rows" in entries:
        look["row_labels"] = _labels(entries["rows"], len(value))
    if "columns" in entries:
        look["column_labels"] = _labels(entries["columns"], len(value[0]))
    return look


def _labels(entry: Entry, count: int) -> list[str]:
    """`q` → q₁, q₂, …; or as many words as there are rows, set apart by spaces."""
    words = entry.text.split()
    if len(words) == 1:
        return [f"{words[0]}_{{{number}}}" for number in range(1, count + 1)]
    if len(words) != count:
        raise BlockError(f"{len(words)} labels for {count}: one letter, or one word each", entry.line)
    return words


def _one_of(entry: Entry, choices: tuple[str, ...]) -> str:
    if entry.text not in choices:
        raise BlockError(f"{entry.text!r} is not one of {', '.join(choices)}", entry.line)
    return entry.text


def _row(entry: Entry, rows: int) -> int:
    if not entry.text.isdecimal() or not 1 <= int(entry.text) <= rows:
        raise BlockError(f"lit is a row from 1 to {rows}", entry.line)
    return int(entry.text)


MATRIX = Block(html=_figures, text=_words)
