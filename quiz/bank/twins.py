"""Both languages of a text side by side: the same build and the same computed numbers, or what differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from quiz.bank.defining import is_let
from quiz.bank.frontmatter import with_fences_blanked
from quiz.bank.numbers import IN_FORMULA
from quiz.bank.scanning import Piece, scan

_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
_ITEM = re.compile(r"^- +\S", re.MULTILINE)
_ROW = re.compile(r"^ *\|.*\| *$", re.MULTILINE)
_VALUE = re.compile(r"^[ \t-]*(?:value|x): *(.+)$", re.MULTILINE)


def differences(zh: str, en: str) -> Iterator[str]:
    """What the English text has otherwise than the Chinese one."""
    for what, counted in (
        ("headings", _headings), ("items `- …`", _items), ("table rows", _rows), ("blocks", _blocks),
    ):  # fmt: skip
        ours, theirs = counted(zh), counted(en)
        if ours != theirs:
            yield f"{what} differ: {_told(ours)} in Chinese, {_told(theirs)} in English"
    chinese, english = Counter(live_numbers(zh)), Counter(live_numbers(en))
    for one, other, name in ((chinese, english, "Chinese"), (english, chinese, "English")):
        for expression, times in sorted((one - other).items()):
            yield f"live number only in the {name} text{f' ({times}×)' if times > 1 else ''}: {expression}"


def live_numbers(text: str) -> Iterator[str]:
    """Every expression of a text in one spelling: in prose, formulas, let fences, figures and boxes."""
    for piece in scan(text):
        yield from _expressions(piece)


def _expressions(piece: Piece) -> Iterator[str]:
    if piece.kind == "number":
        yield _spelt(piece.content)
    elif piece.kind == "formula":
        yield from (_spelt(source) for source in IN_FORMULA.findall(piece.content))
    elif is_let(piece):
        yield _spelt(piece.content)
    elif piece.kind == "fence" and piece.info in ("matrix", "chart"):
        yield from (_spelt(source) for source in _VALUE.findall(piece.content))
    elif piece.kind == "fence" and piece.info == "correction":
        yield from live_numbers(piece.content)


def _spelt(expression: str) -> str:
    return re.sub(r"\s+", "", expression)


def _headings(text: str) -> list[int]:
    return [len(mark) for mark in _HEADING.findall(with_fences_blanked(text))]


def _items(text: str) -> int:
    return len(_ITEM.findall(with_fences_blanked(text)))


def _rows(text: str) -> int:
    return len(_ROW.findall(with_fences_blanked(text)))


def _blocks(text: str) -> list[str]:
    return [piece.info or "code" for piece in scan(text) if piece.kind == "fence"]


def _told(value: int | list[int] | list[str]) -> str:
    return str(value) if isinstance(value, int) else f"[{', '.join(str(entry) for entry in value)}]"
