"""The one error of expressions: where, what is wrong, and what was expected instead."""

from __future__ import annotations


class ExpressionError(ValueError):
    """`column` counts from 1 in the source, 0 where it is not known yet; `expected` may be empty."""

    def __init__(self, message: str, *, column: int = 0, expected: str = "") -> None:
        self.message = message
        self.column = column
        self.expected = expected
        super().__init__(str(self))

    def __str__(self) -> str:
        tail = f"; expected {self.expected}" if self.expected else ""
        place = f"column {self.column}: " if self.column else ""
        return f"{place}{self.message}{tail}"
