"""A section as the page shows it: its parts by themselves, each heading with an anchor that can be shared.

Anchors are the keys of `chaptering`, and `key-1`, `key-2`, … for the headings inside a part: the same in
every language, because both have the same structure.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from html import escape, unescape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from quiz.bank.answers import items
from quiz.bank.chaptering import Piece, pieces
from quiz.bank.keeping import rendered
from quiz.bank.markup import plain, render_inline

_HEADING = re.compile(r"<h3>(.*?)</h3>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
LISTED = ("tasks",)  # parts whose list is shown by the page, point by point


@dataclass(frozen=True, kw_only=True)
class Part:
    """`html` with its heading; `points` the list that the page itself shows, where there is one."""

    anchor: str
    title: SafeString
    html: SafeString
    points: tuple[SafeString, ...] = ()


def parts(body: str, language: str) -> tuple[Part, ...]:
    """The parts of a section's text, in the language that the text is in."""
    return tuple(_part(piece, place, language) for place, piece in enumerate(pieces(body), 1))


def anchors(body: str) -> tuple[str, ...]:
    """The anchors of the parts, without rendering them."""
    return tuple(_anchor(piece, place) for place, piece in enumerate(pieces(body), 1))


def _anchor(piece: Piece, place: int) -> str:
    return piece.key or f"part-{place}"


def _part(piece: Piece, place: int, language: str) -> Part:
    anchor = _anchor(piece, place)
    is_listed = piece.key in LISTED
    text, points = _without_list(piece.body) if is_listed else (piece.body, ())
    title = render_inline(piece.heading, language)
    inside = _with_anchors(rendered(text, language), anchor)
    head = _heading("h2", anchor, title, plain(piece.heading, language))
    html = mark_safe(f"{head}{inside}")  # noqa: S308 (both from render)
    return Part(
        anchor=anchor, title=title, html=html, points=tuple(rendered(point, language) for point in points)
    )


def _without_list(text: str) -> tuple[str, tuple[str, ...]]:
    """What stands before the first `- item`, and the items."""
    before, mark, rest = f"\n{text}".partition("\n- ")
    return before.strip(), tuple(item.text for item in items(f"- {rest}")) if mark else ()


def _with_anchors(html: str, anchor: str) -> str:
    numbers = itertools.count(1)

    def with_anchor(match: re.Match[str]) -> str:
        return _heading("h3", f"{anchor}-{next(numbers)}", match[1], unescape(_TAG.sub("", match[1])))

    return _HEADING.sub(with_anchor, html)


def _heading(tag: str, anchor: str, inside: str, name: str) -> str:
    label = escape(_("Link to “%(name)s”") % {"name": name})
    sign = f'<a class="anchor no-print" href="#{anchor}" aria-label="{label}" data-anchor>#</a>'
    return f'<{tag} id="{anchor}">{inside} {sign}</{tag}>'
