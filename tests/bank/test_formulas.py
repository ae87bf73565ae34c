"""Formulas without inline styles, their stylesheet and their font."""

from __future__ import annotations

import re
from html.entities import html5
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from quiz.bank.mathml import CLASSES, FormulaError, mathml, unknown_styles

STATIC = Path(__file__).resolve().parents[2] / "static"
ENVIRONMENTS = [
    r"\begin{aligned}a&=b\\c&=d\end{aligned}",
    r"\begin{cases}1&x>0\\0&\text{否则}\end{cases}",
    r"\begin{array}{l|r:c}a&b&c\\\hline d&e&f\\\hdashline g&h&i\end{array}",
    r"\begin{array}{|c|}\hline a\\\hline\end{array}",
    r"\begin{align}a&=b\\c&=d\end{align}",
    r"\begin{gather}a\\b\end{gather}",
    r"\begin{equation}a\tag{7.1}\end{equation}",
    r"\begin{multline}a\\b\end{multline}",
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
    r"\operatorname*{argmax}_i\, x_i\!",
    r"\underbrace{QK^\top}_{n\times n}",
    r"\boxed{x}",
]


@pytest.mark.parametrize("latex", ENVIRONMENTS)
def test_formula_carries_classes_and_no_style(latex: str) -> None:
    html = mathml(latex, display=True)
    assert " style=" not in html
    assert unknown_styles(latex, display=True) == ()
    ElementTree.fromstring(html)


def test_class_stands_for_the_declaration_it_replaces() -> None:
    html = mathml(r"\begin{aligned}a&=b\end{aligned}", display=True)
    right, left = re.findall(r'<mtd class="([^"]*)"', html)
    assert right.split() == [CLASSES[d] for d in ("text-align:right", "justify-items:end", "padding-right:0")]
    assert left.split() == [CLASSES[d] for d in ("text-align:left", "justify-items:start", "padding-left:0")]


def test_stylesheet_has_exactly_the_classes() -> None:
    css = (STATIC / "css" / "math.css").read_text()
    rules = dict(re.findall(r"^\.(m-[0-9a-f]{8}) \{ (.*); \}$", css, re.MULTILINE))
    assert {name: rule.replace(": ", ":", 1) for name, rule in rules.items()} == {
        name: declaration for declaration, name in CLASSES.items()
    }
    assert len(set(CLASSES.values())) == len(CLASSES)


@pytest.mark.parametrize(
    ("latex", "is_low"),
    [
        (r"\sqrt{d_k}", True),
        (r"\sqrt{d_{\text{model}}}", True),
        (r"\sqrt{64}", True),
        (r"\sqrt{a+b}", True),
        (r"\sqrt{x^2}", False),
        (r"\sqrt{\frac{a}{b}}", False),
        (r"\sqrt{(a)}", False),
        (r"\sqrt{\sum_i x_i}", False),
    ],
)
def test_a_root_over_one_line_is_marked(latex: str, is_low: bool) -> None:
    assert ('<msqrt class="low-root">' in mathml(latex)) is is_low


def test_unknown_style_is_dropped_and_told() -> None:
    assert mathml(r"\color{red}x") == '<math data-linear="x"><mrow><mi>x</mi></mrow></math>'
    assert unknown_styles(r"\color{red}x") == ("color:#FF0000",)


def test_named_characters_are_written_as_themselves() -> None:
    assert html5["ApplyFunction;"] in mathml(r"\sin(x)")
    assert "&" not in mathml(r"\sin(x)")


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\nonsense", "Unknown command"),
        ("{", "reached end of input"),
        (r"\eqref{a}", "<a> is not supported"),
        (r"\cancel{x}", "'class' is not supported"),
        ("x" * 2001, "longer than 2000"),
    ],
)
def test_formula_that_cannot_be_shown_is_an_error(latex: str, message: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(message)):
        mathml(latex)


def test_font_stretches_and_holds_the_characters_of_formulas() -> None:
    path = STATIC / "fonts" / "STIXTwoMath-subset.woff2"
    font = TTFont(path)
    assert "MATH" in font
    assert font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs
    mapped = font.getBestCmap()
    assert [c for c in "√∑∏∫⊤ℝ∞−×·≤≥∈→⟨⟩‖∂αβγΘ𝑥𝐱𝟏⏟⎡′" if ord(c) not in mapped] == []
    assert path.stat().st_size < 413_000


def test_font_comes_with_its_licence() -> None:
    licence = (STATIC / "fonts" / "OFL.txt").read_text()
    copyright_line = TTFont(STATIC / "fonts" / "STIXTwoMath-subset.woff2")["name"].getDebugName(0)
    assert licence.splitlines()[0] == copyright_line
    assert "SIL OPEN FONT LICENSE Version 1.1 - 26 February 2007" in licence


def test_code_colours_are_those_that_hold_on_sunken() -> None:
    css = (STATIC / "css" / "code.css").read_text()
    inks = set(re.findall(r"color: var\(--([\w-]+)\)", css))
    assert inks <= {"ink", "ink2", "accent", "q", "k", "v", "s", "o"}  # each checked by tests/test_colours.py
    assert re.findall(r"#[0-9A-Fa-f]{3,6}\b", css) == []
