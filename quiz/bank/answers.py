"""The parts of a question's answer: which there are, how each is built, and its pieces for the page.

A list is cut into its items, a part with `## headings` into titled pieces. Each piece is Markdown that stands
by itself: the let fences before it travel with it, so that its live numbers know their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from quiz.bank.defining import is_let
from quiz.bank.frontmatter import parts_of, with_fences_blanked
from quiz.bank.scanning import Piece, scan

Kind = Literal["prose", "derivation", "list", "titled"]
_ITEM = re.compile(r"- +(?=\S)")
_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How a part is built. `field` keeps it in the model; `least` to `most` items or titled pieces.

    prose: paragraphs to say aloud; derivation: anything, `###` headings too; list: only `- items`; titled:
    only `## headings` with text under each.
    """

    heading: str
    field: str
    kind: Kind
    least: int = 0
    most: int = 0


PARTS = (
    Shape(heading="short answer", field="short_answer", kind="prose"),
    Shape(heading="one minute", field="minute_answer", kind="prose"),
    Shape(heading="full answer", field="full_answer", kind="derivation"),
    Shape(heading="passing points", field="passing_points", kind="list", least=3, most=6),
    Shape(heading="bonus points", field="bonus_points", kind="list", least=1, most=4),
    Shape(heading="common mistakes", field="common_mistakes", kind="titled", least=2, most=4),
    Shape(heading="follow-ups", field="follow_ups", kind="titled", least=2, most=4),
    Shape(heading="sources", field="sources", kind="list", least=1, most=12),
)
BY_FIELD = {shape.field: shape for shape in PARTS}


@dataclass(frozen=True, kw_only=True)
class Item:
    """One point of a list, as Markdown; `line` is where it begins in the part (from 1)."""

    text: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Titled:
    """What stands under one `## title`."""

    title: str
    body: str
    line: int


def items(text: str) -> tuple[Item, ...]:
    """The items of a list `- …`, in order."""
    return tuple(found for found in _blocks(text) if isinstance(found, Item))


def titled(text: str) -> tuple[Titled, ...]:
    """The pieces under `## headings`, in order."""
    pieces, lets = [], ""
    for part in parts_of(text, 1, "##"):
        if part.heading:
            body = part.content.strip("\n")
            pieces.append(Titled(title=part.heading, body=f"{lets}{body}".strip(), line=part.line))
        lets += _lets(part.content)
    return tuple(pieces)


def faults(text: str, shape: Shape) -> Iterator[tuple[int, str]]:
    """What is built otherwise than the shape says, as (line from 1, message)."""
    headings = [
        (_line(text, match.start()), len(match[1])) for match in _HEADING.finditer(with_fences_blanked(text))
    ]
    match shape.kind:
        case "prose":
            yield from ((line, "no heading stands in a text to be said aloud") for line, _ in headings)
            for piece in scan(text):
                if piece.kind == "fence" and not is_let(piece):
                    yield piece.line, "no block stands in a text to be said aloud"
        case "derivation":
            yield from ((line, "headings in here are written ###") for line, depth in headings if depth != 3)
        case "list":
            yield from _list_faults(text, shape)
        case "titled":
            yield from ((line, "headings in here are written ##") for line, depth in headings if depth != 2)
            yield from _titled_faults(text, shape)


def _list_faults(text: str, shape: Shape) -> Iterator[tuple[int, str]]:
    found = list(_blocks(text))
    for stray in found:
        if isinstance(stray, int):
            yield stray, f"only `- items` stand under # {shape.heading}"
    count = sum(isinstance(item, Item) for item in found)
    if not shape.least <= count <= shape.most:
        yield 1, f"# {shape.heading} has {count} items; {shape.least} to {shape.most} are needed"


def _titled_faults(text: str, shape: Shape) -> Iterator[tuple[int, str]]:
    parts = list(parts_of(text, 1, "##"))
    for part in parts:
        if not part.heading and _without_lets(part.content).strip():
            yield part.line, f"text before the first ## heading under # {shape.heading}"
        elif part.heading and not _without_lets(part.content).strip():
            yield part.line, f"nothing stands under ## {part.heading}"
    count = sum(bool(part.heading) for part in parts)
    if not shape.least <= count <= shape.most:
        yield 1, f"# {shape.heading} has {count} ## headings; {shape.least} to {shape.most} are needed"


def _blocks(text: str) -> Iterator[Item | int]:
    """The items, and the line of each thing that is none."""
    lets = ""
    for line, source, fence in _chunks(text):
        if fence is None:
            yield from _items(source, line, lets)
        elif is_let(fence):
            lets += f"{source}\n\n"
        else:
            yield line


def _chunks(text: str) -> Iterator[tuple[int, str, Piece | None]]:
    """The fences that begin a line, and what stands between them, each with its line."""
    held, start = "", 1
    for piece in scan(text):
        if piece.kind == "fence" and not piece.indent:
            if held:
                yield start, held, None
            yield piece.line, piece.source, piece
            held = ""
            continue
        start = start if held else piece.line
        held += piece.source + ("\n" if piece.kind == "fence" else "")
    if held:
        yield start, held, None


def _items(source: str, first_line: int, lets: str) -> Iterator[Item | int]:
    held: list[str] = []
    start = first_line
    for number, line in enumerate(source.split("\n"), first_line):
        if _ITEM.match(line):
            if held:
                yield _item(held, start, lets)
            held, start = [line], number
        elif held and (not line.strip() or line.startswith("  ") or held[-1].strip()):
            held.append(line)
        elif line.strip():
            yield number
    if held:
        yield _item(held, start, lets)


def _item(lines: list[str], start: int, lets: str) -> Item:
    first, *rest = lines
    inside = [_ITEM.sub("", first, count=1), *(re.sub(r"^ {1,2}", "", line) for line in rest)]
    return Item(text=lets + "\n".join(inside).strip(), line=start)


def _lets(text: str) -> str:
    return "".join(f"{piece.source}\n\n" for piece in scan(text) if is_let(piece))


def _without_lets(text: str) -> str:
    return "".join(piece.source for piece in scan(text) if not is_let(piece))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
