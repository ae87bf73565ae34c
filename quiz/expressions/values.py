"""What an expression can hold: numbers, arrays, shapes, groups of names, functions; all of bounded size."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiz.expressions import limits
from quiz.expressions.errors import ExpressionError

Array = np.ndarray[Any, np.dtype[Any]]
Value = Any  # int | float | bool | Array | tuple | str (as an argument) | Namespace | Function


class Namespace(Mapping[str, Value]):
    """A group of names behind a dot, read-only: `chapter.Q`."""

    def __init__(self, entries: Mapping[str, Value]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Value:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True)
class Function:
    """The only thing an expression can call; no other Python callable ever becomes one."""

    call: Callable[..., Any]

    @property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.call)


def settle(value: object) -> Value:
    """The value in the few types above, or an ExpressionError; for names given and for results."""
    if value is None or isinstance(value, complex | np.complexfloating):
        raise ExpressionError("the result is not a real number")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return _bounded(int(value))
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, tuple):
        return _tuple(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return settle(value.item())
    if isinstance(value, list | np.ndarray):
        return array_of(value)
    if isinstance(value, Namespace | Function):
        return value
    if isinstance(value, Mapping):
        return Namespace({str(name): settle(entry) for name, entry in value.items()})
    raise ExpressionError(f"{type(value).__name__} is no value of an expression")


def array_of(value: list[Any] | Array) -> Array:
    """A float64 or bool array; rows of unequal length, other types and too many elements are refused."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ExpressionError("the rows differ in length", expected="rows of equal length") from None
    check_shape(array.shape)
    if array.dtype == np.bool_:
        return array
    if array.size == 0 or array.dtype.kind not in "iuf":
        raise ExpressionError(
            "a list holds something else than numbers", expected="numbers or rows of numbers"
        )
    return array.astype(np.float64)


def check_shape(shape: tuple[int, ...]) -> None:
    elements = 1
    for length in shape:
        elements *= length
    if len(shape) > limits.DIMENSIONS or elements > limits.ELEMENTS:
        raise ExpressionError(
            f"an array of shape {shape} is too large",
            expected=f"at most {limits.ELEMENTS} elements in {limits.DIMENSIONS} dimensions",
        )


def _bounded(value: int) -> int:
    if value.bit_length() > limits.INTEGER_BITS:
        raise ExpressionError("the whole number is too large", expected=f"at most {limits.INTEGER_BITS} bits")
    return value


def _short(value: str) -> str:
    if len(value) > limits.TEXT_LENGTH:
        raise ExpressionError("the text is too long", expected=f"at most {limits.TEXT_LENGTH} characters")
    return value


def _tuple(value: tuple[Any, ...]) -> tuple[Value, ...]:
    entries = tuple(settle(entry) for entry in value)
    if any(not isinstance(entry, bool | int | float) for entry in entries):
        raise ExpressionError("a tuple holds something else than numbers", expected="numbers, as in (2, 3)")
    return entries
