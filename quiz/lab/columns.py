"""The columns of a run's table: each demonstration picks some, and may add its own.

The same cells are printed on the page and in a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quiz.figures.axes import significant
from quiz.lab.formatting import milliseconds, rate, size
from quiz.lab.results import Row

MOST_LAUNCHED = 4  # names of CUDA kernels in a cell; the exports have all
LONGEST_NAME = 40


@dataclass(frozen=True, kw_only=True)
class Column:
    """`figure`: only a measured point has it; where there is none, the outcome stands in its place."""

    title: Any
    cell: Callable[[Row], str]
    number: bool = True
    figure: bool = True


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What is printed; `span` columns wide."""

    text: str
    number: bool = False
    is_reason: bool = False
    span: int = 1


def cells(row: Row, columns: Sequence[Column]) -> list[Cell]:
    """A row of the table. Neighbouring figures that a point does not have become one cell: its outcome."""
    found: list[Cell] = []
    for column in columns:
        if row.is_measured or not column.figure:
            found.append(Cell(text=column.cell(row), number=column.number))
        elif found and found[-1].is_reason:
            found[-1] = Cell(text=found[-1].text, is_reason=True, span=found[-1].span + 1)
        else:
            mark = "✗" if row.lacks_memory else "!"
            found.append(Cell(text=f"{mark} {row.outcome.label}", is_reason=True))
    return found


def table(rows: Iterable[Row], columns: Sequence[Column]) -> list[list[Cell]]:
    """All rows, by size and then as they were measured."""
    return [cells(row, columns) for row in sorted(rows, key=lambda row: (row.x, row.position))]


def number(name: str) -> Callable[[Row], str]:
    """The cell of a plain number, three significant digits; a dash where there is none."""

    def cell(row: Row) -> str:
        value = row.number(name)
        return "–" if value is None else significant(value)

    return cell


def difference(name: str) -> Callable[[Row], str]:
    """The cell of an error or a difference: `1.5e-07`, or a bare 0."""

    def cell(row: Row) -> str:
        value = row.number(name)
        return "–" if value is None else f"{value:.1e}" if value else "0"

    return cell


def memory(name: str) -> Callable[[Row], str]:
    """The cell of a number of bytes."""
    return lambda row: size(row.number(name))


def _spread(row: Row) -> str:
    return f"{significant(row.low)}–{significant(row.high)}" if row.low and row.high else "–"


def _speed(row: Row) -> str:
    """With the share of the card's peak, where that is published."""
    share = row.number("percent_of_peak")
    told = rate(row.flops_a_second)
    if share is None:
        return told
    return f"{told} ({significant(share, digits=2)} %)"


def _peak(row: Row) -> str:
    """Of the call and, on a card, what the whole process held there by the driver's count."""
    told = size(row.number("peak_bytes"))
    whole = row.number("process_bytes")
    return told if whole is None else _("%(call)s; process: %(whole)s") % {"call": told, "whole": size(whole)}


def _errors(row: Row) -> str:
    """Of the output and, after a slash, of the gradients."""
    found = [difference("error")(row)]
    if row.number("gradient_error") is not None:
        found.append(difference("gradient_error")(row))
    return " / ".join(found)


def _kernel(row: Row) -> str:
    """The operator that was dispatched; on a card, the kernels that it launched and the tuned tile."""
    name = str(row.measurement.get("kernel") or "–").removeprefix("aten::")
    if row.fell_back:
        return f"{_('not the one asked for:')} {name}"
    launched = [_short(kernel) for kernel in str(row.measurement.get("launched") or "").split("; ") if kernel]
    if launched:
        shown = list(dict.fromkeys(launched))
        name = f"{name}: {', '.join(shown[:MOST_LAUNCHED])}{'…' if len(shown) > MOST_LAUNCHED else ''}"
    tile = row.measurement.get("tile")
    return f"{name} [{tile}]" if tile else name


def _short(kernel: str) -> str:
    """A CUDA kernel without its namespaces, template arguments and parameters."""
    bare = kernel.removeprefix("void ").partition("<")[0].partition("(")[0].rpartition("::")[2]
    return bare if len(bare) <= LONGEST_NAME else f"{bare[:LONGEST_NAME]}…"


WAY = Column(title=gettext_lazy("way"), cell=lambda row: row.way, number=False, figure=False)
LENGTH = Column(title="n", cell=lambda row: str(row.x), figure=False)
MEDIAN = Column(title=gettext_lazy("median, ms"), cell=number("median_ms"))
QUARTILES = Column(title=gettext_lazy("quartiles, ms"), cell=_spread)
CALLS = Column(title=gettext_lazy("calls"), cell=lambda row: str(row.measurement.get("n") or "–"))
COLD = Column(title=gettext_lazy("first call"), cell=lambda row: milliseconds(row.number("cold_ms")))
SPEED = Column(title=gettext_lazy("speed"), cell=_speed)
PEAK = Column(title=gettext_lazy("peak"), cell=_peak, figure=False)
PREDICTED = Column(title=gettext_lazy("predicted"), cell=memory("predicted_peak_bytes"), figure=False)
ERROR = Column(title=gettext_lazy("largest error"), cell=difference("error"), figure=False)
ERRORS = Column(title=gettext_lazy("largest error"), cell=_errors, figure=False)
KERNEL = Column(title=gettext_lazy("kernel that ran"), cell=_kernel, number=False, figure=False)
