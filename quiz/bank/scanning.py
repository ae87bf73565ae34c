"""Find what is not plain Markdown: fenced code, code spans, formulas, live numbers, links to the glossary.

One pass decides it for rendering, checking and plain text alike, so that a dollar sign in code or a bar in a
formula means the same everywhere. A formula's opening `$` touches what follows, its closing `$` touches what
precedes, and no digit follows (so `$5 and $6` is money); an escaped `$` is a dollar sign; a formula never
crosses a backtick or a blank line; code is only fenced or in backticks, never merely indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["text", "code", "fence", "formula", "number", "term"]

_INLINE = re.compile(
    r"""(?P<escape>\\[\s\S])
    |(?P<ticks>`+)(?P<code>(?:(?!\n[ \t]*\n)[^`]|(?!(?P=ticks)(?!`))`)+?)(?P=ticks)(?!`)
    |\$\$(?P<display>(?:\\[\s\S]|(?!\n[ \t]*\n)[^$\\`])+)\$\$
    |\$(?![\s$])(?P<formula>(?:\\[\s\S]|(?!\n[ \t]*\n)[^$\\`])+)(?<!\s)\$(?!\d)
    |\{\{(?P<number>[^{}]*)\}\}
    |\[\[(?P<term>[a-z][a-z0-9_]*)(?:\|(?P<words>[^\[\]|$`{}<>\n]+))?\]\]
    |(?P<lone>`+)""",
    re.VERBOSE,
)
_FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of the source. `content` is what it says without its marks; `line` counts from 1.

    A fence has its `info` word and may be left open; a formula or fence that stands alone is a `block`. A
    term has the slug as its content and the words to show, if any, as its `info`.
    """

    kind: Kind
    source: str
    content: str
    line: int
    info: str = ""
    indent: str = ""
    block: bool = False
    closed: bool = True


def scan(text: str, *, fences: bool = True) -> tuple[Piece, ...]:
    """The text in pieces, in order; without `fences` only what can stand in one line is looked for."""
    if not fences:
        return tuple(_inline_pieces(text, 1))
    pieces: list[Piece] = []
    for piece in _fenced(text):
        pieces += [piece] if piece.kind == "fence" else _inline_pieces(piece.source, piece.line)
    return tuple(pieces)


def _fenced(text: str) -> Iterator[Piece]:
    lines = text.split("\n")
    start = at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        if at > start:
            yield _text("\n".join(lines[start:at]) + "\n", start + 1)
        end = _closing(lines, at, opening["mark"])
        yield _fence(lines[at : end + 1], opening, at + 1, closed=end < len(lines))
        start = at = end + 1
    if start < len(lines):
        yield _text("\n".join(lines[start:]), start + 1)


def _closing(lines: list[str], opened: int, mark: str) -> int:
    for at in range(opened + 1, len(lines)):
        line = lines[at].strip()
        if len(line) >= len(mark) and set(line) == {mark[0]}:
            return at
    return len(lines)


def _fence(lines: list[str], opening: re.Match[str], line: int, *, closed: bool) -> Piece:
    indent = opening["indent"]
    inside = lines[1:-1] if closed else lines[1:]
    content = "\n".join(row.removeprefix(indent) for row in inside)
    return Piece(
        kind="fence", source="\n".join(lines), content=content, line=line, info=opening["info"].strip(),
        indent=indent, block=True, closed=closed,
    )  # fmt: skip


def _text(source: str, line: int) -> Piece:
    return Piece(kind="text", source=source, content=source, line=line)


def _inline_pieces(text: str, first_line: int) -> Iterator[Piece]:
    at = 0
    line = first_line
    plain = _text("", first_line)
    for match in _INLINE.finditer(text):
        before = text[at : match.start()]
        plain, line, at = _joined(plain, before, before), line + before.count("\n"), match.end()
        found = _piece(match, line, text)
        line += match[0].count("\n")
        if isinstance(found, str):
            plain = _joined(plain, match[0], found)
            continue
        if plain.source:
            yield plain
        yield found
        plain = _text("", line)
    plain = _joined(plain, text[at:], text[at:])
    if plain.source:
        yield plain


def _joined(plain: Piece, source: str, content: str) -> Piece:
    return replace(plain, source=plain.source + source, content=plain.content + content)


def _piece(match: re.Match[str], line: int, text: str) -> Piece | str:
    """The piece of a match, or the plain text it turned out to be."""
    source = match[0]
    if match["code"] is not None:
        return Piece(kind="code", source=source, content=_trimmed(match["code"]), line=line)
    if match["number"] is not None:
        return Piece(kind="number", source=source, content=match["number"].strip(), line=line)
    if match["term"] is not None:
        shown = (match["words"] or "").strip()
        return Piece(kind="term", source=source, content=match["term"], line=line, info=shown)
    if match["display"] is not None:
        block = _stands_alone(match, text)
        return Piece(
            kind="formula", source=source, content=match["display"].strip(), line=line, info="display",
            block=block,
        )  # fmt: skip
    if match["formula"] is not None:
        return Piece(kind="formula", source=source, content=match["formula"].strip(), line=line)
    return "$" if source == "\\$" else "\\`" * len(source) if match["lone"] else source


def _trimmed(code: str) -> str:
    code = code.replace("\n", " ")
    return code[1:-1] if code[0] == code[-1] == " " and code.strip() else code


def _stands_alone(match: re.Match[str], text: str) -> bool:
    before = text[: match.start()].rpartition("\n")[2]
    after = text[match.end() :].partition("\n")[0]
    return not before.strip() and not after.strip()
