"""Names for values: the ```` ```let ```` fences of a text, and which names each of its pieces knows.

A line is `name = expression`; an open bracket lets it go on in the next line. A name is known from there to
the end of the text. It hides no word of the notation and is given once, so that a reader of the source never
has to ask which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from quiz.bank.scanning import Piece
from quiz.expressions import ExpressionError, Value, define, is_word

FENCE = "let"
Names = Mapping[str, Value]
_LINE = re.compile(r"\s*([A-Za-z]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)


class DefinitionError(ValueError):
    """A line of a let fence that is wrong; `line` counts from 1 inside the fence."""

    def __init__(self, line: int, message: str) -> None:
        self.line, self.message = line, message
        super().__init__(message)


def is_let(piece: Piece) -> bool:
    return piece.kind == "fence" and piece.info == FENCE


def defined(source: str, names: Names) -> tuple[dict[str, Value], tuple[DefinitionError, ...]]:
    """The names of a fence added to those known, and every line that is wrong."""
    known, wrong = dict(names), []
    for line, statement in _statements(source):
        try:
            name, value = _one(line, statement, known)
        except DefinitionError as error:
            wrong.append(error)
            continue
        known[name] = value
    return known, tuple(wrong)


def scopes(pieces: Sequence[Piece], names: Names) -> tuple[Names, ...]:
    """For each piece the names that are known where it stands."""
    known, found = names, []
    for piece in pieces:
        found.append(known)
        if is_let(piece):
            known = defined(piece.content, known)[0]
    return tuple(found)


def _one(line: int, statement: str, known: Names) -> tuple[str, Value]:
    match = _LINE.fullmatch(statement)
    if match is None:
        raise DefinitionError(line, "a line of let is written `name = expression`")
    name, expression = match[1], match[2]
    if name in known:
        raise DefinitionError(line, f"the name {name!r} is given twice")
    if is_word(name):
        raise DefinitionError(line, f"{name!r} is a word of the notation; take another name")
    try:
        return name, define(expression, known)
    except ExpressionError as error:
        raise DefinitionError(line, f"{name}: {error}") from None


def _statements(source: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, those of an open bracket joined."""
    held, start, depth = "", 0, 0
    for number, line in enumerate(source.split("\n"), 1):
        if not held and not line.strip():
            continue
        start = start if held else number
        held += line + "\n"
        depth += sum(line.count(mark) for mark in "([") - sum(line.count(mark) for mark in ")]")
        if depth <= 0:
            yield start, held.strip()
            held, depth = "", 0
    if held:
        yield start, held.strip()
