"""Charts: what is drawn is where the data say, inside the view box, named, and safe."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from quiz.figures.charts import Chart, Gap, Mark, Series, Words, data_table, draw
from quiz.figures.drawing import DASHES, NARROW, WIDE, drawing, lay_out, name_labels
from quiz.figures.svg import element

LENGTHS = (256, 512, 1024, 2048, 4096)


def series(name: str, scale: float, *, until: int = 4096, gaps: tuple[Gap, ...] = ()) -> Series:
    marks = tuple(
        Mark(x=n, y=scale * n * n, low=scale * n * n * 0.9, high=scale * n * n * 1.2)
        for n in LENGTHS
        if n <= until
    )
    return Series(name=name, marks=marks, gaps=gaps)


def chart(*lines: Series, slug: str = "time") -> Chart:
    return Chart(
        slug=slug, title="时间", description="一句话", x_title="序列长度 n", y_title="毫秒", series=lines
    )  # fmt: skip


FOUR = chart(
    series("flash", 1e-6),
    series("naive", 4e-6, until=2048, gaps=(Gap(x=4096, reason="内存不够"),)),
    series("math", 5e-6, until=1024, gaps=(Gap(x=2048, reason="超时", memory=False),)),
    series("triton_flash", 1.1e-6),
)


def tree(given: Chart, size: object = WIDE) -> ET.Element:
    return ET.fromstring(drawing(given, size))  # type: ignore[arg-type]


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [node for node in root.iter() if name in node.get("class", "").split()]


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_both_drawings_have_their_size_and_their_names(size: object) -> None:
    root = tree(FOUR, size)
    assert root.get("viewBox") == f"0 0 {size.width:g} {size.height:g}"  # type: ignore[attr-defined]
    assert root.get("role") == "img"
    ids = (root.get("aria-labelledby") or "").split()
    named = {node.get("id"): (node.tag, node.text) for node in root if node.get("id")}
    assert [named[i] for i in ids] == [("title", "时间"), ("desc", "一句话")]


def test_the_two_drawings_share_no_id() -> None:
    ids = re.findall(r'\bid="([^"]+)"', draw(FOUR))
    assert len(ids) == 4
    assert len(set(ids)) == 4


def test_sizes_are_those_of_the_design() -> None:
    assert [(size.width, size.height) for size in (WIDE, NARROW)] == [(640, 360), (358, 300)]


def test_the_axes_are_logarithmic_and_the_marks_lie_on_them() -> None:
    frame = lay_out(FOUR, WIDE)
    for first, second in pairwise(LENGTHS):  # doubling is always the same step
        assert frame.x.at(second) - frame.x.at(first) == pytest.approx(frame.x.at(512) - frame.x.at(256))
    assert frame.y.at(1) - frame.y.at(10) == pytest.approx(frame.y.at(0.1) - frame.y.at(1))
    circles = of_class(of_class(tree(FOUR), "s1")[0], "chart-full")
    assert [float(node.get("cx", "")) for node in circles] == pytest.approx(
        [frame.x.at(n) for n in LENGTHS], abs=0.01
    )
    assert [float(node.get("cy", "")) for node in circles] == pytest.approx(
        [frame.y.at(1e-6 * n * n) for n in LENGTHS], abs=0.01
    )


def test_an_error_bar_reaches_from_quartile_to_quartile() -> None:
    frame = lay_out(FOUR, WIDE)
    bar = of_class(of_class(tree(FOUR), "s1")[0], "chart-bar")[0].get("d", "")
    _x, low, high = (float(part) for part in re.match(r"M(\S+) (\S+)V([\d.]+)", bar).groups())  # type: ignore[union-attr]
    assert low == pytest.approx(frame.y.at(1e-6 * 256**2 * 0.9), abs=0.01)
    assert high == pytest.approx(frame.y.at(1e-6 * 256**2 * 1.2), abs=0.01)
    assert high < low, "up is smaller y"


def test_series_are_told_by_stroke_and_marker() -> None:
    root = tree(FOUR)
    groups = [of_class(root, f"s{number}")[0] for number in (1, 2, 3, 4)]
    dashes = [of_class(group, "chart-line")[0].get("stroke-dasharray") for group in groups]
    assert dashes == [None, None, "7 4", "2 4"]
    shapes = [(of_class(g, "chart-full") or of_class(g, "chart-hollow"))[0] for g in groups]
    assert [shape.tag for shape in shapes] == ["circle", "rect", "circle", "path"]
    assert shapes[0].get("fill") == "currentColor"
    assert shapes[2].get("fill") is None


def test_six_series_differ_without_their_colours() -> None:
    root = tree(chart(*(series(str(number), number + 1) for number in range(6))))
    looks = set()
    for index in range(6):
        group = of_class(root, f"s{index + 1}")[0]
        dash = of_class(group, "chart-line")[0].get("stroke-dasharray")
        marker = (of_class(group, "chart-full") or of_class(group, "chart-hollow"))[0]
        steps = re.sub(r"^M\S+ \S+?(?=l)", "", marker.get("d", ""))  # how it is drawn, not where
        looks.add((dash, marker.tag, marker.get("fill"), steps))
    assert len(looks) == 6
    assert len({look[1:] for look in looks}) == 6  # the markers alone suffice
    assert len(DASHES) == 6


def test_a_seventh_series_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 6"):
        chart(*(series(str(number), 1) for number in range(7)))


def test_missing_points_stand_in_a_band_above_the_plot() -> None:
    frame = lay_out(FOUR, WIDE)
    assert sorted(frame.rows) == [1, 2]
    assert all(y < frame.plot.top for y in frame.rows.values())
    said = [node.text for node in tree(FOUR).iter("title")]
    assert "naive, 4096: 内存不够" in said
    assert "math, 2048: 超时" in said
    texts = "".join(node.text or "" for node in tree(FOUR).iter("text"))
    assert "✗ not enough memory" in texts
    assert "! see the table" in texts


def test_signs_that_do_not_occur_are_not_explained() -> None:
    texts = "".join(node.text or "" for node in tree(chart(series("flash", 1))).iter("text"))
    assert "✗" not in texts
    assert "predicted" not in texts


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_names_cover_nothing(size: object) -> None:
    frame = lay_out(FOUR, size)  # type: ignore[arg-type]
    labels = name_labels(FOUR, frame)
    assert sorted(label.text for label in labels) == sorted(
        ["flash", "naive", "naive", "math", "math", "triton_flash"]
    )
    for index, label in enumerate(labels):
        assert not any(label.box.meets(other.box) for other in labels[index + 1 :])
        for line in (frame.line(one) for one in FOUR.series):
            assert not any(label.box.crossed_by(a, b) for a, b in pairwise(line))


def test_a_name_inside_the_plot_keeps_clear_of_predictions() -> None:
    naive = replace(
        series("naive", 4e-6, until=1024), predicted=tuple((float(n), 4e-6 * n * n) for n in LENGTHS)
    )
    both = chart(series("flash", 1e-6), naive)
    frame = lay_out(both, WIDE)
    [label] = [label for label in name_labels(both, frame) if label.text == "naive"]
    assert label.leader is None, "there is room beside the line's end"
    assert not any(label.box.crossed_by(a, b) for a, b in pairwise(frame.foretold(naive)))


def test_names_of_equal_lines_are_spread_and_keep_their_order() -> None:
    equal = chart(*(series(name, 1e-6) for name in ("a", "b", "c", "d")))
    ys = [label.y for label in name_labels(equal, lay_out(equal, NARROW))]
    assert ys == sorted(ys)
    assert all(second - first >= 14 for first, second in pairwise(ys))


def test_the_grid_has_decades_only() -> None:
    frame = lay_out(FOUR, WIDE)
    lines = [node.get("d", "") for node in of_class(tree(FOUR), "chart-grid")]
    heights = [float(re.match(r"M\S+ ([\d.]+)H", d).group(1)) for d in lines]  # type: ignore[union-attr]
    assert heights == pytest.approx([frame.y.at(10.0**e) for e in (-2, -1, 0, 1, 2)], abs=0.01)


def test_nothing_measured_says_so() -> None:
    root = tree(chart(Series(name="flash")))
    assert "Nothing measured yet" in [node.text for node in root.iter("text")]


def test_values_without_a_place_are_left_out() -> None:
    bad = (0.0, -1.0, float("nan"), float("inf"))
    marks = (*(Mark(x=n, y=y) for n, y in zip(LENGTHS, bad, strict=False)), Mark(x=4096, y=2.0))
    group = of_class(tree(chart(Series(name="flash", marks=marks))), "s1")[0]
    assert len(of_class(group, "chart-full")) == 1


def test_the_table_has_every_value_and_every_reason() -> None:
    root = ET.fromstring(data_table(FOUR))
    head = [cell.text for cell in root.findall(".//thead//th")]
    assert head == ["序列长度 n", "flash", "naive", "math", "triton_flash"]
    rows = [[cell.text for cell in row] for row in root.findall(".//tbody/tr")]
    assert [row[0] for row in rows] == ["256", "512", "1024", "2048", "4096"]
    assert rows[0][1] == "0.0655 (0.059–0.0786)"
    assert rows[4][2] == "内存不够"
    assert rows[3][3] == "超时"
    assert rows[4][3] == "–"


def test_every_text_is_escaped_and_nothing_is_styled() -> None:
    evil = '"><script>alert(1)</script><i onload=x '
    words = Words(table=evil, memory=evil, predicted=evil)
    line = Series(name=evil, marks=(Mark(x=1, y=1),), gaps=(Gap(x=2, reason=evil),), predicted=((1, 1),))
    made = draw(
        Chart(slug="s", title=evil, description=evil, x_title=evil, y_title=evil, series=(line,), words=words)
    )
    assert "<script" not in made
    assert "<i " not in made
    tags = {tag.split()[0] for tag in re.findall(r"<([a-z][^>]*)>", draw(FOUR))}
    assert tags <= {
        "figure", "svg", "title", "desc", "g", "path", "rect", "circle", "text",
        "details", "summary", "div", "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert not re.search(r'\sstyle\s*=|\son\w+\s*=\s*"', draw(FOUR))


@pytest.mark.parametrize("name", ["style", "href", "onload", "onclick", "x y"])
def test_svg_refuses_what_a_figure_must_not_carry(name: str) -> None:
    with pytest.raises(ValueError, match="not an attribute"):
        element("g", **{name: "x"})
