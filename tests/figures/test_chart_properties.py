"""Charts over drawn data: every coordinate inside the view box, axes monotone, names apart."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.figures.axes import decade_name, significant, spaced
from quiz.figures.charts import Chart, Gap, Mark, Series
from quiz.figures.drawing import NARROW, WIDE, drawing, lay_out, name_labels
from quiz.figures.labels import spread, text_width

FEW = settings(max_examples=60, deadline=None)
VALUES = st.one_of(
    st.floats(1e-9, 1e12),
    st.sampled_from([1.0, 10.0, 0.1]),
    st.just(math.nan),
    st.just(0.0),
    st.just(math.inf),
)
XS = st.sampled_from([1, 16, 17, 128, 1000, 4096, 8192, 2**20])
MARKS = st.builds(
    lambda x, y, down, up: Mark(x=x, y=y, low=y * down, high=y * up),
    XS, VALUES, st.floats(0.01, 1), st.floats(1, 100),
)  # fmt: skip
SERIES = st.builds(
    Series,
    name=st.sampled_from(["flash", "naive", "一个很长很长很长很长的名字", "x" * 60, "math", ""]),
    marks=st.lists(MARKS, max_size=6, unique_by=lambda mark: mark.x).map(tuple),
    gaps=st.lists(st.builds(Gap, x=XS, reason=st.just("超时"), memory=st.booleans()), max_size=3).map(tuple),
    predicted=st.lists(st.tuples(XS, VALUES), max_size=4).map(tuple),
)
CHARTS = st.builds(
    lambda lines: Chart(
        slug="c",
        title="t",
        description="d",
        x_title="n",
        y_title="毫秒（中位数，须线为四分位）",
        series=lines,
    ),
    st.lists(SERIES, max_size=4).map(tuple),
)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def points(path: str) -> list[tuple[float, float]]:
    """The places a path visits (absolute and relative lines, as the drawing writes them)."""
    x = y = 0.0
    found = []
    for command, rest in re.findall(r"([MLHVlhvz])([^MLHVlhvz]*)", path):
        numbers = [float(n) for n in NUMBER.findall(rest)]
        if command in "ML":
            x, y = numbers
        elif command == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif command in "Hh":
            x = numbers[0] + (x if command == "h" else 0)
        elif command in "Vv":
            y = numbers[0] + (y if command == "v" else 0)
        found.append((x, y))
    return found


@FEW
@given(CHARTS, st.sampled_from([WIDE, NARROW]))
def test_everything_is_inside_the_view_box(chart: Chart, size: object) -> None:
    width, height = size.width, size.height  # type: ignore[attr-defined]
    for node in ET.fromstring(drawing(chart, size)).iter():  # type: ignore[arg-type]
        places = points(node.get("d", ""))
        for horizontal, vertical in (("cx", "cy"), ("x", "y")):
            if node.get(horizontal):
                places.append((float(node.get(horizontal, "")), float(node.get(vertical, ""))))
        if node.tag == "text":
            wide = text_width(node.text or "")
            start = {"start": 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor", "start")]
            x, y = places[0]
            places += [(x - wide * start, y), (x + wide * (1 - start), y)]
        for x, y in places:
            assert -0.01 <= x <= width + 0.01, (node.tag, node.text, x)
            assert -0.01 <= y <= height + 0.01, (node.tag, node.text, y)


@FEW
@given(CHARTS, st.sampled_from([WIDE, NARROW]), st.floats(1e-6, 1e6), st.floats(1.001, 1e3))
def test_axes_are_monotone(chart: Chart, size: object, value: float, factor: float) -> None:
    frame = lay_out(chart, size)  # type: ignore[arg-type]
    assert frame.x.at(value) <= frame.x.at(value * factor)
    assert frame.y.at(value) >= frame.y.at(value * factor)
    assert frame.plot.left < frame.plot.right
    assert frame.plot.top < frame.plot.bottom


@FEW
@given(CHARTS, st.sampled_from([WIDE, NARROW]))
def test_names_never_meet(chart: Chart, size: object) -> None:
    boxes = [label.box for label in name_labels(chart, lay_out(chart, size)) if label.text]  # type: ignore[arg-type]
    for index, box in enumerate(boxes):
        assert not any(box.meets(other) for other in boxes[index + 1 :])


@given(st.lists(st.floats(0, 300), max_size=4))
def test_spread_keeps_rows_apart_inside_and_in_order(wanted: list[float]) -> None:
    placed = spread(wanted, top=20, bottom=200)
    assert all(20 - 1e-9 <= y <= 200 + 1e-9 for y in placed)
    assert all(b - a >= 15 - 1e-9 for a, b in pairwise(sorted(placed)))
    for (first, at_first), (second, at_second) in pairwise(sorted(zip(wanted, placed, strict=True))):
        assert first == second or at_first < at_second


@given(st.lists(st.tuples(st.floats(0, 600), st.floats(1, 80)), max_size=12))
def test_tick_names_never_touch_and_the_last_stays(ticks: list[tuple[float, float]]) -> None:
    places, widths = [p for p, _ in ticks], [w for _, w in ticks]
    kept = spaced(places, widths)
    for first, second in pairwise(sorted(kept, key=lambda i: places[i])):
        assert places[first] + widths[first] / 2 < places[second] - widths[second] / 2
    assert not ticks or max(places) in [places[i] for i in kept]


def test_names_of_decades_and_values() -> None:
    assert [decade_name(e) for e in (-4, -3, -1, 0, 2, 4, 5, 12)] == [
        "10⁻⁴", "0.001", "0.1", "1", "100", "10000", "10⁵", "10¹²",
    ]  # fmt: skip
    assert [significant(v) for v in (0.0, 0.012345, 1.0, 12.34, 370.4, 16384.0, -0.5, math.nan)] == [
        "0", "0.0123", "1", "12.3", "370", "16384", "−0.5", "–",
    ]  # fmt: skip
