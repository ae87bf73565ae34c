"""The stretch of a document that says what was asked, with its hits marked."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

from quiz.bank.search.index import Hit, Passage
from quiz.bank.search.words import Token, tokens

LENGTH = {"zh-hans": 90, "en": 200}  # characters


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """`html` is safe; `heading` and `anchor` are of the passage it stands in."""

    html: SafeString
    heading: str
    anchor: str


def excerpt(hit: Hit) -> Excerpt:
    """The window of the best passage in which most of what was asked stands closest together."""
    passage = max(hit.document.passages, key=lambda one: _worth(one, hit))
    length = LENGTH.get(hit.document.language, 200)
    found = [token for token in tokens(passage.text) if token.text in hit.wanted]
    start = _start(found, hit, length)
    begin, end = _at_words(passage.text, start, start + length)
    shown = [token for token in found if token.start >= begin and token.end <= end]
    html = ("…" if begin else "") + _marked(passage.text, shown, begin, end)
    html += "…" if end < len(passage.text) else ""
    return Excerpt(html=mark_safe(html), heading=passage.heading, anchor=passage.anchor)  # noqa: S308 (escaped)


def highlighted(text: str, hit: Hit) -> SafeString:
    """A whole title with its hits marked."""
    found = [token for token in tokens(text) if token.text in hit.wanted]
    return mark_safe(_marked(text, found, 0, len(text)))  # noqa: S308 (escaped in there)


def _worth(passage: Passage, hit: Hit) -> float:
    present = {token.text for token in tokens(passage.text)}
    return sum(weight for token, weight in hit.wanted.items() if token in present)


def _start(found: list[Token], hit: Hit, length: int) -> int:
    """Where the window begins that holds the greatest weight of different tokens."""
    best, at = 0.0, 0
    for first in found:
        inside = {token.text for token in found if first.start <= token.start < first.start + length * 0.75}
        worth = sum(hit.wanted[text] for text in inside)
        if worth > best:
            best, at = worth, max(0, first.start - length // 8)
    return at


def _at_words(text: str, begin: int, end: int) -> tuple[int, int]:
    """The window moved so that no Latin word is cut."""
    while 0 < begin < len(text) and text[begin - 1].isascii() and text[begin - 1].isalnum():
        begin -= 1
    end = min(len(text), end)
    while end < len(text) and text[end].isascii() and text[end].isalnum():
        end += 1
    return begin, end


def _marked(text: str, found: list[Token], begin: int, end: int) -> str:
    """The text as HTML; neighbouring and overlapping hits become one mark."""
    html, at = "", begin
    spans: list[list[int]] = []
    for token in found:
        if spans and token.start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], token.end)
        else:
            spans.append([token.start, token.end])
    for start, stop in spans:
        html += escape(text[at:start]) + f"<mark>{escape(text[start:stop])}</mark>"
        at = stop
    return html + escape(text[at:end])
