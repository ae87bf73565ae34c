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
from quiz.exercises.reading.dressing import check_arguments, undress
from quiz.exercises.reading.folding import NO_BREAK, tidy
from quiz.exercises.reading.latex import CELL, without_latex
from quiz.exercises.reading.listing import read_lists
from quiz.exercises.reading.reasons import Reason, Unreadable, shown
from quiz.exercises.reading.scalars import one_of, successes
from quiz.exercises.reading.tables import read_lines, read_ruled

_BRACES = str.maketrans("{}", "[]")
_GROUPED = re.compile(rf"(?<=[0-9]){NO_BREAK}(?=[0-9]{{3}}(?![0-9]))")


_LIST_IN_CALL = re.compile(
    r"(?:(?:torch|np|numpy|jnp)\.)?(?:tensor|array|Array)\(\s*(\[[^()]*\])\s*((?:,[^()\[\]]*)?)\)"
)


def matrix(text: str, *, infinite: bool) -> Any:
    """Nested lists of numbers (or the lone number) that a folded text says."""
    text = undress(tidy(without_latex(undress(text)))).translate(_BRACES).replace("、", ", ")
    text = _LIST_IN_CALL.sub(_list_in_call, text)
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
            return read_ruled(text, bar, infinite=infinite)
    outermost = lists(text)
    if outermost:
        return read_lists(text, outermost, infinite=infinite)
    return read_lines(text, infinite=infinite)


def _list_in_call(call: re.Match[str]) -> str:
    """[tensor([1., 2.]), tensor([3., 4.])] is a list of lists."""
    check_arguments(call[2].split(",")[1:])
    return call[1]
