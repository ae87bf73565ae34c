"""How a Python function becomes a word: what it is given is looked at before it makes anything."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from quiz.expressions import limits
from quiz.expressions.errors import ExpressionError
from quiz.expressions.values import Function, Value


def numbers_only(*values: Value) -> None:
    for value in values:
        if not isinstance(value, bool | int | float | np.ndarray):
            raise ExpressionError("numbers or arrays are needed", expected="a number or an array")


def elementwise(act: Callable[[Any], Any]) -> Function:
    def call(x: Value) -> Value:
        numbers_only(x)
        return act(x)

    return Function(call)


def rounding(one: Callable[[float], int], many: Callable[[Any], Any]) -> Function:
    """Numbers become whole numbers, which print bare; arrays stay arrays."""
    return elementwise(lambda x: many(x) if np.ndim(x) else one(x))


def reduction(act: Callable[..., Any]) -> Function:
    def call(*values: Value, axis: int | None = None) -> Value:
        numbers_only(*values)
        if len(values) == 1:
            return act(np.asarray(values[0]), axis=axis)
        if axis is not None or any(np.ndim(value) for value in values):
            raise ExpressionError("several arrays are given", expected="one array, or several numbers")
        return act(np.asarray(values), axis=0)

    return Function(call)


def core(act: Callable[..., Any]) -> Function:
    """attention_core does its own bookkeeping of infinities, so its warnings are not ours to raise."""

    @functools.wraps(act)
    def call(*positional: Value, **named: Value) -> Value:
        for value in (*positional, *named.values()):
            _check_core(value)
        with np.errstate(all="ignore"):
            return act(*positional, **named)

    return Function(call)


def check_length(length: Value, most: int = limits.CORE_LENGTH) -> None:
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= most:
        raise ExpressionError("a length is out of range", expected=f"1 to {most}")


def whole_numbers(values: Value, what: str) -> np.ndarray[Any, Any]:
    """An array of numbers without fractions as integers, for labels and lengths."""
    numbers_only(values)
    array = np.asarray(values)
    if array.dtype == np.bool_ or not np.all(np.isfinite(array)) or np.any(array != np.floor(array)):
        raise ExpressionError(f"{what} are not whole numbers", expected="whole numbers")
    return array.astype(np.int64)


def _check_core(value: Value) -> None:
    if isinstance(value, np.ndarray) and (
        value.size > limits.CORE_ELEMENTS
        or value.ndim > limits.CORE_DIMENSIONS
        or max(value.shape, default=0) > limits.CORE_LENGTH
    ):
        raise ExpressionError(
            f"an array of shape {value.shape} is too large for attention",
            expected=f"at most {limits.CORE_ELEMENTS} elements, {limits.CORE_LENGTH} along an axis",
        )
