"""The many ways to write one character, folded into one.

Keyboards, input methods, word processors and print-outs write minus in a dozen ways, digits in dozens of
scripts and brackets in several widths. `fold` maps what can only mean one thing to ASCII (plus √ π ∞ · and
the vulgar fractions, which the tokeniser knows) and leaves the rest alone, to be named in a refusal.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from quiz.exercises.reading.reasons import Unreadable

NO_BREAK = "\u00a0"  # every space that may group digits

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f\u061c"
_REORDERING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_GROUPS: dict[str, str] = {
    "-": "−–—‒―－﹣‐‑ー➖˗",
    "+": "＋﹢➕",
    "*": "×✕✖⨯∗＊﹡⋅∙•⨉╳",
    "·": "·・‧･",
    "/": "÷∕／➗",
    "^": "＾ˆ⌃",
    "(": "（﹙❨",
    ")": "）﹚❩",
    "[": "【［〔⟦",
    "]": "】］〕⟧",
    "{": "｛﹛",
    "}": "｝﹜",
    ",": "，﹐،︐",
    ";": "；﹔",
    ":": "：﹕",
    ".": "．。｡٫﹒",
    "=": "＝﹦",
    "%": "％٪﹪",
    "|": "｜│┃❘",
    "'": "‘’‚‛ʼ`＇٬",
    '"': "“”„‟「」『』«»＂",
    "…": "⋯⋮⋱︙",
    "≈": "≃≅≐～∼~",
    "_": "＿",
    NO_BREAK: "\u2007\u2009\u202f\u2008\u200a\u2006",
    " ": "\u3000\u2000\u2001\u2002\u2003\u2004\u2005\u205f\u1680⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠",
    "\n": "\r\v\f\x85\u2028\u2029",
}
_FOLDS = {variant: plain for plain, variants in _GROUPS.items() for variant in variants}
_WIDTHS = ("<wide>", "<narrow>", "<font>", "<small>", "<vertical>")
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾", "0123456789+-()", strict=True))
_RAISED = re.compile(f"[{''.join(_SUPERSCRIPTS)}]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BLANK = re.compile(rf"[ \t{NO_BREAK}]{{3,}}")
_RANGE = re.compile(r"[0-9][–—‒―][0-9.]")
_FRACTION_SLASH = re.compile(r"(?<![0-9⁄])([0-9])⁄([0-9])")


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in _FOLDS:
        return _FOLDS[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    # Widths and typefaces (ｅ, 𝑒, ℯ) are the same character; ², ₂ and ① are not the digit they contain.
    if unicodedata.decomposition(character).startswith(_WIDTHS):
        plain = unicodedata.normalize("NFKC", character)
        return plain if len(plain) == 1 else character
    return character


def fold(text: str) -> str:
    """`text` with every unmistakable variant replaced by its plain character.

    Raises `Unreadable` for characters that show digits in another order than they are stored in, and for a
    printer's dash between two digits, which may be a range or a minus.
    """
    for character in _REORDERING:
        if character in text:
            raise Unreadable("bidi", f"U+{ord(character):04X}")
    control = _CONTROL.search(text)
    if control:
        raise Unreadable("character", "\ufffd", f"U+{ord(control.group()):04X}")
    text = text.replace("\r\n", "\n").translate(dict.fromkeys(map(ord, _INVISIBLE)))
    text = _RAISED.sub(_unraise, text)
    plain = "".join([c if c < "\x7f" and c not in "`~\r\v\f" else _fold_character(c) for c in text])
    if plain != text:
        _refuse_ranges(text, plain)
    return _FRACTION_SLASH.sub(r"\1/\2", plain)


def _refuse_ranges(text: str, plain: str) -> None:
    """1–5 is a range on paper and a difference in a word processor. (Folding keeps every length.)"""
    digits = "".join([p if p.isdigit() and p.isascii() else c for p, c in zip(plain, text, strict=True)])
    found = _RANGE.search(digits)
    if found:
        raise Unreadable("range", text[found.start() : found.end()])


def _unraise(run: re.Match[str]) -> str:
    return "^(" + "".join(_SUPERSCRIPTS[c] for c in run.group()) + ")"


def tidy(text: str) -> str:
    """A folded text without empty lines, and with no run of more than two blanks.

    Two blanks say all that more can say (an empty cell between tabs, no grouping of digits between spaces);
    short runs keep every later search linear.
    """
    lines = [line.strip(" ") for line in text.split("\n") if line.strip()]
    return _BLANK.sub(_shorter, "\n".join(lines)).strip()


def _shorter(run: re.Match[str]) -> str:
    return min("\t\t", "\t" * run.group().count("\t")) or "  "
