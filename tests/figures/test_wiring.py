"""The wiring of a sublayer: boxes in the order of the path, one skip, nothing outside the drawing."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree

import pytest

from quiz.exercises.wiring import WIRINGS
from quiz.figures.wiring import wiring


@pytest.mark.parametrize("slug", WIRINGS)
def test_boxes_stand_in_order_and_inside(slug: str) -> None:
    drawing = WIRINGS[slug].drawing
    assert drawing is not None
    svg = ElementTree.fromstring(
        wiring(before=drawing.before, branch=drawing.branch, after=drawing.after, skip=drawing.skip)
    )
    width, height = (float(n) for n in svg.attrib["viewBox"].split()[2:])
    names = [(float(t.attrib["x"]), t.text) for t in svg.iter("text") if t.attrib["class"] == "wiring-name"]
    assert [name for _, name in sorted(names)] == [*drawing.before, *drawing.branch, *drawing.after]
    for rect in svg.iter("rect"):
        x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    assert len(list(svg.iter("circle"))) == int(drawing.skip)
    assert [t.text for t in svg.iter("text") if t.attrib["class"] == "wiring-letter"] == ["x", "y"]
    boxes = sorted((float(r.attrib["x"]), float(r.attrib["width"])) for r in svg.iter("rect"))
    assert all(x + w < other for (x, w), (other, _) in itertools.pairwise(boxes))


def test_names_are_escaped_and_no_style_is_written() -> None:
    drawn = wiring(branch=("<b>",))
    assert "<b>" not in drawn
    assert "&lt;b&gt;" in drawn
    assert re.findall(r"style=|<script", drawn) == []
