"""Numbers for people and for formulas: three decimals, a real minus sign, whole numbers bare."""

from __future__ import annotations

import math
from collections.abc import Iterable

from quiz.exercises.types import Value

MINUS = "\u2212"
NOISE = 1e-12  # what float64 leaves where exact arithmetic gives zero


def show(value: Value, places: int = 3) -> str:
    """`−0.707`, `12`, `−∞`, `[0.599, 0.802]`, `[[1, 2], [3, 4]]`; a choice is itself.

    Whole numbers stand bare, others are rounded to `places`; what rounds to zero shows as many
    significant digits instead, so that a small number never looks like none.
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(show(item, places) for item in value)}]"
    return _number(value, places).replace("-", MINUS) if not isinstance(value, str) else value


def tex(value: Value, places: int = 3) -> str:
    """As `show`, for inside `$…$`: a hyphen for minus, `\\infty`; negative numbers stand without brackets."""
    if isinstance(value, (list, tuple)):
        return "[" + r",\ ".join(tex(item, places) for item in value) + "]"
    return _number(value, places).replace("∞", r"\infty")


def tex_factor(value: float, places: int = 3) -> str:
    """`tex` of a number that follows an operator: negative ones in brackets."""
    written = tex(value, places)
    return f"({written})" if written.startswith("-") else written


def tex_dot(one: Iterable[float], other: Iterable[float]) -> str:
    """The written-out inner product: `1 \\times 2 + 0 \\times (-1)`."""
    pairs = zip(one, other, strict=True)
    return " + ".join(rf"{tex_factor(a)} \times {tex_factor(b)}" for a, b in pairs)


def show_shape(shape: Iterable[int]) -> str:
    """`(2, 3)`; `(3,)` for a vector is written `(3)`."""
    return f"({', '.join(str(size) for size in shape)})"


def _number(value: float, places: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) < NOISE:
        return "0"
    if value == int(value):
        return str(int(value))
    rounded = f"{value:.{places}f}"
    if float(rounded) == 0:
        return f"{value:.{places}g}"
    return rounded
