"""What is looked at in the outputs of a probe: a row before and after, a few numbers by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from quiz.exercises.formatting import MINUS
from quiz.exercises.types import Text

Numbers = npt.NDArray[np.float64]
Outputs = Sequence[Numbers]
Kind = Literal["same", "moves", "other"]
PLACES = 3

BEFORE, AFTER = Text("改之前", "before"), Text("改之后", "after")
FIRST, SECOND = Text("第一次", "first"), Text("第二次", "second")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """`place` is the row (or column) looked at, from 1; each line is a heading and its numbers."""

    place: int
    lines: tuple[tuple[Text, tuple[str, ...]], ...]


Look = Callable[[Outputs], Seen]


def written(numbers: Numbers) -> tuple[str, ...]:
    """Three decimals, a real minus sign, and NaN by its name."""
    return tuple(_number(float(number)) for number in numbers)


def _number(number: float) -> str:
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "∞"
    return f"{number + 0.0:.{PLACES}f}".replace(f"-{0:.{PLACES}f}", f"{0:.{PLACES}f}").replace("-", MINUS)


def rows_of(*rows: int, before: Text = BEFORE, after: Text = AFTER, heads: slice | None = None) -> Look:
    """The first of these rows (from 1) that differs most between the two outputs, in both; of some `heads`
    where there are several."""

    def look(outputs: Outputs) -> Seen:
        one, other = (
            output if heads is None else output[heads].reshape(-1, output.shape[-1]) for output in outputs
        )
        wanted = [row - 1 for row in rows] or list(range(len(one)))
        gaps = [_gap(one[row], other[row]) for row in wanted]
        row = wanted[int(np.argmax(gaps))]
        return Seen(place=row + 1, lines=((before, written(one[row])), (after, written(other[row]))))

    return look


def _gap(one: Numbers, other: Numbers) -> float:
    unlike = np.isnan(one) != np.isnan(other)
    return math.inf if bool(unlike.any()) else float(np.nan_to_num(np.abs(one - other)).max())


def one_row(row: int, name: Text) -> Look:
    """One row (from 1) of the only output."""
    return lambda outputs: Seen(place=row, lines=((name, written(outputs[0][row - 1])),))


def first_column(name: Text) -> Look:
    """The first number of every row, where all numbers of a row are the same."""
    return lambda outputs: Seen(place=1, lines=((name, written(outputs[0][:, 0])),))


def bounds(values: Numbers) -> Look:
    """The column in which the output leaves the values farthest behind: their range, and the output there."""

    def look(outputs: Outputs) -> Seen:
        low, high = values.min(axis=0), values.max(axis=0)
        beyond = np.maximum(outputs[0] - high, low - outputs[0]).max(axis=0)
        column = int(np.argmax(beyond))
        ends = (
            Text("最小、最大的 value", "least, largest value"),
            written(np.array([low[column], high[column]])),
        )
        return Seen(
            place=column + 1,
            lines=(ends, (Text("各行的输出", "output by row"), written(outputs[0][:, column]))),
        )

    return look


def two_weights(*names: Text) -> Look:
    """The first two weights of each output's first row, and their ratio."""

    def look(outputs: Outputs) -> Seen:
        lines = []
        for name, output in zip(names, outputs, strict=True):
            first, second = (float(weight) for weight in output.reshape(-1, output.shape[-1])[0][:2])
            ratio = first / second if second else math.inf
            lines.append((name, written(np.array([first, second, ratio]))))
        return Seen(place=1, lines=tuple(lines))

    return look
