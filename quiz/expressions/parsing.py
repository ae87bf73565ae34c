"""Source to a checked tree: only the characters, nodes and sizes that the notation has."""

from __future__ import annotations

import ast
import re

from quiz.expressions import limits
from quiz.expressions.errors import ExpressionError

_CHARACTERS = re.compile(r"""[A-Za-z0-9_ .,+\-*/%@()\[\]=<>!"'\n\t]*""")
# A name glued to a number, such as 2x: Python reads some of these with a warning only.
_GLUED = re.compile(r"(?<![\w.])(?>\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)[A-Za-z_]")
_WRITTEN = {
    ast.Constant: "number",
    ast.Name: "name",
    ast.UnaryOp: "sign",
    ast.BinOp: "arithmetic",
    ast.Compare: "comparison",
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Call: "call",
    ast.Attribute: "dot",
    ast.Subscript: "element",
    ast.keyword: "argument",
}
_OPERATORS = (
    ast.UAdd, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Load,
)  # fmt: skip


def parse(source: str) -> ast.expr:
    """The tree of an expression, or ExpressionError at the first thing that is not in the notation."""
    if len(source) > limits.SOURCE_LENGTH:
        raise ExpressionError(
            "the expression is too long", expected=f"at most {limits.SOURCE_LENGTH} characters"
        )
    known = _CHARACTERS.match(source)
    if known is not None and known.end() < len(source):
        wrong = source[known.end()]
        raise ExpressionError(f"the character {wrong!r} has no meaning here", column=known.end() + 1)
    glued = _GLUED.search(source)
    if glued is not None:
        raise ExpressionError("a number runs into a name", column=glued.start() + 1, expected="an operator")
    line = source.replace("\n", " ").replace("\t", " ")
    indent = len(line) - len(line.lstrip())
    if not line.strip():
        raise ExpressionError("nothing is written", column=1, expected="an expression")
    try:
        tree = ast.parse(line.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        column = indent + (getattr(error, "offset", None) or len(line.strip()) + 1)
        raise ExpressionError("this cannot be read as an expression", column=column) from None
    except (RecursionError, MemoryError):
        raise ExpressionError("the expression is nested too deeply", column=1) from None
    _check(tree, indent)
    return tree


def column_of(node: ast.AST) -> int:
    return int(getattr(node, "col_offset", 0)) + 1


def _check(tree: ast.expr, indent: int) -> None:
    """Walk without recursion, so that depth can be refused; columns come to count from the source's start."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
    seen = 0
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, _OPERATORS):
            continue
        seen += 1
        if isinstance(node, ast.expr):
            node.col_offset += indent
        if seen > limits.NODES or depth > limits.DEPTH:
            raise ExpressionError("the expression is too large", column=column_of(node))
        _check_node(node)
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _check_node(node: ast.AST) -> None:
    column = column_of(node)
    if type(node) not in _WRITTEN:
        raise ExpressionError(
            f"{type(node).__name__} is not in the notation",
            column=column,
            expected="arithmetic, names and calls",
        )
    if isinstance(node, ast.Constant) and type(node.value) not in (bool, int, float, str):
        raise ExpressionError(f"{node.value!r} is not a number", column=column)
    if isinstance(node, ast.Compare) and len(node.ops) != 1:
        raise ExpressionError("comparisons cannot be chained", column=column, expected="one comparison")
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if name.startswith("_"):
        raise ExpressionError(f"the name {name!r} begins with an underscore", column=column)
    if isinstance(node, ast.keyword) and node.arg is None:
        raise ExpressionError("** is not in the notation", column=column, expected="name=value")
