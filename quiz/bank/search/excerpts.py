"""The stretch of a document that says what was asked, with its hits marked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

from quiz.bank.search.index import Hit
from quiz.bank.search.words import fold

LENGTH = {"zh-hans": 90, "en": 200}  # characters

Place = tuple[int, int, str]  # from, to, and the token that stands there


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """`html` is safe; `heading` and `anchor` are of the passage it stands in."""

    html: SafeString
    heading: str
    anchor: str


def excerpt(hit: Hit) -> Excerpt:
    """The window of the best passage in which most of what was asked stands closest together."""
    pattern = _pattern(hit)
    passages = [passage for passage in hit.document.passages if passage.text]
    if not passages:
        return Excerpt(html=mark_safe(""), heading="", anchor="")
    found = [_places(passage.folded, pattern) for passage in passages]
    worth = [sum(hit.wanted[token] for token in {place[2] for place in places}) for places in found]
    best = max(range(len(found)), key=worth.__getitem__)
    passage, places = passages[best], found[best]
    length = LENGTH.get(hit.document.language, 200)
    start = _start(places, hit, length)
    begin, end = _at_words(passage.text, start, start + length)
    shown = [place for place in places if place[0] >= begin and place[1] <= end]
    html = ("…" if begin else "") + _marked(passage.text, shown, begin, end)
    html += "…" if end < len(passage.text) else ""
    return Excerpt(html=mark_safe(html), heading=passage.heading, anchor=passage.anchor)  # noqa: S308 (escaped)


def highlighted(text: str, hit: Hit) -> SafeString:
    """A whole title with its hits marked."""
    found = _places(fold(text), _pattern(hit))
    return mark_safe(_marked(text, found, 0, len(text)))  # noqa: S308 (escaped in there)


def _pattern(hit: Hit) -> re.Pattern[str]:
    """Every place where a wanted token stands, overlapping ones too; a Latin word only as a whole."""
    words = sorted(hit.wanted, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in words if word.isascii()) or r"(?!)"
    han = "|".join(re.escape(word) for word in words if not word.isascii()) or r"(?!)"
    return re.compile(rf"(?=((?<![a-z0-9])(?:{latin})(?![a-z0-9])|{han}))")


def _places(folded: str, pattern: re.Pattern[str]) -> list[Place]:
    return [(match.start(1), match.end(1), match[1]) for match in pattern.finditer(folded)]


def _start(places: list[Place], hit: Hit, length: int) -> int:
    """Where the window begins that holds the greatest weight of different tokens."""
    best, at = 0.0, 0
    for first, _, _ in places[:200]:
        inside = {token for start, _, token in places if first <= start < first + length * 0.75}
        worth = sum(hit.wanted[token] for token in inside)
        if worth > best:
            best, at = worth, max(0, first - length // 8)
    return at


def _at_words(text: str, begin: int, end: int) -> tuple[int, int]:
    """The window moved so that no Latin word is cut."""
    while 0 < begin < len(text) and text[begin - 1].isascii() and text[begin - 1].isalnum():
        begin -= 1
    end = min(len(text), end)
    while end < len(text) and text[end].isascii() and text[end].isalnum():
        end += 1
    return begin, end


def _marked(text: str, places: list[Place], begin: int, end: int) -> str:
    """The text as HTML; neighbouring and overlapping hits become one mark."""
    html, at = "", begin
    spans: list[list[int]] = []
    for start, stop, _ in places:
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], stop)
        else:
            spans.append([start, stop])
    for start, stop in spans:
        html += escape(text[at:start]) + f"<mark>{escape(text[start:stop])}</mark>"
        at = stop
    return html + escape(text[at:end])
