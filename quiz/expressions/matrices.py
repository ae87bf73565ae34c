"""The words that make matrices, take them apart and measure them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quiz.expressions.errors import ExpressionError
from quiz.expressions.values import Function, Value, check_shape
from quiz.expressions.wrapping import check_length, elementwise, numbers_only


def transpose(x: Value) -> Value:
    if np.ndim(x) < 2:
        raise ExpressionError("only a matrix can be transposed", expected="a matrix")
    return np.swapaxes(x, -1, -2)


def shape(x: Value) -> tuple[int, ...]:
    numbers_only(x)
    return np.shape(x)


def row(x: Value, i: int) -> Value:
    """Row i of a matrix, counted from 0 as in `A[0]`."""
    return _along(x, i, 0)


def column(x: Value, i: int) -> Value:
    """Column i of a matrix, counted from 0."""
    return _along(x, i, 1)


def rows(x: Value, first: int, last: int) -> Value:
    """The rows from `first` to `last`, both included, counted from 0."""
    return _span(x, (first, last), 0)


def columns(x: Value, first: int, last: int) -> Value:
    """The columns from `first` to `last`, both included: W_Q of one head, for instance."""
    return _span(x, (first, last), 1)


def outer(a: Value, b: Value) -> Value:
    for vector in (a, b):
        if np.ndim(vector) != 1:
            raise ExpressionError("an outer product takes two vectors", expected="vectors")
    check_shape((len(a), len(b)))
    return np.outer(a, b)


def diag(x: Value) -> Value:
    """A vector as a diagonal matrix; of a matrix its diagonal."""
    if np.ndim(x) not in (1, 2):
        raise ExpressionError("a diagonal needs a vector or a matrix", expected="a vector or a matrix")
    if np.ndim(x) == 1:
        check_shape((len(x), len(x)))
    return np.diag(x)


def concat(*arrays: Value, axis: int = -1) -> Value:
    """Side by side (the last axis) or, with axis=0, below one another."""
    if not arrays or any(np.ndim(array) == 0 for array in arrays):
        raise ExpressionError("only arrays can be put together", expected="arrays")
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise ExpressionError("the axis is not a whole number", expected="a whole number")
    return np.concatenate(arrays, axis=axis)


def norm(x: Value) -> float:
    """√Σ x²: the length of a vector, the Frobenius norm of a matrix."""
    numbers_only(x)
    return math.sqrt(float(np.sum(np.asarray(x, dtype=np.float64) ** 2)))


def eigenvalues(x: Value) -> Value:
    """Of a symmetric matrix, the smallest first."""
    _check_square(x)
    if not np.allclose(x, np.transpose(x), rtol=0, atol=1e-9):
        raise ExpressionError("the matrix is not symmetric", expected="a symmetric matrix")
    check_length(len(x))
    return np.linalg.eigvalsh(np.asarray(x, dtype=np.float64))


def trace_of(x: Value) -> float:
    """The sum of the diagonal. (`trace` walks through attention.)"""
    _check_square(x)
    return float(np.trace(x))


def _made(act: Callable[[tuple[int, ...]], Any]) -> Function:
    def call(*lengths: int) -> Value:
        for length in lengths:
            check_length(length)
        check_shape(lengths)
        return act(lengths)

    return Function(call)


def _eye(n: int) -> Value:
    check_length(n)
    return np.eye(n)


def _arange(n: int) -> Value:
    check_length(n)
    return np.arange(n, dtype=np.float64)


def _along(x: Value, i: int, axis: int) -> Value:
    _check_matrix(x)
    _check_place(x, i, axis)
    return np.take(x, i, axis=axis)


def _span(x: Value, ends: tuple[int, int], axis: int) -> Value:
    _check_matrix(x)
    for end in ends:
        _check_place(x, end, axis)
    first, last = ends
    if first > last:
        raise ExpressionError(f"{first} to {last} runs backwards", expected="first ≤ last")
    return x[first : last + 1] if axis == 0 else x[:, first : last + 1]


def _check_place(x: Value, i: Value, axis: int) -> None:
    length = np.shape(x)[axis]
    if isinstance(i, bool) or not isinstance(i, int) or not 0 <= i < length:
        name = ("row", "column")[axis]
        raise ExpressionError(f"there is no {name} {i}", expected=f"0 to {length - 1}")


def _check_matrix(x: Value) -> None:
    if np.ndim(x) != 2:
        raise ExpressionError("only a matrix has rows and columns", expected="a matrix")


def _check_square(x: Value) -> None:
    if np.ndim(x) != 2 or len(x) != len(x[0]):
        raise ExpressionError("the matrix is not square", expected="a square matrix")


MATRICES: Mapping[str, Function] = {
    "transpose": Function(transpose), "shape": Function(shape), "eye": Function(_eye),
    "zeros": _made(np.zeros), "ones": _made(np.ones), "arange": Function(_arange),
    "row": Function(row), "column": Function(column), "rows": Function(rows), "columns": Function(columns),
    "outer": Function(outer), "diag": Function(diag), "concat": Function(concat), "norm": Function(norm),
    "eigenvalues": Function(eigenvalues), "trace_of": Function(trace_of),
    "erf": elementwise(lambda x: np.vectorize(math.erf)(x) if np.ndim(x) else math.erf(x)),
}  # fmt: skip
