"""The lab in a terminal: the list, the cost, a progress bar, the table."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Protocol

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quiz.lab.admission import Assessment
from quiz.lab.columns import Cell
from quiz.lab.demos.demo import Demo, Parameter
from quiz.lab.formatting import duration, size
from quiz.lab.outcomes import Outcome
from quiz.lab.showing import Findings

BAR = 24  # cells


class Terminal(Protocol):
    """What a command writes to."""

    def write(self, msg: str = "", *, ending: str | None = None) -> object: ...

    def flush(self) -> object: ...

    def isatty(self) -> bool: ...


class Bar:
    """`[########----------------] 3/9 flash 256`, redrawn in place; where that cannot be, a line a point."""

    def __init__(self, out: Terminal) -> None:
        self.out = out
        self.width = 0

    def show(self, done: int, *, of: int, doing: str) -> None:
        """`done` of the points are finished; `doing` is being measured, empty at the end."""
        filled = BAR * done // of if of else BAR
        line = f"[{'#' * filled}{'-' * (BAR - filled)}] {done}/{of} {doing}".rstrip()
        if self.out.isatty():
            self.out.write("\r" + _padded(line, self.width), ending="" if doing else "\n")
        else:
            self.out.write(line)
        self.width = cells_wide(line)
        self.out.flush()


def list_lines(demos: Iterable[Demo]) -> list[str]:
    """Every demonstration with its parameters."""
    lines = []
    for demo in demos:
        lines += [demo.slug, f"  {demo.title}", f"  {demo.line}", *parameter_lines(demo), ""]
    return [*lines, "manage.py lab DEMO [--device cpu] [--parameters NAME=VALUE[,VALUE] …] [--json | --csv]"]


def parameter_lines(demo: Demo) -> list[str]:
    """`lengths=128,256,512  Sequence lengths n: 16 32 …`, one a parameter; the value is the default."""
    told = [(f"{p.name}={_default(p)}", f"{p.label}: {_choices(p)}") for p in demo.parameters]
    width = max(cells_wide(given) for given, _meaning in told)
    return [f"    {_padded(given, width)}  {meaning}" for given, meaning in told]


def _default(parameter: Parameter) -> str:
    if parameter.kind == "some":
        return ",".join(str(value) for value in parameter.default)
    if parameter.kind == "switch":
        return "on" if parameter.default else "off"
    return str(parameter.default)


def _choices(parameter: Parameter) -> str:
    if parameter.kind == "switch":
        return "on off"
    return " ".join(str(value) for value, _name in parameter.options)


def cost_lines(found: Assessment) -> list[str]:
    """What a run will cost: points and time, the device, the largest need of each way, what is left out."""
    count = len(found.needs)
    counted = ngettext("%(count)d point", "%(count)d points", count) % {"count": count}
    lines = [_("%(points)s, about %(time)s") % {"points": counted, "time": duration(found.seconds)}]
    if found.device is not None:
        said = {"free": size(found.device.free_bytes), "room": size(found.room)}
        lines.append(f"{found.device.label}; " + _("%(free)s free, of which %(room)s may be used.") % said)
    for need in found.largest:
        terms = " + ".join(f"{term.name} {size(term.size)}" for term in need.terms)
        lines.append(f"  {need.name}: {size(need.total)} = {terms}")
    left_out = [f"{need.name} ({size(need.total)})" for need in found.left_out]
    if left_out:
        lines.append(_("Does not fit, so it is not run:") + " " + ", ".join(left_out))
    return lines


def findings_lines(found: Findings) -> list[str]:
    """The table, why some points have no figures, the machine, and the reading of it all."""
    lines = [str(found.demo.title), found.summary, ""]
    lines += table_lines([str(column.title) for column in found.demo.columns], found.table)
    lines += [f"  {line}" for line in found.without_figures]
    for grid in found.grids:
        body = [
            [Cell(text=str(size)), *(Cell(text=cell, number=True) for cell in told)]
            for size, told in grid.lines
        ]
        lines += ["", grid.title, *table_lines([grid.symbol, *grid.heads], body)]
    if found.measured_at is not None:
        day = formats.date_format(timezone.localtime(found.measured_at), "SHORT_DATETIME_FORMAT")
        lines += ["", *found.machine_lines, f"{Outcome.MEASURED.label} {day}"]
    for title, sentences in (
        (_("What to look at"), found.insight.look),
        (_("What to say in an interview"), found.insight.say),
        ("", found.insight.limits),
    ):
        if sentences:
            lines += ["", *([title] if title else []), *(f"- {sentence}" for sentence in sentences)]
    return lines


def table_lines(titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Columns aligned, numbers to the right. A cell that spans columns counts for none of their widths."""
    widths = [cells_wide(title) for title in titles]
    for row in rows:
        for index, cell in _placed(row):
            if cell.span == 1:
                widths[index] = max(widths[index], cells_wide(cell.text))
    numbers = {index for row in rows for index, cell in _placed(row) if cell.number}
    lines = ["  ".join(_aligned(title, widths[i], right=i in numbers) for i, title in enumerate(titles))]
    for row in rows:
        told = []
        for index, cell in _placed(row):
            width = sum(widths[index : index + cell.span]) + 2 * (cell.span - 1)
            told.append(_aligned(cell.text, width, right=cell.number))
        lines.append("  ".join(told))
    return [line.rstrip() for line in lines]


def _placed(row: Sequence[Cell]) -> list[tuple[int, Cell]]:
    """Each cell with the column that it begins in."""
    found, index = [], 0
    for cell in row:
        found.append((index, cell))
        index += cell.span
    return found


def cells_wide(text: str) -> int:
    """How many cells of a terminal a text takes: Chinese letters take two."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells_wide(text))


def _aligned(text: str, width: int, *, right: bool) -> str:
    return " " * (width - cells_wide(text)) + text if right else _padded(text, width)
