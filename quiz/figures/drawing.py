"""One drawing of a chart at one size: grid, lines with markers and error bars, the band, the names."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.figures.axes import Axis, drawable, height_axis, significant, spaced, width_axis
from quiz.figures.labels import SIZE, Box, Label, beside, shortened, spread, text_width
from quiz.figures.series import Chart, Gap, Mark, Series, describe_mark
from quiz.figures.svg import element, number

DASHES = ("", "", "7 4", "2 4", "12 3 2 3", "5 2")
FEW = 12  # points that are each marked and named


@dataclass(frozen=True, kw_only=True)
class Size:
    name: str
    width: float
    height: float


WIDE = Size(name="wide", width=640, height=360)
NARROW = Size(name="narrow", width=358, height=300)


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where everything goes: the plot, the band's rows above it, the axes, the names at the right."""

    size: Size
    plot: Box
    rows: dict[int, float]
    x: Axis
    y: Axis
    names: tuple[str, ...]

    def foretold(self, series: Series) -> list[tuple[float, float]]:
        return [(self.x.at(x), self.y.at(y)) for x, y in series.foretold]

    def line(self, series: Series) -> list[tuple[float, float]]:
        return [(self.x.at(m.x), self.y.at(m.y)) for m in series.drawn]


def drawing(chart: Chart, size: Size) -> str:
    """The SVG element, named and described for those who cannot see it."""
    frame = lay_out(chart, size)
    ids = f"{chart.slug}-{size.name}"
    body = [
        element("title", text=chart.title, id=f"{ids}-title"),
        element("desc", text=chart.description, id=f"{ids}-desc"),
        *_titles(chart, frame),
        *_grid(frame),
        *_x_ticks(chart, frame),
    ]
    for index, series in enumerate(chart.series):
        body.append(_series(frame, index, series))
    body += [_label(label) for label in name_labels(chart, frame)]
    if not any(s.drawn or s.missing or s.foretold for s in chart.series):
        middle = (frame.plot.left + frame.plot.right) / 2
        body.append(
            _text(chart.words.nothing, x=middle, y=(frame.plot.top + frame.plot.bottom) / 2, anchor="middle")
        )
    return element(
        "svg", *body, class_=f"chart-{size.name}", role="img", aria_labelledby=f"{ids}-title {ids}-desc",
        viewbox=f"0 0 {number(size.width)} {number(size.height)}", width=size.width, height=size.height,
        fill="none", stroke="none", font_size=SIZE,
    )  # fmt: skip


def lay_out(chart: Chart, size: Size) -> Frame:
    """Margins from the texts, axes from the data."""
    names = tuple(shortened(s.name, width=size.width * 0.3) for s in chart.series)
    right = size.width - max([text_width(name) for name in names] + [0]) - 14
    gapped = [index for index, series in enumerate(chart.series) if series.missing]
    top = 30.0 + (18 if _key(chart) else 0) + 16 * len(gapped) + (6 if gapped else 0)
    bottom = size.height - 44
    y = height_axis(_heights(chart), chart.scales[1], start=bottom, end=top)
    left = max([48.0, *(text_width(name) + 10 for _, name in y.ticks())])
    plot = Box(left, top, right, bottom)
    rows = {index: top - 6 - 16 * (len(gapped) - n) + 8 for n, index in enumerate(gapped)}
    return Frame(
        size=size, plot=plot, rows=rows, names=names,
        x=width_axis(_xs(chart), chart.scales[0], start=plot.left + 10, end=plot.right - 4), y=y,
    )  # fmt: skip


def _xs(chart: Chart) -> list[float]:
    """Every x that has something to show, in order."""
    found: set[float] = set()
    for series in chart.series:
        found |= {mark.x for mark in series.drawn} | {gap.x for gap in series.missing}
        found |= {x for x, _ in series.foretold}
    return sorted(found)


def _heights(chart: Chart) -> list[float]:
    found: list[float] = []
    scale = chart.scales[1]
    for series in chart.series:
        for mark in series.drawn:
            found += [v for v in (mark.y, mark.low, mark.high) if v is not None and drawable(v, scale)]
        found += [y for _, y in series.foretold]
    return found


def _key(chart: Chart) -> str:
    """The line that says what the signs mean; only signs that occur."""
    gaps = [gap for series in chart.series for gap in series.missing]
    parts = []
    if any(gap.memory for gap in gaps):
        parts.append(f"✗ {chart.words.memory}")
    if any(not gap.memory for gap in gaps):
        parts.append(f"! {chart.words.other}")
    if any(series.foretold for series in chart.series):
        parts.append(f"··· {chart.words.predicted}")
    return "\u00a0\u00a0 ".join(parts)


def _titles(chart: Chart, frame: Frame) -> list[str]:
    room = frame.size.width - 8
    found = [_text(shortened(chart.y_title, width=room), x=4, y=14)]
    key = _key(chart)
    if key:
        found.append(_text(shortened(key, width=room), x=4, y=32))
    found.append(
        _text(shortened(chart.x_title, width=room), x=frame.plot.right, y=frame.size.height - 6, anchor="end")
    )
    return found


def _grid(frame: Frame) -> list[str]:
    found = []
    for value, name in frame.y.ticks():
        y = frame.y.at(value)
        found.append(
            _stroke(f"M{number(frame.plot.left)} {number(y)}H{number(frame.plot.right)}", class_="chart-grid")
        )
        found.append(_text(name, x=frame.plot.left - 6, y=y + 4, anchor="end"))
    if frame.rows:
        band = frame.plot.top - min(frame.rows.values()) + 2
        found.append(
            element(
                "rect",
                class_="chart-band",
                x=frame.plot.left,
                y=frame.plot.top - 6 - band + 4,
                width=frame.plot.right - frame.plot.left,
                height=band,
            )
        )
    return found


def _x_ticks(chart: Chart, frame: Frame) -> list[str]:
    xs = _xs(chart)
    ticks = [(x, significant(x, digits=6)) for x in xs] if len(xs) <= FEW else frame.x.ticks()
    places = [frame.x.at(x) for x, _ in ticks]
    names = [name for _, name in ticks]
    widths = [text_width(name) for name in names]
    y = frame.plot.bottom
    found = [_stroke(f"M{number(place)} {number(y)}v4", class_="chart-axis") for place in places]
    for index in spaced(places, widths):
        half = widths[index] / 2
        x = min(max(places[index], half), frame.size.width - half)
        found.append(_text(names[index], x=x, y=y + 18, anchor="middle"))
    return found


def _series(frame: Frame, index: int, series: Series) -> str:
    parts = []
    if series.foretold:
        path = _path(frame.foretold(series))
        parts.append(_stroke(path, class_="chart-predicted", stroke_dasharray="1 4", stroke_linecap="round"))
    line = frame.line(series)
    if len(line) > 1:
        dashes: dict[str, str | float] = {"stroke_dasharray": DASHES[index]} if DASHES[index] else {}
        parts.append(_stroke(_path(line), class_="chart-line", stroke_width=1.75, **dashes))
    step = -(-len(line) // FEW)  # a long curve wears a marker here and there, and at its end
    for at, (mark, (x, y)) in enumerate(zip(series.drawn, line, strict=True)):
        if (len(line) - 1 - at) % step == 0:
            parts.append(_point(frame, mark, name=series.name, marker=_marker(index, x, y)))
    parts += [_sign(frame, index, series, gap) for gap in series.missing]
    return element("g", *parts, class_=f"chart-series s{index + 1}")


def _point(frame: Frame, mark: Mark, *, name: str, marker: str) -> str:
    """A marker over its error bar (the quartiles), with the values as its title."""
    bar = ""
    if mark.low is not None and mark.high is not None and drawable(mark.low) and drawable(mark.high):
        x = frame.x.at(mark.x)
        low, high = number(frame.y.at(mark.low)), number(frame.y.at(mark.high))
        left, right = number(x - 3), number(x + 3)
        path = f"M{number(x)} {low}V{high}M{left} {low}H{right}M{left} {high}H{right}"
        bar = _stroke(path, class_="chart-bar")
    said = f"{name}, {significant(mark.x, digits=6)}: {describe_mark(mark)}"
    return element("g", element("title", text=said), bar, marker)


def _marker(index: int, x: float, y: float) -> str:
    """● ■ ○ △ ◆ ▽, about 8 px."""
    if index == 0:
        return element("circle", class_="chart-full", cx=x, cy=y, r=4, fill="currentColor")
    if index == 1:
        return element(
            "rect", class_="chart-full", x=x - 3.5, y=y - 3.5, width=7, height=7, fill="currentColor"
        )
    if index == 2:
        return element("circle", class_="chart-hollow", cx=x, cy=y, r=3.5, stroke="currentColor")
    if index == 4:
        path = f"M{number(x)} {number(y - 5)}l5 5l-5 5l-5 -5z"
        return element("path", class_="chart-full", d=path, fill="currentColor")
    up = index == 3
    path = f"M{number(x)} {number(y - 4.5 if up else y + 4.5)}l4.5 {8 if up else -8}h-9z"
    return element("path", class_="chart-hollow", d=path, stroke="currentColor")


def _sign(frame: Frame, index: int, series: Series, gap: Gap) -> str:
    """✗ or ! in the series' own row of the band."""
    x, y = frame.x.at(gap.x), frame.rows[index]
    if gap.memory:
        path = f"M{number(x - 4)} {number(y - 4)}l8 8M{number(x + 4)} {number(y - 4)}l-8 8"
    else:
        path = f"M{number(x)} {number(y - 5)}v6M{number(x)} {number(y + 3.5)}v1.5"
    name = f"{series.name}, {significant(gap.x, digits=6)}: {gap.reason}"
    return element("g", element("title", text=name), _stroke(path, class_="chart-line", stroke_width=1.75))


def name_labels(chart: Chart, frame: Frame) -> list[Label]:
    """Each line's name at its end: beside it when it ends inside and there is room, else at the right."""
    column = frame.plot.right + 8
    placed = [Label(text=frame.names[i], series=i, x=column, y=y + 4) for i, y in frame.rows.items()]
    lines = [frame.line(series) for series in chart.series]
    strokes = lines + [frame.foretold(series) for series in chart.series]
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for line in lines for x, y in line]
    outside: list[int] = []
    for index, line in enumerate(lines):
        if not line:
            continue
        box = None
        if line[-1][0] < frame.plot.right - 8:
            box = beside(frame.names[index], end=line[-1], plot=frame.plot, taken=taken, lines=strokes)
        if box is None:
            outside.append(index)
        else:
            taken.append(box)
            placed.append(Label(text=frame.names[index], series=index, x=box.left, y=box.top + 10))
    heights = spread(
        [lines[i][-1][1] + 4 for i in outside], top=frame.plot.top + 10, bottom=frame.plot.bottom
    )
    for index, y in zip(outside, heights, strict=True):
        end = lines[index][-1]
        apart = end[0] < frame.plot.right - 8 or abs(y - 4 - end[1]) > 3
        placed.append(
            Label(text=frame.names[index], series=index, x=column, y=y, leader=end if apart else None)
        )
    return placed


def _label(label: Label) -> str:
    leader = ""
    if label.leader is not None:
        x, y = label.leader
        leader = _stroke(
            f"M{number(x + 5)} {number(y)}L{number(label.x - 2)} {number(label.y - 4)}", class_="chart-leader"
        )
    name = element(
        "text",
        text=label.text,
        class_="chart-name",
        x=label.x,
        y=label.y,
        font_weight="650",
        fill="currentColor",
    )
    return element("g", leader, name, class_=f"chart-series s{label.series + 1}")


def _text(text: str, *, x: float, y: float, anchor: str = "start") -> str:
    return element("text", text=text, class_="chart-text", x=x, y=y, text_anchor=anchor, fill="currentColor")


def _stroke(path: str, *, class_: str, **more: str | float) -> str:
    attributes: dict[str, str | float] = {"stroke": "currentColor", "stroke_width": 1.0, **more}
    return element("path", "", text="", class_=class_, d=path, **attributes)


def _path(line: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in line)
