"""One number: what a single field, or one cell of a matrix, says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from quiz.exercises.reading.arithmetic import Number
from quiz.exercises.reading.dressing import undress
from quiz.exercises.reading.evaluating import evaluate
from quiz.exercises.reading.latex import without_latex
from quiz.exercises.reading.literals import PLAIN, Comma, plain_number
from quiz.exercises.reading.reasons import Reason, Unreadable, shown

LONGEST_NUMBER = 1000  # characters, print-out of a library included
LONGEST_EXPRESSION = 400

Read = TypeVar("Read")

_MINUS_INFINITY = re.compile(
    r"-\s*(?:(?:np|numpy|math|torch|jnp)\.)?(?:inf|infinity|∞)|-\s*float\(\s*(['\"])inf(?:inity)?\1\s*\)|负无穷大?",
    re.IGNORECASE,
)
_DOT_AFTER_ZERO = re.compile(r"[+-]?0·[0-9]+")
_BRACES = str.maketrans("{}", "()")


class Ambiguous(Exception):
    """More than one reading; raised inside this package only, `read` turns it into an "ask"."""

    def __init__(self, reason: Reason, readings: tuple[object, ...]) -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.readings = readings


def number(text: str, *, infinite: bool) -> Number:
    """The number a folded text says; raises `Unreadable` or `Ambiguous`."""
    if len(text) > LONGEST_NUMBER:
        raise Unreadable("too_long", str(LONGEST_NUMBER))
    plain = undress(text.removesuffix(";"))
    if not plain.strip():
        raise Unreadable("empty")
    if "\n" in plain.strip():
        raise Unreadable("lines")
    return by_comma(lambda comma: cell(plain, comma, infinite=infinite), plain)


def by_comma(read: Callable[[Comma], Read], text: str) -> Read:
    """What `read` gives when each comma of `text` belongs to a number, if that is the same for all its lives.

    1,5 is 1.5 or, with a slip in the grouping, 15; 1,234.5 and 5,000,000 have one reading only.
    """
    if "," not in text:
        return read(Comma.GROUP)
    found = successes([lambda: read(Comma.POINT), lambda: read(Comma.GROUP)])
    if not found:
        return read(Comma.GROUP)  # raises the reason
    if len(found) == 1:
        found = distinct([*found, *successes([lambda: read(Comma.LOOSE)])])
    return one_of(found, Reason("comma", (shown(text),)))


def cell(text: str, comma: Comma, *, infinite: bool) -> Number:
    """The number one cell says, its comma read as told."""
    text = text.strip()
    if PLAIN.match(text):
        return plain_number(text)
    if not text:
        raise Unreadable("empty_cell")
    if len(text) > LONGEST_NUMBER:
        raise Unreadable("too_long", str(LONGEST_NUMBER))
    text = without_latex(undress(text)).translate(_BRACES).strip()
    if len(text) > LONGEST_EXPRESSION:
        raise Unreadable("too_long", str(LONGEST_EXPRESSION))
    if _MINUS_INFINITY.fullmatch(text):
        if infinite:
            return -math.inf
        raise Unreadable("infinite", text)
    if _DOT_AFTER_ZERO.fullmatch(text):
        raise Unreadable("dots", text)
    if not text:
        raise Unreadable("empty_cell")
    return evaluate(text, comma)


def successes(attempts: Iterable[Callable[[], Read]]) -> list[Read]:
    """What the attempts that succeed give, equal values once, in order."""
    found: list[Read] = []
    for attempt in attempts:
        try:
            found.append(attempt())
        except Unreadable:
            continue
    return distinct(found)


def distinct(values: Iterable[Read]) -> list[Read]:
    result: list[Read] = []
    for value in values:
        if value not in result:
            result.append(value)
    return result


def one_of(found: list[Read], reason: Reason) -> Read:
    """The only value there is, or the question which of several."""
    if len(found) > 1:
        raise Ambiguous(reason, tuple(found))
    return found[0]
