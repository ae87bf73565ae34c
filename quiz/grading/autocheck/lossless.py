"""JSON read only where nothing is lost on the way: Python's own reader takes 1e400 for infinity, 1e-400 for 0
and the last of two values under one name, without a word.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

SHOWN = 24  # characters of a name or number that a sentence quotes
_NOT_ZERO = re.compile(r"[^eE]*[1-9]")


class Unsound(ValueError):
    """JSON that could not be judged or written back as what it says; why, in both languages."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en


def load(text: str) -> Any:
    """The value that a JSON text says. Unsound when Python has no such value, else as json.loads."""
    return json.loads(
        text,
        parse_constant=_no_constant,
        parse_float=_float,
        parse_int=_integer,
        object_pairs_hook=_object,
    )


def twice(name: str) -> Unsound:
    """The refusal of two values under one name."""
    return Unsound(f"{name[:SHOWN]} 出现了两次", f"{name[:SHOWN]} occurs twice")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise twice(name)
        found[name] = value
    return found


def _float(written: str) -> float:
    value, shown = float(written), written[:SHOWN]
    if math.isinf(value):
        raise Unsound(f"{shown} 太大了", f"{shown} is too large")
    if value == 0 and _NOT_ZERO.match(written):
        raise Unsound(f"{shown} 太接近 0，表示不了", f"{shown} is too close to zero to be kept")
    return value


def _integer(written: str) -> int:
    try:
        return int(written)
    except ValueError:  # more digits than Python makes a number of
        shown = f"{written[:SHOWN]}…"
        raise Unsound(f"{shown} 太大了", f"{shown} is too large") from None


def _no_constant(constant: str) -> float:
    raise Unsound(f"JSON 里没有 {constant}", f"JSON has no {constant}")
