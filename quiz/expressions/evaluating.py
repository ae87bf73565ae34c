"""Walk a checked tree to its value."""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping

import numpy as np

from quiz.expressions import limits
from quiz.expressions.arithmetic import combine, negate
from quiz.expressions.errors import ExpressionError
from quiz.expressions.parsing import column_of, parse
from quiz.expressions.values import Function, Namespace, Value, array_of, settle
from quiz.expressions.vocabulary import WORDS


def evaluate(source: str, names: Mapping[str, object] | None = None) -> Value:
    """The value of an expression: a number, bool, array or shape. Names given come before the words.

    Names may be numbers, lists, arrays, tuples, short texts and mappings of these (reached by a dot).
    Raises ExpressionError and nothing else.
    """
    value = _value_of(source, names)
    if isinstance(value, Namespace):
        raise ExpressionError("this names no number", column=1, expected="a number, an array or a shape")
    return value


def define(source: str, names: Mapping[str, object] | None = None) -> Value:
    """As `evaluate`, for a value that gets a name: it may be a group too, such as what `trace(…)` gives."""
    return _value_of(source, names)


def _value_of(source: str, names: Mapping[str, object] | None) -> Value:
    tree = parse(source)
    given = {name: settle(value) for name, value in (names or {}).items()}
    walk = _Walk({**WORDS, **given})
    with np.errstate(divide="raise", invalid="raise", over="raise", under="ignore"):
        value = walk.value_of(tree)
    if isinstance(value, str | Function):
        raise ExpressionError(
            "this names no number", column=column_of(tree), expected="a number, an array or a shape"
        )
    if _has_nan(value):
        raise ExpressionError("the result is not a number (NaN)", column=column_of(tree))
    return value


def _has_nan(value: Value) -> bool:
    if isinstance(value, Namespace):
        return False  # a part of it is looked at when it is asked for
    if isinstance(value, tuple):
        return any(_has_nan(entry) for entry in value)
    return not isinstance(value, int) and bool(np.any(np.isnan(value)))


class _Walk:
    """One evaluation: its names and its deadline. Errors get the column of the innermost node that failed."""

    def __init__(self, names: Mapping[str, Value]) -> None:
        self._names = names
        self._deadline = time.thread_time() + limits.SECONDS

    def value_of(self, node: ast.expr) -> Value:
        if time.thread_time() > self._deadline:
            raise ExpressionError("the expression takes too long", column=column_of(node))
        try:
            return self._visit(node)
        except ExpressionError as error:
            if error.column:
                raise
            raise ExpressionError(error.message, column=column_of(node), expected=error.expected) from None

    def _visit(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=constant):
                return settle(constant)
            case ast.Name(id=name):
                return self._look_up(self._names, name)
            case ast.UnaryOp(op=symbol, operand=operand):
                return negate(self.value_of(operand), symbol)
            case ast.BinOp(op=symbol, left=left, right=right):
                return combine(symbol, self.value_of(left), self.value_of(right))
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                return combine(comparison, self.value_of(left), self.value_of(right))
            case ast.List(elts=entries):
                return self._list([self.value_of(entry) for entry in entries])
            case ast.Tuple(elts=entries):
                return settle(tuple(self.value_of(entry) for entry in entries))
            case ast.Attribute(value=group, attr=name):
                return self._member(self.value_of(group), name)
            case ast.Subscript(value=whole, slice=index):
                return self._element(self.value_of(whole), self.value_of(index))
            case ast.Call():
                return self._call(node)
        raise ExpressionError(f"{type(node).__name__} is not in the notation")

    def _look_up(self, names: Mapping[str, Value], name: str) -> Value:
        if name not in names:
            raise ExpressionError(f"the name {name!r} is not known")
        return names[name]

    def _list(self, entries: list[Value]) -> Value:
        if any(not isinstance(entry, bool | int | float | np.ndarray) for entry in entries):
            raise ExpressionError("a list holds something else", expected="numbers or rows of numbers")
        return array_of(entries)

    def _member(self, group: Value, name: str) -> Value:
        if not isinstance(group, Namespace):
            raise ExpressionError(f"nothing here is named .{name}", expected="a group before the dot")
        return self._look_up(group, name)

    def _element(self, whole: Value, index: Value) -> Value:
        indices = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, bool) or not isinstance(i, int) for i in indices):
            raise ExpressionError("an index is not a whole number", expected="whole numbers, counted from 0")
        if not isinstance(whole, np.ndarray | tuple):
            raise ExpressionError("a number has no elements", expected="an array before the bracket")
        try:
            if isinstance(whole, tuple) and len(indices) == 1:
                return settle(whole[indices[0]])
            return settle(np.asarray(whole)[indices])
        except IndexError:
            raise ExpressionError(f"no element {index} in an array of shape {np.shape(whole)}") from None

    def _call(self, node: ast.Call) -> Value:
        function = self.value_of(node.func)
        if not isinstance(function, Function):
            raise ExpressionError("only functions can be called", expected="one of the words, such as sqrt")
        positional = [self.value_of(argument) for argument in node.args]
        named = {str(word.arg): self.value_of(word.value) for word in node.keywords}
        if any(isinstance(argument, Function) for argument in (*positional, *named.values())):
            raise ExpressionError("a function cannot be an argument", expected="values")
        try:
            function.signature.bind(*positional, **named)
            return settle(function.call(*positional, **named))
        except ExpressionError:
            raise
        except Exception as error:  # whatever a function refuses is the expression's error, never the page's
            raise ExpressionError(f"{ast.unparse(node.func)}: {error}") from None
