"""From a layout to pixels: where each box is, and by which points each arrow goes."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.figures.diagrams.shapes import Arrow, Box, Frame, Layout
from quiz.figures.labels import Box as Area
from quiz.figures.labels import text_width

LINE = 18.0  # a line of text
NOTE = 15.0  # a line of a note
PADDING = 8.0
SUM = 22.0  # the circle with a plus
LANE = 11.0  # between arrows that go around on one side
HEAD = 22.0  # room for the name of a frame


Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A box and the area it takes."""

    box: Box
    area: Area

    @property
    def middle(self) -> Point:
        return (self.area.left + self.area.right) / 2, (self.area.top + self.area.bottom) / 2


def width_of(layout: Layout) -> float:
    return 2 * layout.margin + sum(layout.columns) + layout.gap * (len(layout.columns) - 1)


def height_of(layout: Layout, placed: dict[str, Placed]) -> float:
    return max(entry.area.bottom for entry in placed.values()) + (16 if layout.frames else 4)


def place(layout: Layout, language: str) -> dict[str, Placed]:
    """Every box by its name: rows from top to bottom, each box in the middle of its row and columns."""
    rows = sorted({box.at[1] for box in layout.boxes})
    heights = {row: max(height(box, language) for box in layout.boxes if box.at[1] == row) for row in rows}
    first_framed = {_first_row(layout, frame) for frame in layout.frames}
    tops, top = {}, 4.0
    for row in rows:
        top += HEAD if row in first_framed else 0
        tops[row] = top
        top += heights[row] + layout.rise
    found = {}
    for box in layout.boxes:
        left, right = _columns(layout, box)
        middle = tops[box.at[1]] + heights[box.at[1]] / 2
        if box.kind != "box":
            width = _own_width(box, language)
            left, right = (left + right - width) / 2, (left + right + width) / 2
        tall = height(box, language)
        found[box.name] = Placed(box=box, area=Area(left, middle - tall / 2, right, middle + tall / 2))
    return found


def height(box: Box, language: str) -> float:
    if box.kind in ("sum", "dot"):
        return SUM if box.kind == "sum" else 0.0
    lines = LINE * len(_said(box.text.lines(language))) + NOTE * len(_said(box.note.lines(language)))
    return lines + (2 * PADDING if box.kind == "box" else 6)


def _own_width(box: Box, language: str) -> float:
    """Of what has no outline: a circle's, a text's, nothing."""
    if box.kind == "plain":
        lines = box.text.lines(language) + box.note.lines(language)
        return 8 + max(text_width(line, size=11) for line in lines)
    return SUM if box.kind == "sum" else 0.0


def _said(lines: list[str]) -> list[str]:
    return [line for line in lines if line]


def _columns(layout: Layout, box: Box) -> Point:
    first = box.at[0]
    left = layout.margin + sum(layout.columns[:first]) + layout.gap * first
    return left, left + sum(layout.columns[first : first + box.span]) + layout.gap * (box.span - 1)


def _first_row(layout: Layout, frame: Frame) -> int:
    return min(box.at[1] for box in layout.boxes if box.name in frame.boxes)


def path(arrow: Arrow, placed: dict[str, Placed]) -> list[Point]:
    """The corners of an arrow, from the edge of the one box to the edge of the other."""
    start, end = placed[arrow.start], placed[arrow.end]
    if arrow.around:
        return _around(arrow, start.area, end.area)
    across, along = _shared(start, end, 0), _shared(start, end, 1)
    if across is not None:
        down = start.middle[1] < end.middle[1]
        ends = (start.area.bottom, end.area.top) if down else (start.area.top, end.area.bottom)
        return [(across, ends[0]), (across, ends[1])]
    if along is not None:
        right = start.middle[0] < end.middle[0]
        ends = (start.area.right, end.area.left) if right else (start.area.left, end.area.right)
        return [(ends[0], along), (ends[1], along)]
    return _bent(arrow, start, end)


def _shared(start: Placed, end: Placed, axis: int) -> float | None:
    """Where the two boxes face each other: the middle of the one whose middle the other covers."""
    spans = [_span(placed.area, axis) for placed in (start, end)]
    for middle in (end.middle[axis], start.middle[axis]):
        if all(low <= middle <= high for low, high in spans):
            return middle
    return None


def _span(area: Area, axis: int) -> Point:
    return (area.top, area.bottom) if axis else (area.left, area.right)


def _bent(arrow: Arrow, start: Placed, end: Placed) -> list[Point]:
    """By one corner, or by two halfway between the boxes; up instead of down where the end stands higher."""
    (x, y), (end_x, end_y) = start.middle, end.middle
    down, right = y < end_y, x < end_x
    first, last = (start.area.bottom, end.area.top) if down else (start.area.top, end.area.bottom)
    if arrow.bend == "across-down":
        side = start.area.right if right else start.area.left
        return [(side, y), (end_x, y), (end_x, last)]
    if arrow.bend == "down-across":
        side = end.area.left if right else end.area.right
        return [(x, first), (x, end_y), (side, end_y)]
    if arrow.bend == "across-down-across":
        sides = (start.area.right, end.area.left) if right else (start.area.left, end.area.right)
        half = (sides[0] + sides[1]) / 2
        return [(sides[0], y), (half, y), (half, end_y), (sides[1], end_y)]
    half = (first + last) / 2
    return [(x, first), (x, half), (end_x, half), (end_x, last)]


def _around(arrow: Arrow, start: Area, end: Area) -> list[Point]:
    """Out by a side, along it, and in by the same side."""
    first = (start.top + start.bottom) / 2 + (start.bottom - start.top) / 5  # so that one that arrives
    last = (end.top + end.bottom) / 2 - (end.bottom - end.top) / 5  # and one that leaves stay apart
    if arrow.around == "left":
        out = min(start.left, end.left) - LANE * arrow.lane
        return [(start.left, first), (out, first), (out, last), (end.left, last)]
    out = max(start.right, end.right) + LANE * arrow.lane
    return [(start.right, first), (out, first), (out, last), (end.right, last)]
