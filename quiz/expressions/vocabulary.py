"""The words of the notation. Every function checks the size of what it is given before it makes anything."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import attention_core
from attention_core import costs, masks, pipeline
from attention_core.faults import steps_with
from attention_core.softmax import log_sum_exp, softmax
from quiz.expressions import examples, limits
from quiz.expressions.errors import ExpressionError
from quiz.expressions.values import Function, Namespace, Value, check_shape


def _numbers(*values: Value) -> None:
    for value in values:
        if not isinstance(value, bool | int | float | np.ndarray):
            raise ExpressionError("numbers or arrays are needed", expected="a number or an array")


def _elementwise(act: Callable[[Any], Any]) -> Function:
    def call(x: Value) -> Value:
        _numbers(x)
        return act(x)

    return Function(call)


def _rounding(one: Callable[[float], int], many: Callable[[Any], Any]) -> Function:
    """Numbers become whole numbers, which print bare; arrays stay arrays."""
    return _elementwise(lambda x: many(x) if np.ndim(x) else one(x))


def _reduction(act: Callable[..., Any]) -> Function:
    def call(*values: Value, axis: int | None = None) -> Value:
        _numbers(*values)
        if len(values) == 1:
            return act(np.asarray(values[0]), axis=axis)
        if axis is not None or any(np.ndim(value) for value in values):
            raise ExpressionError("several arrays are given", expected="one array, or several numbers")
        return act(np.asarray(values), axis=0)

    return Function(call)


def _total(*values: Value, axis: int | None = None) -> Value:
    """Whole numbers stay exact."""
    if len(values) > 1 and all(isinstance(value, int) for value in values) and axis is None:
        return sum(values)
    return _reduction(np.sum).call(*values, axis=axis)


def _round(x: Value, places: int = 0) -> Value:
    _numbers(x)
    if not isinstance(places, int) or not 0 <= places <= 12:
        raise ExpressionError("the places are not a small whole number", expected="0 to 12 places")
    return int(np.round(x)) if np.ndim(x) == 0 and places == 0 else np.round(x, places)


def _where(condition: Value, a: Value, b: Value) -> Value:
    _numbers(condition, a, b)
    check_shape(np.broadcast_shapes(np.shape(condition), np.shape(a), np.shape(b)))
    return np.where(condition, a, b)


def _transpose(x: Value) -> Value:
    if np.ndim(x) < 2:
        raise ExpressionError("only a matrix can be transposed", expected="a matrix")
    return np.swapaxes(x, -1, -2)


def _shape(x: Value) -> tuple[int, ...]:
    _numbers(x)
    return np.shape(x)


def _made(act: Callable[[tuple[int, ...]], Any]) -> Function:
    def call(*lengths: int) -> Value:
        for length in lengths:
            _check_length(length)
        check_shape(lengths)
        return act(lengths)

    return Function(call)


def _eye(n: int) -> Value:
    _check_length(n)
    return np.eye(n)


def _arange(n: int) -> Value:
    _check_length(n)
    return np.arange(n, dtype=np.float64)


def _check_length(length: Value) -> None:
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= limits.CORE_LENGTH:
        raise ExpressionError("a length is out of range", expected=f"1 to {limits.CORE_LENGTH}")


def _core(act: Callable[..., Any]) -> Function:
    """attention_core does its own bookkeeping of infinities, so its warnings are not ours to raise."""

    @functools.wraps(act)
    def call(*positional: Value, **named: Value) -> Value:
        for value in (*positional, *named.values()):
            _check_core(value)
        with np.errstate(all="ignore"):
            return act(*positional, **named)

    return Function(call)


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


def _traced(act: Callable[..., Any]) -> Function:
    def call(*positional: Value, fault: str = "", **named: Value) -> Value:
        steps = steps_with(fault) if fault else pipeline.RIGHT
        return dict(act(*positional, steps=steps, **named))

    return _core(call)


def _mask(act: Callable[..., Any]) -> Function:
    @functools.wraps(act)
    def call(first: Value, **named: Value) -> Value:
        for name in ("queries", "keys"):
            if name in named:
                _check_length(named[name])
        if isinstance(first, np.ndarray):
            return act([int(length) for length in first], **named)
        _check_length(first)
        return act(first, **named)

    return _core(call)


def _counts() -> Mapping[str, Function]:
    """Every public function of attention_core.costs: exact integers of any size the limits allow."""
    found = inspect.getmembers(costs, inspect.isfunction)
    return {
        name: Function(act)
        for name, act in found
        if act.__module__.startswith(f"{costs.__name__}.") and not name.startswith("_")
    }


WORDS: Mapping[str, Value] = Namespace(
    {
        "pi": math.pi, "e": math.e, "inf": math.inf, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
        "sqrt": _elementwise(np.sqrt), "exp": _elementwise(np.exp), "log": _elementwise(np.log),
        "log2": _elementwise(np.log2), "tanh": _elementwise(np.tanh), "sin": _elementwise(np.sin),
        "cos": _elementwise(np.cos), "abs": _elementwise(abs), "floor": _rounding(math.floor, np.floor),
        "ceil": _rounding(math.ceil, np.ceil), "round": Function(_round), "where": Function(_where),
        "sum": Function(_total), "mean": _reduction(np.mean), "max": _reduction(np.max),
        "min": _reduction(np.min), "var": _reduction(np.var), "std": _reduction(np.std),
        "argmax": _reduction(np.argmax),
        "transpose": Function(_transpose), "shape": Function(_shape), "eye": Function(_eye),
        "zeros": _made(np.zeros), "ones": _made(np.ones), "arange": Function(_arange),
        "softmax": _core(softmax), "log_sum_exp": _core(log_sum_exp),
        "attention": _core(attention_core.attention), "trace": _traced(pipeline.trace),
        "trace_from_x": _traced(pipeline.trace_from_x),
        "masks": Namespace({name: _mask(getattr(masks, name)) for name in ("causal", "window", "padding")}),
        "costs": Namespace(_counts()),
        "chapter": examples.example(examples.CHAPTER), "contrast": examples.example(examples.CONTRAST),
        "cross": examples.example(examples.CROSS),
    }
)  # fmt: skip
