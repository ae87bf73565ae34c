"""Live numbers in text and formulas: `{{ expression }}`, or `{{ expression | 4 }}` for 4 decimal places."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from quiz.exercises.formatting import show, show_shape, tex
from quiz.expressions import ExpressionError, Value, evaluate

DEFAULT_PLACES = 3
Names = Mapping[str, Value]
NONE: Names = {}
SUPERSCRIPT = str.maketrans("-−0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLACES = re.compile(r"\s*(\d{1,2})\s*")
_POWER = re.compile(r"e([+\-−]?\d+)")
_LONG = re.compile(r"(?<![\d.])\d{5,}")  # whole numbers and whole parts, not what follows a point
IN_FORMULA = re.compile(r"\{\{([^{}]*)\}\}")


def written(source: str, names: Names = NONE) -> str:
    """The number for people: `0.599`, `12`, `−∞`, `[0.599, 0.802]`, `(2, 3)`. Raises ExpressionError."""
    value, places = _read(source, names)
    if isinstance(value, tuple):
        return show_shape(value)
    return _for_people(show(_listed(value), places))


def filled(latex: str, names: Names = NONE) -> str:
    """A formula with its live numbers put in; arrays become bracketed tables. Raises ExpressionError.

    Two braces open a live number also in a formula: LaTeX that needs two writes them apart, `{ {`.
    """
    return IN_FORMULA.sub(lambda match: _latex(match[1], names), latex)


def _latex(source: str, names: Names) -> str:
    value, places = _read(source, names)
    if isinstance(value, tuple):
        return show_shape(value)
    if not isinstance(value, np.ndarray):
        return _for_formulas(tex(value, places))
    if value.ndim > 2:
        raise ExpressionError(
            f"an array of shape {value.shape} is no matrix", expected="a vector or a matrix"
        )
    rows = np.atleast_2d(value).tolist()
    table = r" \\ ".join(" & ".join(_for_formulas(tex(entry, places)) for entry in row) for row in rows)
    return rf"\begin{{bmatrix}}{table}\end{{bmatrix}}"


def _read(source: str, names: Names) -> tuple[Value, int]:
    expression, bar, places = source.partition("|")
    if not bar:
        return evaluate(expression, names), DEFAULT_PLACES
    match = _PLACES.fullmatch(places)
    if match is None:
        raise ExpressionError(
            f"{places.strip()!r} is no number of places", expected="a whole number after the bar"
        )
    return evaluate(expression, names), int(match[1])


def _for_people(shown: str) -> str:
    """Thousands apart from five digits on, powers of ten as such: `6,738,415,616`, `1.75×10⁻⁷`."""
    powers = _POWER.sub(lambda match: f"×10{_exponent(match).translate(SUPERSCRIPT)}", shown)
    return _grouped(powers, ",")


def _for_formulas(shown: str) -> str:
    powers = _POWER.sub(lambda match: rf"\times 10^{{{_exponent(match)}}}", shown)
    return _grouped(powers, "{,}")


def _exponent(match: re.Match[str]) -> str:
    return str(int(match[1].replace("−", "-")))


def _grouped(shown: str, mark: str) -> str:
    return _LONG.sub(lambda match: f"{int(match[0]):,}".replace(",", mark), shown)


def _listed(value: Value) -> Value:
    return value.tolist() if isinstance(value, np.ndarray) else value
