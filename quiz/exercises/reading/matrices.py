"""Vectors, sequences and matrices, in every usual writing.

Rows are nested brackets, lines, or stretches between semicolons. One row without brackets of its own is a
vector; `[[1, 2]]` stays a matrix of one row. A lone number without brackets is read as that number: marking
then says that the shape is wrong.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from quiz.exercises.reading.brackets import lists
from quiz.exercises.reading.dressing import undress
from quiz.exercises.reading.folding import NO_BREAK
from quiz.exercises.reading.latex import CELL, without_latex
from quiz.exercises.reading.listing import read_lists
from quiz.exercises.reading.reasons import Reason, Unreadable, shown
from quiz.exercises.reading.scalars import one_of, successes
from quiz.exercises.reading.tables import Table, read_lines, read_ruled

_BRACES = str.maketrans("{}", "[]")
_GROUPED = re.compile(rf"(?<=[0-9]){NO_BREAK}(?=[0-9]{{3}}(?![0-9]))")


def matrix(text: str, *, infinite: bool) -> Any:
    """Nested lists of numbers (or the lone number) that a folded text says."""
    text = undress(without_latex(undress(text))).translate(_BRACES).replace("、", ", ")
    text = text.strip().removesuffix(";").rstrip(" \t" + NO_BREAK)
    if not text:
        raise Unreadable("empty")
    parted = text.replace(NO_BREAK, " ")
    if not _GROUPED.search(text):
        return _matrix(parted, infinite=infinite)
    # A space that does not break a line groups digits on paper, and parts cells on web pages.
    grouped = _GROUPED.sub("'", text).replace(NO_BREAK, " ")
    found = successes([partial(_matrix, way, infinite=infinite) for way in (grouped, parted)])
    if not found:
        return _matrix(parted, infinite=infinite)
    return one_of(found, Reason("readings", (shown(text),)))


def _matrix(text: str, *, infinite: bool) -> Any:
    for bar in (CELL, "|"):
        if bar in text:
            return _flat(read_ruled(text, bar, infinite=infinite), lone=False)
    outermost = lists(text)
    if outermost:
        return read_lists(text, outermost, infinite=infinite)
    return _flat(read_lines(text, infinite=infinite), lone=True)


def _flat(table: Table, *, lone: bool) -> Any:
    if len(table) > 1:
        return table
    return table[0][0] if lone and len(table[0]) == 1 else table[0]
