"""Live numbers in text and formulas: `{{ expression }}`, or `{{ expression | 4 }}` for 4 decimal places."""

from __future__ import annotations

import re

import numpy as np

from quiz.exercises.formatting import show, show_shape, tex
from quiz.expressions import ExpressionError, Value, evaluate

DEFAULT_PLACES = 3
_PLACES = re.compile(r"\s*(\d{1,2})\s*")
IN_FORMULA = re.compile(r"\{\{([^{}]*)\}\}")


def written(source: str) -> str:
    """The number for people: `0.599`, `12`, `−∞`, `[0.599, 0.802]`, `(2, 3)`. Raises ExpressionError."""
    value, places = _read(source)
    if isinstance(value, tuple):
        return show_shape(value)
    return show(_listed(value), places)


def filled(latex: str) -> str:
    """A formula with its live numbers put in; arrays become bracketed tables. Raises ExpressionError.

    Two braces open a live number also in a formula: LaTeX that needs two writes them apart, `{ {`.
    """
    return IN_FORMULA.sub(lambda match: _latex(match[1]), latex)


def _latex(source: str) -> str:
    value, places = _read(source)
    if isinstance(value, tuple):
        return show_shape(value)
    if not isinstance(value, np.ndarray):
        return tex(value, places)
    if value.ndim > 2:
        raise ExpressionError(
            f"an array of shape {value.shape} is no matrix", expected="a vector or a matrix"
        )
    rows = np.atleast_2d(value).tolist()
    table = r" \\ ".join(" & ".join(tex(entry, places) for entry in row) for row in rows)
    return rf"\begin{{bmatrix}}{table}\end{{bmatrix}}"


def _read(source: str) -> tuple[Value, int]:
    expression, bar, places = source.partition("|")
    if not bar:
        return evaluate(expression), DEFAULT_PLACES
    match = _PLACES.fullmatch(places)
    if match is None:
        raise ExpressionError(
            f"{places.strip()!r} is no number of places", expected="a whole number after the bar"
        )
    return evaluate(expression), int(match[1])


def _listed(value: Value) -> Value:
    return value.tolist() if isinstance(value, np.ndarray) else value
