"""The bracket structure of a print-out: which brackets are lists, and what the innermost ones contain.

One pass finds partners; no recursion, so depth is bounded before anything is built. A round bracket is a list
when it stands where an item stands and holds separated items, else it belongs to an expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quiz.exercises.reading.dressing import split_outside
from quiz.exercises.reading.reasons import Unreadable

DEEPEST_LISTS = 8
DEEPEST_BRACKETS = 30

_PARTNERS = {")": "(", "]": "["}
_BEFORE_ITEM = "([,;\n"
_AFTER_ITEM = ")],;\n"
_SPACED_NUMBERS = re.compile(r"[0-9.)][ \t\n]+[-+]?[0-9.(√]")


@dataclass
class Bracket:
    """A list: `start` and `end` are the places of its two brackets, `children` the lists inside."""

    start: int
    end: int = -1
    children: list[Bracket] = field(default_factory=list)


def lists(text: str) -> list[Bracket]:
    """The outermost lists of `text`, in order; none when it has no list brackets."""
    root = Bracket(-1, len(text))
    open_lists = [root]
    partner = partners(text)
    for start in sorted(partner):
        end = partner[start]
        while open_lists[-1].end < start:
            open_lists.pop()
        if text[start] == "(" and not _is_list(text, start, end):
            continue
        bracket = Bracket(start, end)
        open_lists[-1].children.append(bracket)
        open_lists.append(bracket)
        if len(open_lists) > DEEPEST_LISTS + 1:
            raise Unreadable("too_deep", str(DEEPEST_LISTS))
    return root.children


def partners(text: str) -> dict[int, int]:
    """The place of each opening bracket and of its partner."""
    stack: list[int] = []
    found: dict[int, int] = {}
    quote, quoted_at = "", 0
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character == '"' or (character == "'" and not text[index - 1 : index].isalnum()):
            quote, quoted_at = character, index
        elif character in "([":
            stack.append(index)
            if len(stack) > DEEPEST_BRACKETS:
                raise Unreadable("too_deep", str(DEEPEST_LISTS))
        elif character in ")]":
            if not stack or text[stack[-1]] != _PARTNERS[character]:
                raise Unreadable("unbalanced", character)
            found[stack.pop()] = index
    if quote:
        raise Unreadable("quote", text[quoted_at : quoted_at + 8])
    if stack:
        raise Unreadable("unbalanced", text[stack[-1]])
    return found


def _is_list(text: str, start: int, end: int) -> bool:
    before, after = _neighbour(text, start, -1), _neighbour(text, end, 1)
    if before not in _BEFORE_ITEM + ")]" or after not in _AFTER_ITEM + "([":
        return False
    inside = text[start + 1 : end]
    return len(split_outside(inside, ",;")) > 1 or bool(_SPACED_NUMBERS.search(inside))


def _neighbour(text: str, place: int, step: int) -> str:
    """The next character that is no space, "" at either end (which is in every set of characters)."""
    place += step
    while 0 <= place < len(text) and text[place] in " \t\u00a0":
        place += step
    return text[place] if 0 <= place < len(text) else ""


def gaps(text: str, brackets: list[Bracket], start: int, end: int) -> list[str]:
    """The text before, between and after `brackets`, which all lie in text[start:end]."""
    edges = [start, *(edge for b in brackets for edge in (b.start, b.end + 1)), end]
    return [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
