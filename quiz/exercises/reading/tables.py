"""Numbers without list brackets: lines, tabs, semicolons, Markdown tables, cells of LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from quiz.exercises.reading.arithmetic import Number
from quiz.exercises.reading.reasons import Reason, Unreadable, shown
from quiz.exercises.reading.rows import (
    TIGHT_COMMA,
    Grid,
    Separator,
    cells_of,
    values,
    whole_cells,
)
from quiz.exercises.reading.scalars import by_comma, one_of, successes

Part = TypeVar("Part", str, list[str])

_RULE_CHARACTERS = "|:+- \t"
_RULE_STROKE = re.compile(r"--|-[|:]|[|:]-")


def ruled(text: str, bar: str) -> Grid:
    """The cells of a table whose columns stand between bars (Markdown) or & (LaTeX)."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    grid = [_between_bars(line, bar) for line in lines if not _is_rule(line)]
    if not grid:
        raise Unreadable("empty")
    headless = len(lines) > 1 and _is_rule(lines[1]) and not any(map(str.strip, grid[0]))
    rows = grid[1:] if headless else grid
    if not rows:
        raise Unreadable("empty")
    return _checked(rows)


def _is_rule(line: str) -> bool:
    """|---|:-:| under the head of a table; | - | - | are two cells that say nothing."""
    return bool(_RULE_STROKE.search(line)) and not line.strip(_RULE_CHARACTERS)


def _checked(rows: Grid) -> Grid:
    return [_placed(whole_cells, row, number) for number, row in enumerate(rows, start=1)]


def _between_bars(line: str, bar: str) -> list[str]:
    return line.removeprefix(bar if bar == "|" else "").removesuffix(bar).split(bar)


def read_ruled(text: str, bar: str, *, infinite: bool) -> Any:
    """What the table says: a list of rows, or the vector when it has one row."""
    return _by_comma(ruled(text, bar), text, infinite=infinite)


def read_lines(text: str, *, infinite: bool) -> Any:
    """The rows of bare text, asking when a comma or a semicolon has more than one use."""
    lines = [re.sub(r",[ \t]+", ", ", line).strip() for line in text.split("\n") if line.strip()]
    if any("\t" in line for line in lines):
        grid = _checked([line.split("\t") for line in lines])
        return _by_comma(grid, text, infinite=infinite)
    uses = _uses(lines)
    if len(uses) == 1:
        return _read(lines, *uses[0], infinite=infinite)
    found = successes([partial(_read, lines, *use, infinite=infinite) for use in uses])
    if not found:  # raise the reason of the usual use, which comes second
        return _read(lines, *uses[1], infinite=infinite)
    return one_of(found, Reason("comma" if "," in text else "readings", (shown(text),)))


def _uses(lines: list[str]) -> list[tuple[Separator, bool]]:
    """The ways to use commas and semicolons: whose the commas are, and whether semicolons part cells."""
    semicolons = any(";" in line.rstrip(";") for line in lines)
    if any(TIGHT_COMMA.search(line) for line in lines):
        return [
            (Separator.COMMA_IS_POINT, semicolons),
            (Separator.COMMA_PARTS_CELLS, False),
            (Separator.COMMA_GROUPS, semicolons),
        ]
    cells, rows = (Separator.COMMA_PARTS_CELLS, True), (Separator.COMMA_PARTS_CELLS, False)
    pieces = [piece.strip() for line in lines for piece in line.split(";")]
    if not semicolons or any(re.search(r"[\s,]", piece) for piece in pieces):
        return [rows]
    return [cells] if len(lines) > 1 else [rows, cells]


def _read(lines: list[str], separator: Separator, semicolon_parts_cells: bool, *, infinite: bool) -> Any:
    grid: Grid = []
    cut = partial(cells_of, separator=separator)
    for line in lines:
        pieces = line.removesuffix(";").split(";")
        parted = [_placed(cut, piece, len(grid) + 1) for piece in pieces]
        if semicolon_parts_cells:
            grid.append([text for cells in parted for text in cells or [""]])
        else:
            grid.extend(parted)
    return _flat(values(grid, separator.comma, infinite=infinite), lone=True)


def _flat(table: list[list[Number]], *, lone: bool) -> Any:
    """One row is a vector; one number that stands alone is a number."""
    if len(table) > 1:
        return table
    return table[0][0] if lone and len(table[0]) == 1 else table[0]


def _by_comma(grid: Grid, text: str, *, infinite: bool) -> Any:
    return by_comma(lambda comma: _flat(values(grid, comma, infinite=infinite), lone=False), text)


def _placed(cut: Callable[[Part], list[str]], part: Part, row: int) -> list[str]:
    try:
        return cut(part)
    except Unreadable as refusal:
        raise refusal.at(row, None) from None
