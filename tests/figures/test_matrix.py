"""Matrix figures: what a reader, a screen reader and a clipboard get."""

from __future__ import annotations

import math
import re
from html import unescape

import numpy as np
import pytest

from quiz.figures.copying import as_latex, as_numpy, as_torch
from quiz.figures.matrix import letter, matrix
from quiz.figures.numerals import numeral


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>(.*?)</td>", html)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2, "2"), (-2.0, "−2"), (0.5, "0.500"), (-0.70710678, "−0.707"), (-math.inf, "−∞"), (0.0, "0")],
)
def test_numeral_has_a_real_minus_and_three_decimals(value: float, shown: str) -> None:
    assert numeral(value) == shown


def test_exact_short_decimals_stay_short_and_others_share_three_places() -> None:
    assert cells(matrix([[0.5, -1], [2, 0.25]], name="S")) == ["0.5", "−1", "2", "0.25"]
    assert cells(matrix([[0.5, 1 / 3]], name="S")) == ["0.500", "0.333"]


def test_caption_says_letter_and_shape_and_the_table_is_named() -> None:
    html = matrix([[1, 2], [3, 4], [5, 6]], name="W_Q", role="q")
    assert '<figure class="matrix role-q">' in html
    assert '<span class="letter">W<sub>Q</sub></span> <span class="shape">3×2</span>' in html
    assert '<table aria-label="W Q, 3×2">' in html


def test_lit_row_masked_cells_and_heat_are_classes_never_styles() -> None:
    html = matrix([[1.0, -math.inf], [0.25, 0.75]], name="A", lit=1, heat=True)
    assert html.count('<tr class="lit">') == 1
    assert re.findall(r'<td class="(\w+)">', html) == ["h20", "masked", "h5", "h15"]
    assert "style=" not in html


def test_labels_are_headers_with_scope() -> None:
    html = matrix([[1, 2]], name="S", row_labels=["q_1"], column_labels=["k_1", "k_2"])
    assert re.findall(r'<th scope="col">(.*?)</th>', html) == ["k<sub>1</sub>", "k<sub>2</sub>"]
    assert re.findall(r'<th scope="row">(.*?)</th>', html) == ["q<sub>1</sub>"]


def test_wide_ones_are_regions_that_take_the_focus_and_large_ones_are_folded() -> None:
    region = 'tabindex="0" role="region" aria-label="S"'
    assert "tabindex" not in matrix([list(range(5))], name="S")
    assert region in matrix([list(range(6))], name="S")
    assert region in matrix([list(range(5))], name="S", row_labels=["a"])
    assert matrix(np.zeros((13, 2)), name="S").count("<details><summary>") == 1


def test_everything_given_is_escaped() -> None:
    html = matrix([[1]], name="<b>&", note='"><script>')
    assert "<script>" not in html
    assert "<b>" not in html
    assert letter("<i>_2") == "&lt;i&gt;<sub>2</sub>"


def test_copies_evaluate_to_the_same_matrix() -> None:
    value = [[1, -0.1], [1 / 3, -math.inf]]
    assert np.array_equal(eval(as_numpy(value), {"np": np}), np.array(value))
    assert as_torch([1, 2]) == "torch.tensor([1, 2], dtype=torch.float64)"
    assert as_latex([[1, 2], [3, -math.inf]]) == r"\begin{bmatrix} 1 & 2 \\ 3 & -\infty \end{bmatrix}"
    assert as_latex([1, 2]) == r"\begin{bmatrix} 1 & 2 \end{bmatrix}"
    copied = [unescape(code) for code in re.findall(r'data-copy="(.*?)"', matrix(value, name="S"))]
    assert copied == [as_numpy(value), as_torch(value), as_latex(value)]
    assert "data-copy" not in matrix(value, name="S", copyable=False)


def test_array_and_list_give_the_same_figure() -> None:
    assert matrix(np.array([[1.5, 2.0]]), name="Q") == matrix([[1.5, 2.0]], name="Q")


def test_labels_follow_the_language() -> None:
    assert 'aria-label="复制 Q 为 NumPy"' in matrix([[1]], name="Q")
    assert 'aria-label="Copy Q as NumPy"' in matrix([[1]], name="Q", language="en")
