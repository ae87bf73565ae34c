"""Diagrams: whole in both languages, inside their view, no text wider than its box, and safe."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import pytest

from quiz.figures.diagrams import DIAGRAMS, NAMES, described, draw
from quiz.figures.diagrams.drawing import overflowing
from quiz.figures.diagrams.placing import height_of, path, place, width_of
from quiz.figures.diagrams.shapes import Layout

LANGUAGES = ("zh-hans", "en")
LAYOUTS = [
    pytest.param(layout, language, id=f"{name}-{size}-{language}")
    for name, diagram in DIAGRAMS.items()
    for size, layout in (("narrow", diagram.narrow), ("wide", diagram.wide))
    if layout
    for language in LANGUAGES
]


def test_the_diagrams_of_the_chapter_are_all_there() -> None:
    assert set(NAMES) == {
        "encoder_layer", "decoder_layer", "transformer", "pre_ln_block", "post_ln_block",
        "attention_pipeline", "kernel_dispatch", "prefill_decode", "head_split",
    }  # fmt: skip


@pytest.mark.parametrize(("layout", "language"), LAYOUTS)
def test_a_layout_fits_a_phone_or_a_page_of_text(layout: Layout, language: str) -> None:
    widest = 358 if any(diagram.narrow is layout for diagram in DIAGRAMS.values()) else 612
    assert width_of(layout) <= widest
    assert overflowing(layout, language) == []


@pytest.mark.parametrize(("layout", "language"), LAYOUTS)
def test_everything_stands_inside_and_no_box_covers_another(layout: Layout, language: str) -> None:
    placed = place(layout, language)
    width, height = width_of(layout), height_of(layout, placed)
    for entry in placed.values():
        assert 0 <= entry.area.left <= entry.area.right <= width
        assert 0 <= entry.area.top <= entry.area.bottom <= height
    solid = [entry for entry in placed.values() if entry.box.kind != "dot"]
    assert not [(a.box.name, b.box.name) for a, b in combinations(solid, 2) if a.area.meets(b.area)]
    for arrow in layout.arrows:
        assert all(0 <= x <= width and 0 <= y <= height for x, y in path(arrow, placed)), arrow


@pytest.mark.parametrize(("layout", "language"), LAYOUTS)
def test_arrows_are_level_or_upright_and_pass_through_no_other_box(layout: Layout, language: str) -> None:
    placed = place(layout, language)
    for arrow in layout.arrows:
        points = path(arrow, placed)
        for (x1, y1), (x2, y2) in pairwise(points):
            assert abs(x1 - x2) < 1e-6 or abs(y1 - y2) < 1e-6, arrow
            for name, entry in placed.items():
                if name in (arrow.start, arrow.end) or entry.box.kind == "dot":
                    continue
                assert not entry.area.crossed_by((x1, y1), (x2, y2)), (arrow, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_diagram_is_named_described_and_plain_svg(name: str, language: str) -> None:
    html = draw(name, language=language, slug="a")
    figure = ET.fromstring(html)
    assert "style=" not in html
    for svg in figure.iter("svg"):
        assert svg.get("role") == "img"
        ids = (svg.get("aria-labelledby") or "").split()
        said = {node.get("id"): node.text for node in svg if node.get("id")}
        assert "\n".join(said[i] or "" for i in ids) == described(name, language=language)
    assert {element.tag for element in figure.iter()} <= {
        "figure", "figcaption", "svg", "title", "desc", "g", "rect", "circle", "path", "text", "tspan",
    }  # fmt: skip
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_are_written(name: str) -> None:
    zh, en = described(name, language="zh-hans"), described(name, language="en")
    assert len(re.findall(r"[\u4e00-\u9fff]", zh)) > 40
    assert not re.search(
        r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]", draw(name, language="en", slug="a") + en
    )
    shown = "".join(ET.fromstring(draw(name, language="zh-hans", slug="a")).itertext())
    assert re.search(r"[\u4e00-\u9fff]", shown)


def test_a_subscript_is_lowered_and_comes_back() -> None:
    html = draw("attention_pipeline", language="en", slug="a")
    assert '<tspan>Q = XW</tspan><tspan dy="3" class="diagram-sub">Q</tspan>' in html
    assert (
        '<tspan>[B, n, d</tspan><tspan dy="3" class="diagram-sub">k</tspan><tspan dy="-3">]</tspan>' in html
    )
