"""Markdown with formulas and live numbers to HTML that is safe on any page, or to plain text.

The source is scanned first (`scanning`): formulas, live numbers and code are taken out, and marks stand in
their place. The prose goes through Markdown (`prose`) and through the list of what is allowed (`cleaning`).
Only then are the marks replaced by MathML, numbers and highlighted code, which our own code has written. So
nothing an author types reaches a page as HTML, and nothing that we make stands inside an attribute.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape, unescape

from django.utils.safestring import SafeString, mark_safe

from quiz.bank.blocks import BLOCKS, Block, BlockError, Setting
from quiz.bank.checking import Problem, check
from quiz.bank.cleaning import MARKS, clean
from quiz.bank.defining import Names, scopes
from quiz.bank.glossary import ADDRESS, glossary
from quiz.bank.linear import linear
from quiz.bank.listings import listing, listing_text
from quiz.bank.mathml import FormulaError, mathml
from quiz.bank.numbers import filled, written
from quiz.bank.prose import prose
from quiz.bank.scanning import Piece, scan
from quiz.expressions import ExpressionError

__all__ = ["Problem", "check", "plain", "render", "render_inline"]

DEFAULT = "zh-hans"
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_ANCHOR = re.compile(r"<a\b[^>]*>.*?</a>", re.DOTALL)
# A line may break beside any formula; punctuation that belongs to one stays with it.
_HELD = re.compile(
    r"[（「『“(\[]+<math[ >](?:(?!</math>).)*</math>[，。；：、？！）」』”’,.;:?!)\]]*"
    r"|<math[ >](?:(?!</math>).)*</math>[，。；：、？！）」』”’,.;:?!)\]]+",
    re.DOTALL,
)
_LONE_MARK = re.compile(f"<p>\\s*{_OPEN}(\\d+){_CLOSE}\\s*</p>")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@lru_cache(maxsize=2048)
def render(text: str, language: str = DEFAULT) -> SafeString:
    """A text of any length, written in `language`, as block HTML. Never raises: what is wrong is shown as its
    source."""
    return mark_safe(_rendered(text, Scene(language=language)))  # noqa: S308 (cleaned above)


@lru_cache(maxsize=4096)
def render_inline(text: str, language: str = DEFAULT) -> SafeString:
    """One line without links or blocks, for titles, options and verdicts (it may stand inside a link)."""
    return mark_safe(_rendered(text, Scene(language=language, inline=True)))  # noqa: S308 (cleaned above)


@lru_cache(maxsize=2048)
def plain(text: str, language: str = DEFAULT) -> str:
    """The text without any markup: for page titles, CSV and the terminal. Paragraphs keep their lines.

    It is a str, not HTML: escape it like any other.
    """
    return _stripped(_rendered(text, Scene(language=language, as_words=True)))


def _stripped(html: str) -> str:
    lines = re.sub(r"</(?:p|h\d|li|tr|pre|blockquote)>", "\n", html)
    stripped = unescape(re.sub(r"<[^>]*>", " " if "</td>" in html else "", lines))
    return "\n".join(line.strip() for line in stripped.splitlines() if line.strip())


@dataclass(frozen=True, kw_only=True)
class Scene:
    """How a text is rendered: its language, the names that a text around it gave, and into what."""

    language: str
    names: Names = field(default_factory=dict)
    inline: bool = False
    as_words: bool = False  # still escaped, because the prose around the words is HTML until the end


def _rendered(text: str, scene: Scene) -> str:
    inline = scene.inline
    text = _CONTROLS.sub("", MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    pieces = scan(" ".join(text.split()) if inline else text, fences=not inline)
    if inline:
        pieces = tuple(replace(p, info=p.info if p.kind == "term" else "", block=False) for p in pieces)
    taken = [
        (piece, replace(scene, names=names))
        for piece, names in zip(pieces, scopes(pieces, scene.names), strict=True)
        if piece.kind != "text"
    ]
    try:
        html = clean(prose(_marked(pieces), inline=inline), inline=inline)
    except RecursionError:
        return f"<p>{escape(text)}</p>"

    def put_back(match: re.Match[str]) -> str:
        return _written(*taken[int(match[1])])

    html = _LONE_MARK.sub(lambda m: put_back(m) if taken[int(m[1])][0].block else m[0], html)
    html = _MARK.sub(put_back, _ANCHOR.sub(lambda m: _without_links(m[0], taken), html))
    return html if scene.as_words else _HELD.sub(r'<span class="held">\g<0></span>', html)


def _without_links(anchor: str, taken: list[tuple[Piece, Scene]]) -> str:
    """A link's inside: a term there is words alone, for no link stands in a link."""

    def put_back(match: re.Match[str]) -> str:
        piece, scene = taken[int(match[1])]
        return escape(_words_of(piece, scene)) if piece.kind == "term" else match[0]

    return _MARK.sub(put_back, anchor)


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


def _written(piece: Piece, scene: Scene) -> str:
    try:
        return _as_words(piece, scene) if scene.as_words else _as_html(piece, scene)
    except (FormulaError, ExpressionError, BlockError):
        source = escape(piece.source)
        return source if scene.as_words else f'<code class="markup-error">{source}</code>'


def _as_html(piece: Piece, scene: Scene) -> str:
    match piece.kind:
        case "formula" if piece.info == "display":
            formula = mathml(filled(piece.content, scene.names), display=True)
            return f'<span class="formula" tabindex="0">{formula}</span>'
        case "formula":
            return mathml(filled(piece.content, scene.names))
        case "number":
            return escape(written(piece.content, scene.names))
        case "term":
            return _link(piece, scene)
        case "fence":
            block, setting = _block(piece, scene)
            return (
                block.html(piece.content, setting)
                if block
                else listing(piece.content, piece.info, scene.language)
            )
    return f"<code>{escape(piece.content)}</code>"


def _as_words(piece: Piece, scene: Scene) -> str:
    match piece.kind:
        case "formula":
            return escape(linear(filled(piece.content, scene.names)))
        case "number":
            return escape(written(piece.content, scene.names))
        case "term":
            return escape(_words_of(piece, scene))
        case "fence":
            block, setting = _block(piece, scene)
            words = (
                block.text(piece.content, setting)
                if block
                else listing_text(piece.content, piece.info, scene.language)
            )
            return f"<pre>{escape(words)}</pre>"
    return escape(piece.content)


def _block(piece: Piece, scene: Scene) -> tuple[Block | None, Setting]:
    """What a fence draws, if it is no code, and where it stands."""
    name, _, argument = piece.info.partition(" ")
    mark = hashlib.sha256(f"{piece.line} {piece.info} {piece.content} {scene.language}".encode()).hexdigest()

    def inside(source: str) -> str:
        html = _rendered(source, scene)
        return _stripped(html) if scene.as_words else html

    setting = Setting(
        language=scene.language, names=scene.names, slug=f"{name}-{mark[:8]}", argument=argument.strip(),
        markdown=inside,
    )  # fmt: skip
    return BLOCKS.get(name), setting


def _words_of(piece: Piece, scene: Scene) -> str:
    """The words of a link to the glossary: those given, else the term's name in the text's language."""
    term = glossary().get(piece.content)
    return piece.info or (term.name(scene.language) if term else piece.content)


def _link(piece: Piece, scene: Scene) -> str:
    words = escape(_words_of(piece, scene))
    if scene.inline or piece.content not in glossary():
        return words
    return f'<a class="term" href="{ADDRESS}#{piece.content}">{words}</a>'
