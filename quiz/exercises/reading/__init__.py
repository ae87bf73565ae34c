"""Typed text read as a number, a matrix or a shape; or a question; or a refusal with its reason.

The one promise: nothing is silently misread. A text has one reading, or the reader says which two it may
have, or which character or rule stopped it. There is no `eval`; work and memory are bounded for any input.

    fold (folding) → undress (dressing) → latex → scalars | matrices | shapes
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from quiz.exercises.reading.folding import fold, tidy
from quiz.exercises.reading.matrices import matrix
from quiz.exercises.reading.reasons import Reason, Unreadable
from quiz.exercises.reading.scalars import Ambiguous, number
from quiz.exercises.reading.shapes import shape
from quiz.exercises.reading.showing import read_as
from quiz.exercises.types import Text

__all__ = ["MAX_LENGTH", "Outcome", "Reading", "ReadingKind", "Reason", "read", "read_as"]

MAX_LENGTH = 100_000  # characters

ReadingKind = Literal["number", "matrix", "shape"]
Outcome = Literal["value", "ask", "refuse"]

_ELIDED = re.compile(r"\.{3,}|…")


@dataclass(frozen=True)
class Reading:
    """What a text was read as. `value` is set for "value" only, `readings` for "ask" only."""

    outcome: Outcome
    value: Any = None
    cause: Reason | None = None
    readings: tuple[Any, ...] = ()

    @property
    def reason(self) -> str:
        """Why it is not a value, in English with the place; "" for a value."""
        return self.cause.text.en if self.cause else ""

    @property
    def explanation(self) -> Text | None:
        """`reason` in both languages (plain text that quotes what was typed: escape it)."""
        return self.cause.text if self.cause else None

    @property
    def code(self) -> str:
        return self.cause.code if self.cause else ""

    @property
    def row(self) -> int | None:
        return self.cause.row if self.cause else None

    @property
    def column(self) -> int | None:
        return self.cause.column if self.cause else None


def read(kind: str, text: str, *, infinite: bool = False) -> Reading:
    """Read `text` as one number, as nested lists of numbers, or as a shape (a list of sizes).

    kind      "number", "matrix" (also vectors and sequences) or "shape"; else ValueError
    infinite  accept −inf (never +inf or NaN), for parts that ask for masked scores

    Integers written as integers stay `int`, and what JSON prints is read back as the same number.

    >>> read("number", "-1/√2").value
    -0.7071067811865475
    >>> read("number", "1,5").readings
    (1.5, 15)
    >>> read("matrix", "[[1,2],[3]]").reason
    'row 2: this row has length 1, the first row has length 2'
    """
    if kind not in _READERS:
        raise ValueError(f"kind must be one of {', '.join(_READERS)}, not {kind!r}")
    try:
        return Reading("value", value=_READERS[kind](_prepared(text), infinite))
    except Ambiguous as question:
        return Reading("ask", cause=question.reason, readings=question.readings)
    except Unreadable as refusal:
        return Reading("refuse", cause=refusal.reason)


_READERS: dict[str, Callable[[str, bool], Any]] = {
    "number": lambda text, infinite: number(text, infinite=infinite),
    "matrix": lambda text, infinite: matrix(text, infinite=infinite),
    "shape": lambda text, infinite: shape(text),
}


def _prepared(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise Unreadable("too_long", str(MAX_LENGTH))
    plain = tidy(fold(text.strip().removesuffix("。")))
    if not plain:
        raise Unreadable("empty")
    elided = _ELIDED.search(plain)
    if elided:
        raise Unreadable("elided", elided.group())
    return plain
