"""Worked solutions of attention, step by step, with the numbers of the draw put in.

Each function writes one line of work as maths that both languages share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from quiz.exercises.formatting import tex, tex_dot, tex_factor
from quiz.exercises.types import Text

Row = Sequence[float]


def told(zh: str, en: str, *lines: str) -> Text:
    """A sentence in each language above the same lines of maths, each a display formula."""
    shown = "".join(f"\n\n$${line}$$" for line in lines)
    return Text(zh + shown, en + shown)


def scores_lines(q: Row, keys: Sequence[Row], row: int) -> list[str]:
    """q_i · k_j for every key, written out; `row` counts from 1."""
    return [
        rf"q_{{{row}}} \cdot k_{{{j}}} = {tex_dot(q, k)} = "
        rf"{tex(sum(a * b for a, b in zip(q, k, strict=True)))}"
        for j, k in enumerate(keys, start=1)
    ]


def scaled_line(scores: Row, d_k: int) -> str:
    """The row divided by √d_k."""
    scaled = [score / math.sqrt(d_k) for score in scores]
    return rf"\frac{{1}}{{\sqrt{{{d_k}}}}} \times {tex(list(scores))} \approx {tex(scaled)}"


def weights_lines(scaled: Row) -> list[str]:
    """The exponentials of one row, their sum, and the shares."""
    exponentials = [math.exp(score) for score in scaled]
    total = sum(exponentials)
    return [
        rf"e^{{s_j}} \approx {tex(exponentials)}",
        rf"\sum_j e^{{s_j}} \approx {tex(total)}",
        rf"\frac{{e^{{s_j}}}}{{{tex(total)}}} \approx {tex([value / total for value in exponentials])}",
    ]


def mixed_line(weights: Row, values: Sequence[Row], name: str) -> str:
    """Σ_j w_j v_j written out; keys of weight 0 are left out."""
    terms = [
        rf"{tex_factor(weight)} \times {tex(list(value))}"
        for weight, value in zip(weights, values, strict=True)
        if weight != 0
    ]
    result = [sum(w * v[c] for w, v in zip(weights, values, strict=True)) for c in range(len(values[0]))]
    return rf"{name} \approx {' + '.join(terms)} \approx {tex(result)}"
