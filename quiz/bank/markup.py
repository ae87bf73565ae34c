"""Markdown with formulas and live numbers to HTML that is safe on any page, or to plain text.

The source is scanned first (`scanning`): formulas, live numbers and code are taken out, and marks stand in
their place. The prose goes through Markdown (`prose`) and through the list of what is allowed (`cleaning`).
Only then are the marks replaced by MathML, numbers and highlighted code, which our own code has written. So
nothing an author types reaches a page as HTML, and nothing that we make stands inside an attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from html import escape, unescape

from django.utils.safestring import SafeString, mark_safe

from quiz.bank.blocks import BLOCKS
from quiz.bank.checking import Problem, check
from quiz.bank.cleaning import MARKS, clean
from quiz.bank.highlighting import highlighted
from quiz.bank.linear import linear
from quiz.bank.mathml import FormulaError, mathml
from quiz.bank.numbers import filled, written
from quiz.bank.prose import prose
from quiz.bank.scanning import Piece, scan
from quiz.expressions import ExpressionError

__all__ = ["Problem", "check", "plain", "render", "render_inline"]

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_LONE_MARK = re.compile(f"<p>\\s*{_OPEN}(\\d+){_CLOSE}\\s*</p>")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@lru_cache(maxsize=2048)
def render(text: str) -> SafeString:
    """A text of any length as block HTML. Never raises: what is wrong is shown as its source."""
    return mark_safe(_rendered(text, inline=False, write=_html))  # noqa: S308 (cleaned above)


@lru_cache(maxsize=4096)
def render_inline(text: str) -> SafeString:
    """One line without links or blocks, for titles, options and verdicts (it may stand inside a link)."""
    return mark_safe(_rendered(text, inline=True, write=_html))  # noqa: S308 (cleaned above)


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """The text without any markup: for page titles, CSV and the terminal. Paragraphs keep their lines.

    It is a str, not HTML: escape it like any other.
    """
    html = _rendered(text, inline=False, write=_text)
    lines = re.sub(r"</(?:p|h\d|li|tr|pre|blockquote)>", "\n", html)
    stripped = unescape(re.sub(r"<[^>]*>", " " if "</td>" in html else "", lines))
    return "\n".join(line.strip() for line in stripped.splitlines() if line.strip())


def _rendered(text: str, *, inline: bool, write: Callable[[Piece], str]) -> str:
    text = _CONTROLS.sub("", MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    pieces = scan(" ".join(text.split()) if inline else text, fences=not inline)
    if inline:
        pieces = tuple(replace(piece, info="", block=False) for piece in pieces)
    taken = [piece for piece in pieces if piece.kind != "text"]
    try:
        html = clean(prose(_marked(pieces), inline=inline), inline=inline)
    except RecursionError:
        return f"<p>{escape(text)}</p>"

    def put_back(match: re.Match[str]) -> str:
        return write(taken[int(match[1])])

    html = _LONE_MARK.sub(lambda m: put_back(m) if taken[int(m[1])].block else m[0], html)
    return _MARK.sub(put_back, html)


def _marked(pieces: tuple[Piece, ...]) -> str:
    marked, count = "", 0
    for piece in pieces:
        if piece.kind == "text":
            marked += piece.content
            continue
        mark = f"{_OPEN}{count}{_CLOSE}"
        marked += f"\n\n{piece.indent}{mark}\n\n" if piece.block else mark
        count += 1
    return marked


def _html(piece: Piece) -> str:
    try:
        return _written_as_html(piece)
    except (FormulaError, ExpressionError):
        return f'<code class="markup-error">{escape(piece.source)}</code>'


def _written_as_html(piece: Piece) -> str:
    match piece.kind:
        case "formula" if piece.info == "display":
            return f'<span class="formula" tabindex="0">{mathml(filled(piece.content), display=True)}</span>'
        case "formula":
            return mathml(filled(piece.content))
        case "number":
            return escape(written(piece.content))
        case "fence":
            name = piece.info.partition(" ")[0]
            return BLOCKS[name](piece.content) if name in BLOCKS else highlighted(piece.content, name)
    return f"<code>{escape(piece.content)}</code>"


def _text(piece: Piece) -> str:
    """As `_html`, in words alone; still escaped, because the prose around it is HTML at this point."""
    try:
        match piece.kind:
            case "formula":
                return escape(linear(filled(piece.content)))
            case "number":
                return escape(written(piece.content))
        return escape(piece.content)
    except (FormulaError, ExpressionError):
        return escape(piece.source)
