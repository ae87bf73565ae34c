"""What a diagram is made of: boxes on a grid, arrows between them, frames around some, all in two languages.

A grid has columns of a width and rows that are as high as their highest box; a box stands at (column, row)
and may span several columns. So a diagram is a short list, and no coordinate of it is typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["left", "right"]
Kind = Literal["box", "plain", "sum", "dot"]
Bend = Literal["across-down", "down-across", "down-across-down", "across-down-across"]


@dataclass(frozen=True)
class Words:
    """A text in both languages; a line break begins a new line. `A_b` and `A_{bc}` print a subscript."""

    zh: str
    en: str

    def lines(self, language: str) -> list[str]:
        return (self.zh if language.lower().startswith("zh") else self.en).split("\n")


def same(text: str) -> Words:
    """A text that is the same in both languages: a symbol, a shape."""
    return Words(text, text)


NOTHING = same("")


@dataclass(frozen=True, kw_only=True)
class Box:
    """One step or thing. `note` stands under the text, smaller: mostly a shape.

    kind: box (outlined), plain (text alone), sum (a circle with a plus), dot (a place where a line parts).
    role: whose colour it wears, q, k, v, s or o; none means ink.
    """

    name: str
    text: Words
    at: tuple[int, int]
    note: Words = NOTHING
    role: str = ""
    kind: Kind = "box"
    span: int = 1


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """From one box to another: straight where they face each other, else bent as `bend` says.

    `around`: leaves by that side and comes back by it, as a residual goes round its sublayer; `lane` counts
    how far out. `label` stands at the middle. `dashed` for what goes on only sometimes.
    """

    start: str
    end: str
    label: Words = NOTHING
    around: Side | None = None
    bend: Bend = "down-across-down"
    lane: int = 1
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A dashed frame around some boxes, with a name at its top."""

    text: Words
    boxes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One arrangement. `columns` are their widths in pixels, `gap` lies between them, `rise` between rows;
    `margin` is left free at both sides for arrows that go around."""

    columns: tuple[float, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...] = ()
    frames: tuple[Frame, ...] = ()
    gap: float = 24
    rise: float = 24
    margin: float = 16


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """`description` says in words all that the drawing shows; `wide` is drawn instead where there is room."""

    title: Words
    description: Words
    narrow: Layout
    wide: Layout | None = None
