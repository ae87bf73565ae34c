"""The numbers inside a verdict: theirs, the mistake's, and, once it is due, the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from quiz.bank.markup import render_inline
from quiz.exercises.comparing import cells_of, shape_of
from quiz.exercises.diagnosis import value_of
from quiz.exercises.explaining import explain
from quiz.exercises.formatting import show, show_shape
from quiz.exercises.reading import read_as
from quiz.exercises.types import Part, PartVerdict, Value
from quiz.exercises.variants import Variant
from quiz.responses.fields import told

PRECISE = 5


@dataclass(frozen=True, kw_only=True)
class Shown:
    text: str
    wrong: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """One captioned value, laid out in rows of cells."""

    caption: SafeString
    rows: tuple[tuple[Shown, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Values of one part, to be compared."""

    label: SafeString
    lines: tuple[Line, ...]

    @property
    def is_tall(self) -> bool:
        """Whether the values are matrices, shown beside each other instead of below."""
        return any(len(line.rows) > 1 for line in self.lines)


def evidence_of(variant: Variant, given: PartVerdict, *, with_right: bool) -> Evidence | None:
    """Theirs, the number of each mistake that fits (a slip has none), then (`with_right`) the right value.

    Where a mistake agrees with the right value in some cell, the candidate's own text stands there, so that
    nothing they did not write is given away.
    """
    part = variant.part(given.part)
    lines = []
    if given.value is not None:
        theirs = _texts(part, given.value)
        lines.append(Line(caption=render_inline(_("You wrote")), rows=_rows(part, theirs, given)))
        for entry in given.diagnosis:
            explanation = explain(variant.family, entry)
            value = value_of(variant, entry, part.name)
            if explanation and explanation.caption and value is not None:
                texts = _mistake_texts(variant, part, value=value, theirs=None if with_right else theirs)
                caption = render_inline(told(explanation.caption))
                lines.append(Line(caption=caption, rows=_rows(part, texts)))
    if with_right:
        texts = _texts(part, variant.right[part.name], places=PRECISE)
        lines.append(Line(caption=render_inline(_("Right value")), rows=_rows(part, texts)))
    return Evidence(label=render_inline(told(part.label)), lines=tuple(lines)) if lines else None


def _texts(part: Part, value: Value, places: int | None = None) -> Value:
    """The value with every number written out; None writes a number as it was read."""
    if part.kind == "shape" and isinstance(value, Sequence):
        return show_shape(value)
    if isinstance(value, list | tuple):
        return [_texts(part, item, places) for item in value]
    if places is None or round(value, places) == value:
        return read_as(value)
    return show(value, places)


def _mistake_texts(variant: Variant, part: Part, *, value: Value, theirs: Value | None) -> Value:
    right = variant.right[part.name]
    texts = _texts(part, value, places=3)
    if theirs is None or not isinstance(texts, list) or shape_of(value) != shape_of(right):
        return texts
    flat = [
        own if part.tolerance.accepts(wrong, exact) else text
        for own, text, wrong, exact in zip(
            cells_of(theirs), cells_of(texts), cells_of(value), cells_of(right), strict=True
        )
    ]
    width = len(texts[0]) if isinstance(texts[0], list) else len(texts)
    rows = [flat[start : start + width] for start in range(0, len(flat), width)]
    return rows if isinstance(texts[0], list) else rows[0]


def _rows(part: Part, texts: Value, given: PartVerdict | None = None) -> tuple[tuple[Shown, ...], ...]:
    rows = texts if isinstance(texts, list) and texts and isinstance(texts[0], list) else [texts]
    rows = [row if isinstance(row, list) else [row] for row in rows]
    wrong = iter(_wrong_cells(given, count=sum(len(row) for row in rows)))
    return tuple(tuple(Shown(text=text, wrong=next(wrong)) for text in row) for row in rows)


def _wrong_cells(given: PartVerdict | None, *, count: int) -> list[bool]:
    """For each cell shown whether it was wrong; an answer marked as a whole is wrong as a whole."""
    if given is None or given.key == "right":
        return [False] * count
    if len(given.cells) == count:
        return [not right for right in given.cells]
    return [True] * count
