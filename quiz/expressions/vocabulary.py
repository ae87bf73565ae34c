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
from quiz.expressions import examples
from quiz.expressions.errors import ExpressionError
from quiz.expressions.layers import LAYERS
from quiz.expressions.matrices import MATRICES
from quiz.expressions.values import Function, Namespace, Value, check_shape
from quiz.expressions.wrapping import check_length, core, elementwise, numbers_only, reduction, rounding


def _total(*values: Value, axis: int | None = None) -> Value:
    """Whole numbers stay exact."""
    if len(values) > 1 and all(isinstance(value, int) for value in values) and axis is None:
        return sum(values)
    return reduction(np.sum).call(*values, axis=axis)


def _round(x: Value, places: int = 0) -> Value:
    numbers_only(x)
    if not isinstance(places, int) or not 0 <= places <= 12:
        raise ExpressionError("the places are not a small whole number", expected="0 to 12 places")
    return int(np.round(x)) if np.ndim(x) == 0 and places == 0 else np.round(x, places)


def _where(condition: Value, a: Value, b: Value) -> Value:
    numbers_only(condition, a, b)
    check_shape(np.broadcast_shapes(np.shape(condition), np.shape(a), np.shape(b)))
    return np.where(condition, a, b)


def _traced(act: Callable[..., Any]) -> Function:
    def call(*positional: Value, fault: str = "", **named: Value) -> Value:
        steps = steps_with(fault) if fault else pipeline.RIGHT
        return dict(act(*positional, steps=steps, **named))

    return core(call)


def _mask(act: Callable[..., Any]) -> Function:
    @functools.wraps(act)
    def call(first: Value, **named: Value) -> Value:
        for name in ("queries", "keys"):
            if name in named:
                check_length(named[name])
        if isinstance(first, np.ndarray):
            return act([int(length) for length in first], **named)
        check_length(first)
        return act(first, **named)

    return core(call)


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
        "sqrt": elementwise(np.sqrt), "exp": elementwise(np.exp), "log": elementwise(np.log),
        "log2": elementwise(np.log2), "tanh": elementwise(np.tanh), "sin": elementwise(np.sin),
        "cos": elementwise(np.cos), "abs": elementwise(abs), "floor": rounding(math.floor, np.floor),
        "ceil": rounding(math.ceil, np.ceil), "round": Function(_round), "where": Function(_where),
        "sum": Function(_total), "mean": reduction(np.mean), "max": reduction(np.max),
        "min": reduction(np.min), "var": reduction(np.var), "std": reduction(np.std),
        "argmax": reduction(np.argmax),
        **MATRICES, **LAYERS,
        "attention": core(attention_core.attention), "trace": _traced(pipeline.trace),
        "trace_from_x": _traced(pipeline.trace_from_x),
        "masks": Namespace({name: _mask(getattr(masks, name)) for name in ("causal", "window", "padding")}),
        "costs": Namespace(_counts()),
        "chapter": examples.example(examples.CHAPTER), "contrast": examples.example(examples.CONTRAST),
        "cross": examples.example(examples.CROSS),
    }
)  # fmt: skip


def is_word(name: str) -> bool:
    """Whether the notation has this name, so that an author should take another."""
    return name in WORDS
