"""A text as the tokens that a search compares, each with its place.

Latin words and numbers are folded (case, width, accents); a run of Chinese characters gives every pair of
neighbours, so that a query with one wrong character still shares most of its pairs with the right text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_RUN = re.compile(r"(?P<han>[㐀-鿿豈-﫿]+)|(?P<word>[^\W_㐀-鿿豈-﫿]+(?:[-.'][^\W_㐀-鿿豈-﫿]+)*)")


@dataclass(frozen=True)
class Token:
    """A folded token and where its source stands in the text: `text[start:end]`."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Case, width and accents put aside, one character for each (a search should not depend on them)."""
    return "".join(_fold_character(character) for character in text)


def _fold_character(character: str) -> str:
    folded = unicodedata.normalize("NFKD", character).casefold()
    return folded[0] if folded and not unicodedata.combining(folded[0]) else character


def tokens(text: str) -> Iterator[Token]:
    """The tokens in order; a lone Chinese character is a token by itself."""
    for run in _RUN.finditer(fold(text)):
        if run["word"]:
            yield from _word(run["word"], run.start())
            continue
        han, at = run["han"], run.start()
        if len(han) == 1:
            yield Token(han, at, at + 1)
        for index in range(len(han) - 1):
            yield Token(han[index : index + 2], at + index, at + index + 2)


def _word(word: str, at: int) -> Iterator[Token]:
    """A hyphenated word, whole and in its parts, so that "pre-ln" and "layer norm" meet what they mean."""
    yield Token(word, at, at + len(word))
    pieces = list(re.finditer(r"[^\-.']+", word))
    if len(pieces) > 1:
        for piece in pieces:
            yield Token(piece[0], at + piece.start(), at + piece.end())
