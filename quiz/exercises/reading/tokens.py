"""An expression cut into tokens: numbers, names, operators and brackets. Linear in its length."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from quiz.exercises.reading.literals import LITERAL
from quiz.exercises.reading.reasons import Unreadable

NUMBER, FRACTION, NAME, SYMBOL, END = "number", "fraction", "name", "symbol", "end"

_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*|[^\W\d_]+")
_HEXADECIMAL = re.compile(r"(?<![0-9.])0[xX][0-9a-fA-F]+")
_TIMES = re.compile(r"(?<=[0-9.)½%])(\s*)[xX](?=\s*[0-9.(√])")
_LONE_SIGN = re.compile(r"[\w.)%]\s+[+-](?=\S)")


class Token(NamedTuple):
    kind: str
    text: str
    start: int


def tokens(text: str) -> list[Token]:
    """The tokens of a folded text, with an END token last."""
    found = _HEXADECIMAL.search(text)
    if found:
        raise Unreadable("hexadecimal", found.group())
    lone = _LONE_SIGN.search(text)
    if lone:  # “1 -2” is one number, or two
        raise Unreadable("spaces", text)
    text = _TIMES.sub(r"\1*", text)
    result: list[Token] = []
    position = 0
    while position < len(text):
        token = _token(text, position)
        position = token.start + len(token.text)
        if token.kind:
            result.append(token)
    result.append(Token(END, "", len(text)))
    return result


def _token(text: str, position: int) -> Token:
    space = _SPACE.match(text, position)
    if space:
        return Token("", space.group(), position)
    number = LITERAL.match(text, position)
    if number:
        return Token(NUMBER, number.group(), position)
    character = text[position]
    if text.startswith("**", position):
        return Token(SYMBOL, "**", position)
    if character in "+-*/^()%‰√·":
        return Token(SYMBOL, character, position)
    if vulgar(character) is not None:
        return Token(FRACTION, character, position)
    if character == "π":
        return Token(NAME, character, position)
    name = _NAME.match(text, position)
    if name:
        return Token(NAME, name.group(), position)
    raise unexpected(character, text)


def unexpected(character: str, text: str) -> Unreadable:
    """The refusal that names a character which no number contains."""
    if character in "[]{}":
        return Unreadable("brackets", character)
    if character in ",;":
        return Unreadable("several", text)
    if character in "'\"":
        return Unreadable("quote", character)
    if character == "∞":
        return Unreadable("infinite", character)
    return Unreadable("character", character, f"U+{ord(character):04X}")


def vulgar(character: str) -> Fraction | None:
    """½ and its kin; None for every other character."""
    decomposed = unicodedata.decomposition(character)
    if not decomposed.startswith("<fraction>"):
        return None
    upper, slash, lower = unicodedata.normalize("NFKC", character).partition("⁄")
    return Fraction(int(upper), int(lower)) if slash and upper and lower and lower != "0" else None
