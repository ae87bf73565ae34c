"""Arithmetic that refuses instead of overflowing, dividing by zero or leaving the real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from quiz.exercises.reading.literals import LARGEST_BITS
from quiz.exercises.reading.reasons import Unreadable

Number = int | float


def add(left: Number, right: Number) -> Number:
    return _kept(lambda: left + right, "+")


def subtract(left: Number, right: Number) -> Number:
    return _kept(lambda: left - right, "-")


def multiply(left: Number, right: Number) -> Number:
    return _kept(lambda: left * right, "*")


def divide(left: Number, right: Number) -> Number:
    """Exact for integers that divide: 2^60/4 stays an integer."""
    if right == 0:
        raise Unreadable("zero_division")
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return _kept(lambda: left / right, "/")


def power(base: Number, exponent: Number) -> Number:
    """base^exponent; 0^0, a negative base under a fractional exponent and huge results are refused."""
    if base == 0 and exponent <= 0:
        if exponent == 0:
            raise Unreadable("power_undefined", str(base), str(exponent))
        raise Unreadable("zero_division")
    if base < 0 and exponent != int(exponent):
        raise Unreadable("power_undefined", str(base), str(exponent))
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0
    if whole and abs(base) > 1 and math.log2(abs(base)) * exponent > LARGEST_BITS + 1:
        raise Unreadable("overflow", f"{base}^{exponent}")
    return _kept(lambda: base**exponent if whole else float(base) ** float(exponent), "^")


def root(value: Number) -> float:
    if value < 0:
        raise Unreadable("root_negative", str(value))
    return math.sqrt(value)


def logarithm(base: float) -> Callable[[Number], float]:
    def of(value: Number) -> float:
        if value <= 0:
            raise Unreadable("log_domain", str(value))
        return {2.0: math.log2, 10.0: math.log10}.get(base, math.log)(value)

    return of


def exponential(value: Number) -> Number:
    return _kept(lambda: math.exp(value), "exp")


def _kept(compute: Callable[[], Number], operator: str) -> Number:
    try:
        value = compute()
    except OverflowError:
        raise Unreadable("overflow", operator) from None
    if isinstance(value, int):
        if value.bit_length() >= LARGEST_BITS:
            raise Unreadable("overflow", operator)
    elif not math.isfinite(value):
        raise Unreadable("overflow", operator)
    return value
