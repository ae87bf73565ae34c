"""A matrix as code to paste elsewhere: NumPy, torch, LaTeX. Every number is exact, none rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence

Nested = float | Sequence["Nested"]


def _literal(value: Nested, infinity: str) -> str:
    if isinstance(value, Sequence):
        return "[" + ", ".join(_literal(item, infinity) for item in value) + "]"
    return infinity if math.isinf(value) else repr(value)


def as_numpy(value: Nested) -> str:
    """`np.array([[1, 2], [3, 4]])`"""
    return f"np.array({_literal(value, '-np.inf')})"


def as_torch(value: Nested) -> str:
    """`torch.tensor([[1, 2], [3, 4]], dtype=torch.float64)`"""
    return f"torch.tensor({_literal(value, '-math.inf')}, dtype=torch.float64)"


def as_latex(value: Nested) -> str:
    r"""`\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}`; a vector is one row."""
    rows = value if isinstance(value, Sequence) else [value]
    if not any(isinstance(row, Sequence) for row in rows):
        rows = [rows]
    lines = [" & ".join(_tex(cell) for cell in row) for row in rows if isinstance(row, Sequence)]
    return r"\begin{bmatrix} " + r" \\ ".join(lines) + r" \end{bmatrix}"


def _tex(value: Nested) -> str:
    if isinstance(value, Sequence):
        return _literal(value, r"-\infty")
    return r"-\infty" if math.isinf(value) else repr(value)
