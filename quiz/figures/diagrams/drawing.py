"""A diagram as accessible SVG: text and classes only, so that it is read in dark, in print, and aloud."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from quiz.figures.diagrams.placing import (
    HEAD,
    LINE,
    NOTE,
    Placed,
    Point,
    height_of,
    path,
    place,
    width_of,
)
from quiz.figures.diagrams.shapes import Arrow, Diagram, Frame, Layout
from quiz.figures.labels import text_width
from quiz.figures.svg import element, number

_SUBSCRIPT = re.compile(r"_\{([^{}]+)\}|_([A-Za-z0-9]+)")
_TIP = 7.0  # of an arrow


def drawn(diagram: Diagram, *, language: str, slug: str) -> str:
    """The figure with its caption; where there is a wide arrangement both are drawn, one is shown."""
    title = " ".join(diagram.title.lines(language))
    layouts = [("narrow", diagram.narrow)] + ([("wide", diagram.wide)] if diagram.wide else [])
    shown = "".join(
        _svg(diagram, layout, language=language, ids=f"{slug}-{name}", size=name if diagram.wide else "only")
        for name, layout in layouts
    )
    caption = element("figcaption", text=title)
    return f'<figure class="diagram">{shown}{caption}</figure>'


def _svg(diagram: Diagram, layout: Layout, *, language: str, ids: str, size: str) -> str:
    placed = place(layout, language)
    width, tall = width_of(layout), height_of(layout, placed)
    body = [
        element("title", text=" ".join(diagram.title.lines(language)), id=f"{ids}-title"),
        element("desc", text=" ".join(diagram.description.lines(language)), id=f"{ids}-desc"),
        *(_frame(frame, placed, language) for frame in layout.frames),
        *(_arrow(arrow, placed) for arrow in layout.arrows),
        *(_box(entry, language) for entry in placed.values()),
        *(_label(arrow, placed, language) for arrow in layout.arrows if arrow.label.lines(language)[0]),
    ]
    return element(
        "svg", *body, class_=f"diagram-{size}", role="img", aria_labelledby=f"{ids}-title {ids}-desc",
        viewbox=f"0 0 {number(width)} {number(tall)}", width=width, height=tall, fill="none",
    )  # fmt: skip


def _box(entry: Placed, language: str) -> str:
    box, area = entry.box, entry.area
    x, y = entry.middle
    if box.kind == "dot":
        return element("circle", class_="diagram-tip", cx=x, cy=y, r=2.5)
    if box.kind == "sum":
        radius = (area.right - area.left) / 2
        cross = f"M{number(x - 5)} {number(y)}h10M{number(x)} {number(y - 5)}v10"
        return element(
            "g", element("circle", class_="diagram-sum", cx=x, cy=y, r=radius),
            element("path", class_="diagram-line", d=cross), class_=_classes(box.role),
        )  # fmt: skip
    outline = ""
    if box.kind != "plain":
        outline = element(
            "rect", class_="diagram-box", x=area.left, y=area.top, width=area.right - area.left,
            height=area.bottom - area.top, rx=6,
        )  # fmt: skip
    lines = [(line, "diagram-text", LINE) for line in box.text.lines(language) if line]
    lines += [(line, "diagram-note", NOTE) for line in box.note.lines(language) if line]
    top = y - sum(step for *_, step in lines) / 2
    texts = []
    for line, class_, step in lines:
        texts.append(_text(line, x=x, y=top + step * 0.72, class_=class_))
        top += step
    return element("g", outline, *texts, class_=_classes(box.role))


def _classes(role: str) -> str:
    return f"diagram-part role-{role}" if role else "diagram-part"


def _text(line: str, *, x: float, y: float, class_: str, anchor: str = "middle") -> str:
    return element("text", *_runs(line), class_=class_, x=x, y=y, text_anchor=anchor)


def _runs(line: str) -> Iterator[str]:
    """The line with its subscripts lowered; what follows one comes back up."""
    at, low = 0, False
    for match in _SUBSCRIPT.finditer(line):
        if match.start() > at:
            yield _run(line[at : match.start()], -3 if low else 0, "")
            low = False
        yield _run(match[1] or match[2], 0 if low else 3, "diagram-sub")
        at, low = match.end(), True
    if at < len(line):
        yield _run(line[at:], -3 if low else 0, "")


def _run(text: str, drop: int, class_: str) -> str:
    attributes: dict[str, str | float] = {"dy": drop} if drop else {}
    if class_:
        attributes["class_"] = class_
    return element("tspan", text=text, **attributes)


def _arrow(arrow: Arrow, placed: dict[str, Placed]) -> str:
    points = path(arrow, placed)
    (x, y), (tip_x, tip_y) = points[-2], points[-1]
    length = max(abs(tip_x - x), abs(tip_y - y)) or 1.0
    dx, dy = (tip_x - x) / length, (tip_y - y) / length
    shaft = [*points[:-1], (tip_x - dx * _TIP, tip_y - dy * _TIP)]
    base: Point = shaft[-1]
    corners = [
        (tip_x, tip_y), (base[0] - dy * 4, base[1] + dx * 4), (base[0] + dy * 4, base[1] - dx * 4),
    ]  # fmt: skip
    line = element(
        "path", class_="diagram-line diagram-dashed" if arrow.dashed else "diagram-line", d=_d(shaft)
    )
    return line + element("path", class_="diagram-tip", d=f"{_d(corners)}Z")


def _d(points: list[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _label(arrow: Arrow, placed: dict[str, Placed], language: str) -> str:
    """Beside the longest stretch of the arrow: right of a vertical one, above a level one."""
    points = path(arrow, placed)
    (x1, y1), (x2, y2) = max(pairwise(points), key=lambda s: abs(s[0][0] - s[1][0]) + abs(s[0][1] - s[1][1]))
    lines = arrow.label.lines(language)
    if abs(x1 - x2) < 1:
        x, y, anchor = x1 + 6, (y1 + y2) / 2 + 4 - NOTE * (len(lines) - 1) / 2, "start"
    else:
        x, y, anchor = (x1 + x2) / 2, y1 - 5 - NOTE * (len(lines) - 1), "middle"
    return "".join(
        _text(line, x=x, y=y + NOTE * at, class_="diagram-note", anchor=anchor)
        for at, line in enumerate(lines)
    )


def _frame(frame: Frame, placed: dict[str, Placed], language: str) -> str:
    areas = [placed[name].area for name in frame.boxes]
    left, right = min(a.left for a in areas) - 10, max(a.right for a in areas) + 10
    top, bottom = min(a.top for a in areas) - HEAD, max(a.bottom for a in areas) + 10
    outline = element(
        "rect", class_="diagram-frame", x=left, y=top, width=right - left, height=bottom - top, rx=8
    )
    name = _text(frame.text.lines(language)[0], x=left + 8, y=top + 14, class_="diagram-note", anchor="start")
    return outline + name


def overflowing(layout: Layout, language: str) -> list[str]:
    """The texts that are wider than their box, by a careful estimate."""
    found = []
    for entry in place(layout, language).values():
        room = entry.area.right - entry.area.left - 8
        texts = [(line, 11.5) for line in entry.box.text.lines(language)]
        texts += [(line, 10.0) for line in entry.box.note.lines(language)]
        for line, size in texts:
            bare = _SUBSCRIPT.sub(lambda match: match[1] or match[2], line)
            if entry.box.kind == "box" and text_width(bare, size=size) > room:
                found.append(line)
    return found
