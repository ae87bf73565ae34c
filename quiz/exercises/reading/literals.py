"""One written number, with its point, its groups of digits and its comma.

A comma has two lives. Under `Comma.POINT` it is a decimal comma (1,5 is 1.5; 1.234,5 and 1 234,5 are 1234.5);
under `Comma.GROUP` it parts thousands (1,234.5), and only groups of three count; `Comma.LOOSE` is the same
without that care, to offer 15 beside 1.5 when 1,5 was typed. Where commas part cells
no number may hold one (`Comma.NONE`). Text without a comma reads the same under all.
"""

from __future__ import annotations

import math
import re
from enum import Enum

from quiz.exercises.reading.folding import NO_BREAK
from quiz.exercises.reading.reasons import Unreadable

LARGEST_BITS = 1024  # no integer beyond the range of a double
LONGEST_EXPONENT = 6

# A run of digits with its separators; a space belongs to it only before exactly three digits.
LITERAL = re.compile(
    rf"[.,]?[0-9][0-9.,'_]*(?:[ {NO_BREAK}][0-9]{{3}}(?![0-9])(?:[.,'_][0-9.,'_]*)?)*(?:[eE][+-]?[0-9]+)?"
)
PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_EXPONENT = re.compile(r"[eE]([+-]?)([0-9]+)\Z")


class Comma(Enum):
    POINT = "point"
    GROUP = "group"
    NONE = "none"
    LOOSE = "loose"


def literal(raw: str, comma: Comma) -> int | float:
    """The number written as `raw`: an int when it has neither point nor exponent."""
    found = _EXPONENT.search(raw)
    body = raw[: found.start()] if found else raw
    whole, point, fraction = _parts(_without_underscores(body, raw), raw, comma)
    if not point and not found:
        return _integer(whole, raw)
    exponent = f"e{found[1]}{_short(found[2])}" if found else ""
    return _floating(f"{whole or '0'}.{fraction or '0'}{exponent}", raw)


def plain_number(text: str) -> int | float:
    """The quick path for what `PLAIN` matches, a sign included."""
    if text.lstrip("+-").isdigit():
        return _integer(text, text)
    return _floating(text, text)


def _parts(body: str, raw: str, comma: Comma) -> tuple[str, bool, str]:
    """Whole digits, whether a decimal point follows, and the digits after it."""
    if "," in body and comma is Comma.NONE:
        raise Unreadable("mixed_separators", raw)
    decimal_comma = "," in body and comma is Comma.POINT
    mark = "," if decimal_comma else "."
    if body.count(mark) > 1:
        raise Unreadable("grouping" if decimal_comma else "two_points", raw)
    whole, point, fraction = body.partition(mark)
    if fraction and not fraction.isdigit():
        raise Unreadable("two_points" if "." in fraction else "grouping", raw)
    if decimal_comma and not (whole and fraction):
        raise Unreadable("grouping", raw)
    separators = {c for c in whole if not c.isdigit()}
    if separators == {" ", NO_BREAK} or len(separators) > 1 or (separators and not whole[-1].isdigit()):
        raise Unreadable("grouping", raw)
    for separator in separators:
        _check_groups(
            whole.split(separator), raw, loose=comma is Comma.LOOSE and separator == "," and not point
        )
        whole = whole.replace(separator, "")
    return whole, bool(point), fraction


def _check_groups(groups: list[str], raw: str, *, loose: bool) -> None:
    if loose and len(groups) == 2 and all(groups):
        return
    first, *rest = groups
    if not 1 <= len(first) <= 3 or first.startswith("0") or any(len(group) != 3 for group in rest):
        raise Unreadable("grouping", raw)


def _without_underscores(body: str, raw: str) -> str:
    if "_" not in body:
        return body
    if re.search(r"(?<![0-9])_|_(?![0-9])", body) or "," in body:
        raise Unreadable("underscore", raw)
    return body.replace("_", "")


def _short(digits: str) -> str:
    """An exponent without needless zeros; an absurd one is cut, and stays beyond any double."""
    return (digits.lstrip("0") or "0")[:LONGEST_EXPONENT]


def _integer(digits: str, raw: str) -> int:
    if len(digits) > LARGEST_BITS:
        raise Unreadable("overflow", raw)
    value = int(digits)
    if value.bit_length() >= LARGEST_BITS:
        raise Unreadable("overflow", raw)
    return value


def _floating(written: str, raw: str) -> float:
    value = float(written)
    if math.isinf(value):
        raise Unreadable("overflow", raw)
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", written)[0]):
        raise Unreadable("underflow", raw)
    return value
