"""Bars of tables: their length, their filling, nothing that the policy forbids."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from quiz.figures.bars import bar, hatching


def width(markup: str) -> float:
    found = re.search(r'<rect width="([\d.]+)%"', markup)
    assert found
    return float(found[1])


@pytest.mark.parametrize(("share", "percent"), [(0, 0), (0.375, 37.5), (1, 100), (1.5, 100), (-1, 0)])
def test_length_is_the_share(share: float, percent: float) -> None:
    assert width(bar(share)) == percent


def test_what_tells_bars_apart_is_their_filling() -> None:
    assert 'fill="url(#tally-hatching)"' in bar(0.5, kind="hatched")
    assert 'id="tally-hatching"' in hatching()
    for kind in ("ink", "accent", "outlined"):
        markup = bar(0.5, kind=kind)  # type: ignore[arg-type]
        assert f'class="tally tally-{kind}"' in markup
        assert "fill" not in markup


def test_bars_are_well_formed_and_hidden_from_screen_readers() -> None:
    for markup in (bar(0.3), bar(0.3, kind="hatched"), hatching()):
        root = ElementTree.fromstring(markup)
        assert root.attrib["aria-hidden"] == "true"
        assert "style" not in markup
