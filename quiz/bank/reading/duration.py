"""How long a text takes to read: an estimate from what stands in it, told in whole minutes."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from quiz.bank.defining import is_let
from quiz.bank.scanning import Piece, scan

HAN_A_MINUTE = 350  # technical Chinese, read with thought
WORDS_A_MINUTE = 180
FORMULA, DISPLAYED, LINE_OF_CODE, FIGURE = 1.5, 8.0, 3.0, 15.0  # seconds

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")


@lru_cache(maxsize=256)
def minutes(text: str) -> int:
    """At least one."""
    return max(1, math.ceil(sum(_seconds(piece) for piece in scan(text)) / 60))


def _seconds(piece: Piece) -> float:
    if is_let(piece):
        return 0.0
    match piece.kind:
        case "formula":
            return DISPLAYED if piece.info == "display" else FORMULA
        case "fence" if piece.info == "correction":
            return _words(piece.content)
        case "fence" if piece.info.split(" ")[0] in ("matrix", "chart", "diagram"):
            return FIGURE
        case "fence":
            return LINE_OF_CODE * len(piece.content.splitlines())
        case "text":
            return _words(piece.content)
    return FORMULA


def _words(text: str) -> float:
    return 60 * (len(_HAN.findall(text)) / HAN_A_MINUTE + len(_WORD.findall(text)) / WORDS_A_MINUTE)
