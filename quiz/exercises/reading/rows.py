"""A row of numbers cut into its cells, by commas, spaces or tabs; never by two of them unnoticed."""

from __future__ import annotations

import re
from enum import Enum

from quiz.exercises.reading.arithmetic import Number
from quiz.exercises.reading.dressing import split_outside
from quiz.exercises.reading.literals import PLAIN, Comma
from quiz.exercises.reading.reasons import Unreadable
from quiz.exercises.reading.scalars import cell

MOST_CELLS = 4096

Grid = list[list[str]]

TIGHT_COMMA = re.compile(r"[0-9],[0-9]")
LOOSE_COMMA = re.compile(r",\s|\s,")
_NUMBERS_SIDE_BY_SIDE = re.compile(r"[0-9.)]\s+[0-9.(]")
_SPLIT_OPERATOR = re.compile(r".*[-+*/^·]\Z|[*/^·%].*", re.DOTALL)


class Separator(Enum):
    """Whose the commas are: they part cells, or belong to the numbers."""

    COMMA_PARTS_CELLS = "cells"
    COMMA_IS_POINT = "point"
    COMMA_GROUPS = "group"

    @property
    def comma(self) -> Comma:
        return {"point": Comma.POINT, "group": Comma.GROUP, "cells": Comma.NONE}[self.value]


def cells_of(row: str, separator: Separator) -> list[str]:
    """The texts of the cells of one row."""
    fields = split_outside(row, ",")
    if separator is not Separator.COMMA_PARTS_CELLS and len(fields) <= row.count(","):
        raise Unreadable("mixed_separators", row)  # a comma inside brackets or quotes
    loose = bool(LOOSE_COMMA.search(row)) or row.rstrip().endswith(",")
    if separator is not Separator.COMMA_PARTS_CELLS and not loose:
        return _by_spaces(row)
    if separator is not Separator.COMMA_PARTS_CELLS:
        return whole_cells(_without_last_comma(re.split(r",\s+|\s+,\s*|,\Z", row.strip())))
    if len(fields) == 1:
        return _by_spaces(row)
    if not loose:
        pieces = [field.split() for field in fields]
        if all(PLAIN.match(piece) for field in pieces for piece in field) and all(pieces):
            return [piece for field in pieces for piece in field]
    return whole_cells(_without_last_comma(fields))


def _without_last_comma(fields: list[str]) -> list[str]:
    return fields[:-1] if len(fields) > 1 and not fields[-1].strip() else fields


def whole_cells(fields: list[str]) -> list[str]:
    """Cells parted by something visible: a space inside one may not part two numbers."""
    for column, text in enumerate(fields, start=1):
        if _NUMBERS_SIDE_BY_SIDE.search(text):
            raise Unreadable("mixed_separators", text).at(None, column)
    return fields


def _by_spaces(row: str) -> list[str]:
    pieces = [piece for piece in split_outside(row, " \t\n") if piece.strip()]
    for column, piece in enumerate(pieces, start=1):
        if len(pieces) > 1 and _SPLIT_OPERATOR.fullmatch(piece):
            raise Unreadable("operator_spaces", piece).at(None, column)
    return pieces


def values(grid: Grid, comma: Comma, *, infinite: bool, first_row: int = 1) -> list[list[Number]]:
    """The numbers of a grid of texts; a refusal says in which row and column."""
    if sum(map(len, grid)) > MOST_CELLS:
        raise Unreadable("too_many_cells", str(MOST_CELLS))
    result: list[list[Number]] = []
    for row, texts in enumerate(grid, start=first_row):
        if not texts:
            raise Unreadable("empty_cell").at(row, 1)
        result.append([_value(text, comma, infinite, (row, column)) for column, text in enumerate(texts, 1)])
        if len(texts) != len(grid[0]):
            raise Unreadable("ragged", str(len(texts)), str(len(grid[0]))).at(row, None)
    return result


def _value(text: str, comma: Comma, infinite: bool, place: tuple[int, int]) -> Number:
    try:
        return cell(text, comma, infinite=infinite)
    except Unreadable as refusal:
        raise refusal.at(*place) from None
