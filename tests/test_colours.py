"""Every colour pair in use, computed from the stylesheet: text at least 4.5, control edges at least 3."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parent.parent / "static" / "css" / "tokens.css").read_text()
THEMES = {
    "light": r":root \{(.*?)\n\}",
    "dark": r':root\[data-theme="dark"\] \{(.*?)\n\}',
    "system dark": r':root:not\(\[data-theme="light"\]\) \{(.*?)\n  \}',
}
GROUNDS = ("ground", "sunken", "raised")
TEXTS = [
    (text, ground)
    for text in ("ink", "ink2", "ink3", "accent", "q", "k", "v", "s", "o")
    for ground in GROUNDS
]
TEXTS += [(role, f"{role}-bg") for role in ("q", "k", "v", "s", "o", "accent")]
TEXTS += [("ink", f"{role}-bg") for role in ("q", "k", "v", "s", "o", "accent")]
TEXTS += [("ink2", "accent-bg"), ("ink", "heat0"), ("ink", "heat1"), ("on-accent", "accent")]
TEXTS += [("ground", "ink"), ("ground", "ink2")]  # the primary button, and under the pointer
EDGES = [("edge", ground) for ground in GROUNDS] + [("edge", "accent-bg"), ("ink", "ground")]


def tokens(theme: str) -> dict[str, str]:
    found = re.search(THEMES[theme], CSS, re.DOTALL)
    assert found, theme
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})", found.group(1)))


def luminance(colour: str) -> float:
    """WCAG 2 relative luminance of #rrggbb."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_every_ground_it_stands_on(theme: str) -> None:
    colours = tokens(theme)
    poor = {
        pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2)
        for pair in TEXTS
        if contrast(colours[pair[0]], colours[pair[1]]) < 4.5
    }
    assert poor == {}


@pytest.mark.parametrize("theme", THEMES)
def test_control_edges_are_visible(theme: str) -> None:
    colours = tokens(theme)
    assert [pair for pair in EDGES if contrast(colours[pair[0]], colours[pair[1]]) < 3] == []


def test_both_dark_themes_are_the_same() -> None:
    assert tokens("dark") == tokens("system dark")


def test_every_colour_used_by_a_stylesheet_is_a_token() -> None:
    """Colours elsewhere than in the tokens would escape the checks above."""
    folder = Path(__file__).resolve().parent.parent / "static" / "css"
    stray = {
        path.name: found
        for path in folder.glob("*.css")
        if path.name not in {"tokens.css", "code.css"}
        and (found := re.findall(r"#[0-9A-Fa-f]{3,8}\b", path.read_text()))
    }
    assert stray == {}
