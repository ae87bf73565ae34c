"""From what a page sends to responses: one text a cell, one text a part, or the slug of a choice.

Fields are named `part` (numbers, shapes, sequences, choices) or `part.row.column` (cells, from 0). A whole
matrix in one cell, the others left empty, or in a field named as the part, is the answer for the part.
"""

from __future__ import annotations

from collections.abc import Mapping

from quiz.exercises.comparing import cells_of, is_blank
from quiz.exercises.reading import MAX_LENGTH, read
from quiz.exercises.types import Part, Response
from quiz.exercises.variants import Variant

GRIDS = ("vector", "matrix")
CHOSEN = "choose"  # "part|text": which of two readings was meant


def grid_shape(part: Part) -> tuple[int, int]:
    """Rows and columns of the input grid of a vector (one row) or a matrix."""
    return (1, part.shape[0]) if part.kind == "vector" else (part.shape[0], part.shape[1])


def field_name(part: Part, row: int, column: int) -> str:
    return f"{part.name}.{row}.{column}"


def answers_from(variant: Variant, data: Mapping[str, str]) -> dict[str, Response]:
    """The responses in a form's data: every required part, and the steps that were filled in."""
    data = _with_choice(data)
    answers = {part.name: _response(part, data) for part in variant.parts}
    required = {part.name for part in variant.required}
    return {name: given for name, given in answers.items() if name in required or not is_blank(given)}


def is_empty(answers: Mapping[str, Response]) -> bool:
    """Whether nothing at all was typed."""
    return all(is_blank(response) for response in answers.values())


def spread(part: Part, text: str) -> list[list[str]] | None:
    """A pasted vector or matrix as texts for the cells, or None when it is not one of several numbers."""
    reading = read("matrix", text, infinite=part.infinite)
    if reading.outcome != "value" or not isinstance(reading.value, list):
        return None
    rows = reading.value if any(isinstance(row, list) for row in reading.value) else [reading.value]
    if any(isinstance(cell, list) for row in rows for cell in row):
        return None
    return [[_typed(cell) for cell in row] for row in rows]


def _typed(value: float) -> str:
    return repr(value).replace("inf", "∞")


def _with_choice(data: Mapping[str, str]) -> dict[str, str]:
    field, bar, text = data.get(CHOSEN, "").partition("|")
    return {**data, field: text} if bar else dict(data)


def _response(part: Part, data: Mapping[str, str]) -> Response:
    if part.kind not in GRIDS:
        return _text(data, part.name)
    if given := _text(data, part.name):
        return _spread_or_text(part, given)
    rows, columns = grid_shape(part)
    cells = [[_text(data, field_name(part, i, j)) for j in range(columns)] for i in range(rows)]
    whole = _whole(part, cells)
    if whole is not None:
        return whole
    return cells[0] if part.kind == "vector" else cells


def _text(data: Mapping[str, str], name: str) -> str:
    """As it was sent, but for NUL, which databases do not store: it becomes the sign for what is no text."""
    text = data.get(name, "").replace("\r\n", "\n").replace("\0", "\ufffd")
    return text.strip()[: MAX_LENGTH + 1]


def _whole(part: Part, cells: list[list[str]]) -> Response | None:
    """A matrix pasted into one cell: its cells when the shape fits, else its text, refused by its shape."""
    filled = [text for row in cells for text in row if text]
    if len(filled) != 1 or len(cells_of(cells)) == 1:
        return None
    return _spread_or_text(part, filled[0]) if spread(part, filled[0]) is not None else None


def _spread_or_text(part: Part, text: str) -> Response:
    found = spread(part, text)
    if found is None or (len(found), len(found[0])) != grid_shape(part):
        return text
    return found[0] if part.kind == "vector" else found
