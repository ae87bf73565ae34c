"""Receiving a response: the typed text, or one text a cell, as the value or the values it may mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from quiz.exercises.comparing import cells_of, fitted, shape_of
from quiz.exercises.reading import Reading, read
from quiz.exercises.types import Kind, Part, Response, Text, Value

_READ_AS: dict[Kind, Literal["number", "matrix", "shape"]] = {
    "scalar": "number",
    "integer": "number",
    "vector": "matrix",
    "sequence": "matrix",
    "matrix": "matrix",
    "shape": "shape",
}
LISTS: frozenset[Kind] = frozenset({"vector", "sequence", "matrix"})  # whose form the part lays down

NOTHING = Text("什么也没写", "nothing was written")
NOT_CHOSEN = Text("还没有选", "nothing was chosen")
UNEVEN = Text("这一行的格数和第 1 行不同", "this row has another number of cells than row 1")
MAX_CHOICE = 400  # longer than any label
_MARKS = str.maketrans("", "", "\"'`*$「」“”")
_PLACE = re.compile(r"\(?(?:line |option |第 ?)?([1-9][0-9]?|[a-z])(?: ?[行项])?[.)]?")
NO_OPTION = Text("「{0}」不是可选项；可选：{1}", "“{0}” is not one of the options: {1}")


@dataclass(frozen=True)
class Received:
    """One value, or several when the text has several readings; or why and where it could not be read."""

    text: str
    values: tuple[Value, ...] = ()
    refusal: Text | None = None
    code: str = ""
    row: int | None = None
    column: int | None = None


def receive(part: Part, response: Response) -> Received:
    """Read `response` for `part`. A choice is its slug, the number or letter of its place among the options,
    or what it says; a grid is read cell by cell as numbers.
    """
    if isinstance(response, (list, tuple)):
        return _receive_grid(part, response)
    if part.kind == "choice":
        return _receive_choice(part, response)
    received = _received(response, read(_READ_AS[part.kind], response, infinite=part.infinite))
    return replace(received, values=of_asked_shape(part, received.values))


def of_asked_shape(part: Part, readings: tuple[Value, ...]) -> tuple[Value, ...]:
    """Of the readings of a list those of the shape that is asked for, or all when none is: between ten
    numbers and one of thirty digits a part that asks for ten has decided.
    """
    if part.kind not in LISTS:
        return readings
    fitting = tuple(value for value in readings if shape_of(fitted(value, part.shape)) == part.shape)
    return fitting or readings


def _received(text: str, reading: Reading) -> Received:
    if reading.outcome == "value":
        return Received(text, (reading.value,))
    if reading.outcome == "ask":
        return Received(text, tuple(reading.readings), row=reading.row, column=reading.column)
    cause = reading.cause
    if cause is None:
        raise AssertionError("a refusal has a cause")
    bare = replace(cause, row=None, column=None).text
    return Received(text, refusal=bare, code=cause.code, row=cause.row, column=cause.column)


def _receive_choice(part: Part, response: str) -> Received:
    given = _folded(response)
    if not given:
        return Received(response, refusal=NOT_CHOSEN, code="empty")
    options = [option.slug for option in part.options]
    if len(given) <= MAX_CHOICE:
        for meant in (_by_slug, _by_place, _by_label):
            found = meant(part, given)
            if found:
                return Received(response, (found,))
    shown = response.strip()
    shown = shown if len(shown) <= 24 else shown[:23] + "…"
    zh, en = NO_OPTION.zh.format(shown, "、".join(options)), NO_OPTION.en.format(shown, ", ".join(options))
    return Received(response, refusal=Text(zh, en), code="option")


def _folded(text: str) -> str:
    """Full-width forms, case, spaces, quotes and Markdown's marks made alike."""
    plain = unicodedata.normalize("NFKC", text[: MAX_CHOICE + 1]).casefold()
    return " ".join(plain.translate(_MARKS).split())


def _by_slug(part: Part, given: str) -> str:
    slug = given.replace(" ", "_").replace("-", "_")
    return next((option.slug for option in part.options if option.slug == slug), "")


def _by_place(part: Part, given: str) -> str:
    """`2`, `B`, `(b)`, `②`, `line 2`, `第 2 行`: the options as they are numbered on the page."""
    found = _PLACE.fullmatch(given)
    if not found:
        return ""
    place = found[1]
    index = int(place) - 1 if place.isdecimal() else ord(place) - ord("a")
    return part.options[index].slug if 0 <= index < len(part.options) else ""


def _by_label(part: Part, given: str) -> str:
    matching = [
        option.slug
        for option in part.options
        if given in (_folded(option.label.zh), _folded(option.label.en))
    ]
    return matching[0] if len(matching) == 1 else ""


def _receive_grid(part: Part, response: Sequence[str | Sequence[str]]) -> Received:
    """Cells keep the places they were typed in; where some can be read in two ways, one person is taken
    to mean the same by every comma: all the first readings, or all the second.
    """
    nested = any(not isinstance(row, str) for row in response)
    rows = [[row] if isinstance(row, str) else list(row) for row in response]
    if not nested:
        rows = [list(chain.from_iterable(rows))]
    if not rows or not rows[0]:
        return Received("", refusal=NOTHING, code="empty")
    for index, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            return Received("", refusal=UNEVEN, code="ragged", row=index)
    readings = [[read("number", cell, infinite=part.infinite) for cell in row] for row in rows]
    refused = _first(readings, "refuse")
    if refused is not None:
        return _at(refused, rows, _received(_text(rows, refused), readings[refused[0]][refused[1]]))
    asked = _first(readings, "ask")
    values = [_grid(readings, which, nested) for which in ((0,) if asked is None else (0, 1))]
    if part.kind in ("scalar", "integer") and len(rows) == len(rows[0]) == 1:
        values = [cells_of(value)[0] for value in values]
    if asked is None:
        return Received("", tuple(values))
    return _at(asked, rows, Received(_text(rows, asked), tuple(values)))


def _first(readings: list[list[Reading]], outcome: str) -> tuple[int, int] | None:
    places = ((r, c) for r, row in enumerate(readings) for c, one in enumerate(row) if one.outcome == outcome)
    return next(places, None)


def _text(rows: list[list[str]], place: tuple[int, int]) -> str:
    return rows[place[0]][place[1]]


def _at(place: tuple[int, int], rows: list[list[str]], received: Received) -> Received:
    if len(rows) == len(rows[0]) == 1:
        return received
    return replace(received, row=place[0] + 1, column=place[1] + 1)


def _grid(readings: list[list[Reading]], which: int, nested: bool) -> Value:
    rows = [[one.value if one.outcome == "value" else one.readings[which] for one in row] for row in readings]
    return rows if nested else rows[0]
