"""The operators, each of which looks at the size of its result before it makes it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from quiz.expressions import limits
from quiz.expressions.errors import ExpressionError
from quiz.expressions.values import Value, check_shape, settle


def _power(left: Value, right: Value) -> Value:
    if isinstance(left, int) and isinstance(right, int) and right >= 0:
        if left not in (-1, 0, 1) and left.bit_length() * right > 2 * limits.INTEGER_BITS:
            raise ExpressionError("the power is too large")
        return left**right
    return operator.pow(left, right)


def _product(left: Value, right: Value) -> Value:
    if np.ndim(left) == 0 or np.ndim(right) == 0:
        raise ExpressionError("@ stands between matrices", expected="* for numbers")
    try:
        # Arrays without data give the shape of the product before anything is computed.
        check_shape(_hollow(left, right))
    except ValueError as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError(f"{np.shape(left)} @ {np.shape(right)} do not fit") from None
    return left @ right


def _hollow(left: Value, right: Value) -> tuple[int, ...]:
    rows = np.shape(left)[:-1]
    columns = np.shape(right)[-1:] if np.ndim(right) > 1 else ()
    inner = np.shape(right)[-2] if np.ndim(right) > 1 else np.shape(right)[0]
    if np.shape(left)[-1] != inner:
        raise ValueError("the inner lengths differ")
    if np.ndim(left) == 1:
        return (*np.shape(right)[:-2], *columns)
    batch = np.broadcast_shapes(np.shape(left)[:-2], np.shape(right)[:-2])
    return (*batch, rows[-1], *columns)


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.MatMult: _product,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def combine(symbol: ast.operator | ast.cmpop, left: Value, right: Value) -> Value:
    """left ∘ right for numbers and arrays that broadcast."""
    act = BINARY[type(symbol)] if isinstance(symbol, ast.operator) else COMPARISONS[type(symbol)]
    for side in (left, right):
        _check_number(side)
    if not isinstance(symbol, ast.MatMult):
        try:
            check_shape(np.broadcast_shapes(np.shape(left), np.shape(right)))
        except ValueError as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"shapes {np.shape(left)} and {np.shape(right)} do not fit") from None
    return settle(_computed(lambda: act(left, right)))


def negate(value: Value, symbol: ast.unaryop) -> Value:
    _check_number(value)
    return settle(_computed(lambda: -value if isinstance(symbol, ast.USub) else +value))


def _check_number(value: Value) -> None:
    if not isinstance(value, bool | int | float | np.ndarray):
        raise ExpressionError("arithmetic needs numbers or arrays", expected="a number or an array")


def _computed(act: Callable[[], Value]) -> Value:
    try:
        return act()
    except (ZeroDivisionError, FloatingPointError):
        raise ExpressionError("division by zero, or no finite result") from None
    except OverflowError:
        raise ExpressionError("the result is too large") from None
    except TypeError:
        raise ExpressionError("true and false cannot be used here", expected="numbers") from None
