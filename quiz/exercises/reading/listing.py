"""Lists in lists: what Python, NumPy, torch, JSON and MATLAB print."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from quiz.exercises.reading.brackets import Bracket, gaps
from quiz.exercises.reading.dressing import split_outside
from quiz.exercises.reading.reasons import Reason, Unreadable, shown
from quiz.exercises.reading.rows import (
    LOOSE_COMMA,
    MOST_CELLS,
    TIGHT_COMMA,
    Separator,
    cells_of,
    values,
)
from quiz.exercises.reading.scalars import one_of, successes

_BROKEN_AT_COMMA = re.compile(r"[ \t]*,\s*\n\s*|[ \t]*\n\s*,")
_SPACED = re.compile(r"[^\s,;][ \t\n]+[^\s,;]")


def read_lists(text: str, outermost: list[Bracket], *, infinite: bool) -> Any:
    """The nested lists of numbers in `text`, asking when a comma or a line break has two uses."""
    _refuse_text_beside(text, outermost)
    root = outermost[0] if len(outermost) == 1 else Bracket(-1, len(text), outermost)
    innermost = _innermost(text, root)
    if len(innermost) > MOST_CELLS:
        raise Unreadable("too_many_cells", str(MOST_CELLS))
    readers = [
        partial(_List(text, separator, rows, infinite).read, root)
        for separator in _separators(innermost)
        for rows in _line_uses(innermost, root)
    ]
    found = successes(readers) if len(readers) > 1 else []
    if not found:
        return readers[0]()
    return one_of(found, Reason("comma" if len(_separators(innermost)) > 1 else "readings", (shown(text),)))


def _refuse_text_beside(text: str, outermost: list[Bracket]) -> None:
    for gap in gaps(text, outermost, 0, len(text)):
        if gap.strip(" \t\n,;"):
            raise Unreadable("after", gap.strip(" \t\n,;"))


def _innermost(text: str, root: Bracket) -> list[str]:
    found, waiting = [], [root]
    while waiting:
        bracket = waiting.pop()
        waiting.extend(bracket.children)
        if not bracket.children:
            found.append(text[bracket.start + 1 : bracket.end])
    return found


def _separators(innermost: list[str]) -> list[Separator]:
    """Commas part the cells of a list; only where spaces part them too may they be decimal commas."""
    for inside in innermost:
        spaced = _SPACED.search(inside) and not LOOSE_COMMA.search(inside)
        if spaced and TIGHT_COMMA.search(inside):
            return [Separator.COMMA_IS_POINT, Separator.COMMA_PARTS_CELLS, Separator.COMMA_GROUPS]
    return [Separator.COMMA_PARTS_CELLS]


def _line_uses(innermost: list[str], root: Bracket) -> list[bool]:
    """A line break in a flat list starts a row (MATLAB) or wraps a long one (NumPy)."""
    flat = not root.children and ";" not in innermost[0]
    broken = flat and "\n" in _BROKEN_AT_COMMA.sub(",", innermost[0]).strip()
    return [True, False] if broken else [True]


class _List:
    def __init__(self, text: str, separator: Separator, lines_are_rows: bool, infinite: bool) -> None:
        self.text = text
        self.separator = separator
        self.lines_are_rows = lines_are_rows
        self.infinite = infinite

    def read(self, bracket: Bracket) -> Any:
        if bracket.children:
            return self.nested(bracket)
        rows = self.rows(self.text[bracket.start + 1 : bracket.end])
        return rows if len(rows) > 1 else rows[0]

    def rows(self, inside: str) -> list[list[int | float]]:
        """A flat list: one row, or several between semicolons and line breaks."""
        inside = _BROKEN_AT_COMMA.sub(", ", inside).strip()
        if self.lines_are_rows:
            inside = re.sub(r"\s*;\s*|\s*\n\s*", ";", inside)
        texts = split_outside(inside, ";")
        texts = texts[:-1] if len(texts) > 1 and not texts[-1].strip() else texts
        grid = [self.cells(text, row) for row, text in enumerate(texts, start=1)]
        return values(grid, self.separator.comma, infinite=self.infinite)

    def cells(self, text: str, row: int) -> list[str]:
        try:
            return cells_of(text, self.separator)
        except Unreadable as refusal:
            raise refusal.at(row, None) from None

    def nested(self, bracket: Bracket) -> list[Any]:
        between = gaps(self.text, bracket.children, bracket.start + 1, max(bracket.end, 0))
        for row, gap in enumerate(between, start=1):
            self.check_gap(gap, row, last=row == len(between))
        items = [self.item(child, row) for row, child in enumerate(bracket.children, start=1)]
        _check_alike(items)
        return items

    def check_gap(self, gap: str, row: int, *, last: bool) -> None:
        """Between two lists stands at most one separator; before the first, none."""
        mark = gap.strip()
        if mark.strip(",; \t\n"):
            raise Unreadable("mixed_levels", mark).at(row, None)
        if len(mark) > 1 or (mark and row == 1 and not last):
            raise Unreadable("empty_cell").at(row, None)

    def item(self, child: Bracket, row: int) -> Any:
        if child.children:
            return self.nested(child)
        inside = self.text[child.start + 1 : child.end]
        if ";" in inside:
            raise Unreadable("mixed_separators", inside).at(row, None)
        grid = [self.cells(_BROKEN_AT_COMMA.sub(", ", inside).strip(), row)]
        return values(grid, self.separator.comma, infinite=self.infinite, first_row=row)[0]


def _check_alike(items: list[Any]) -> None:
    """Every item has the shape of the first."""
    first = _shape(items[0])
    for row, item in enumerate(items, start=1):
        shape = _shape(item)
        if len(shape) != len(first):
            raise Unreadable("levels").at(row, None)
        if shape != first:
            raise Unreadable("ragged", str(shape[0]), str(first[0])).at(row, None)


def _shape(value: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0]
    return tuple(shape)
