"""Names at the ends of lines: how wide a text is, and where it can stand without covering anything."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

SIZE = 12.0
ROW = 15.0


def text_width(text: str, *, size: float = SIZE) -> float:
    """A careful estimate in pixels, without the reader's font: Chinese one em, other letters 0.64."""
    return sum(size * (1.0 if unicodedata.east_asian_width(c) in "WF" else 0.64) for c in text)


def shortened(text: str, *, width: float) -> str:
    """The text, or its beginning with an ellipsis so that it fits into `width` pixels."""
    if text_width(text) <= width:
        return text
    while text and text_width(text + "…") > width:
        text = text[:-1]
    return text + "…"


@dataclass(frozen=True)
class Box:
    """A rectangle: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def crossed_by(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Whether the segment from `start` to `end` passes through (clipping, Liang and Barsky)."""
        enter, leave = 0.0, 1.0
        dx, dy = end[0] - start[0], end[1] - start[1]
        for slope, room in (
            (-dx, start[0] - self.left),
            (dx, self.right - start[0]),
            (-dy, start[1] - self.top),
            (dy, self.bottom - start[1]),
        ):
            if slope == 0:
                if room < 0:
                    return False
            elif slope < 0:
                enter = max(enter, room / slope)
            else:
                leave = min(leave, room / slope)
        return enter <= leave


@dataclass(frozen=True, kw_only=True)
class Label:
    """A text whose baseline begins at (x, y); `leader` is drawn from the line's end when it stands apart."""

    text: str
    series: int
    x: float
    y: float
    leader: tuple[float, float] | None = None

    @property
    def box(self) -> Box:
        return label_box(self.text, x=self.x, y=self.y)


def label_box(text: str, *, x: float, y: float) -> Box:
    return Box(x, y - 10, x + text_width(text), y + 3)


def beside(
    text: str, *, end: tuple[float, float], plot: Box, taken: Sequence[Box], lines: Sequence[Line]
) -> Box | None:
    """A free place next to a line that ends inside the plot, or None."""
    x, y = end
    width = text_width(text)
    for left, baseline in (
        (x + 9, y + 4),
        (x + 9, y + 17),
        (x + 9, y - 8),
        (x - width / 2, y - 12),
        (x - width / 2, y + 20),
    ):
        box = label_box(text, x=left, y=baseline)
        free = plot.holds(box) and not any(box.meets(other) for other in taken)
        if free and not any(box.crossed_by(a, b) for line in lines for a, b in itertools.pairwise(line)):
            return box
    return None


def spread(wanted: Sequence[float], *, top: float, bottom: float, row: float = ROW) -> list[float]:
    """Heights near the wanted ones, at least `row` pixels apart, in the same order, within top and bottom."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = dict.fromkeys(order, 0.0)
    edge = top
    for index in order:
        placed[index] = max(wanted[index], edge)
        edge = placed[index] + row
    edge = bottom
    for index in reversed(order):
        placed[index] = min(placed[index], edge)
        edge = placed[index] - row
    return [placed[index] for index in range(len(wanted))]


Line = Sequence[tuple[float, float]]
