"""Compact tables of a run: a row a size, a column a way. Speed-up against a baseline, and errors.

Made of the rows alone, for every demonstration whose rows have a time or an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from quiz.lab.demos.comparing import verdict
from quiz.lab.demos.demo import Demo
from quiz.lab.formatting import times
from quiz.lab.results import Row


@dataclass(frozen=True, kw_only=True)
class Grid:
    """`lines`: a size and a cell for each head. `symbol` heads the sizes."""

    slug: str
    title: str
    symbol: str
    heads: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...]
    note: str


def grids(rows: Sequence[Row], demo: Demo) -> tuple[Grid, ...]:
    """Those of the two tables that the rows have data for."""
    return tuple(grid for grid in (speed_up(rows, demo), errors(rows, demo)) if grid is not None)


def speed_up(rows: Sequence[Row], demo: Demo) -> Grid | None:
    """How many times as fast each way is as the first measured baseline; None without both."""
    placed = _placed(rows)
    timed = {way for (way, _x), row in placed.items() if row.is_measured and row.median}
    baseline = next((way for way in demo.baselines if way in timed), None)
    ways = [way for way in _ways(rows) if way != baseline]
    if baseline is None or not timed & set(ways):
        return None
    lines = []
    for x in sorted({x for way, x in placed if way == baseline}):
        base = placed[baseline, x]
        if base.is_measured:
            lines.append((x, tuple(_ratio(placed.get((way, x)), base) for way in ways)))
    return Grid(
        slug="speed-up",
        title=_("Speed-up against %(way)s") % {"way": baseline},
        symbol=demo.symbol,
        heads=tuple(ways),
        lines=tuple(lines),
        note=_(
            "The median time of %(way)s divided by that of the way: above 1 is faster. “even”: the quartiles "
            "overlap, so this run does not tell."
        )
        % {"way": baseline},
    )


def errors(rows: Sequence[Row], demo: Demo) -> Grid | None:
    """The largest error of each way beside what is allowed there; None where no row has an error."""
    placed = _placed(rows)
    known = {place: row for place, row in placed.items() if row.number("error") is not None}
    if not known:
        return None
    ways = [way for way in _ways(rows) if any(way == other for other, _x in known)]
    lines = []
    for x in sorted({x for _way, x in known}):
        allowed = {row.number("allowed_error") for (_way, size), row in known.items() if size == x} - {None}
        most = _number(max(value for value in allowed if value is not None)) if allowed else "–"
        lines.append((x, (*(_error(placed.get((way, x))) for way in ways), most)))
    return Grid(
        slug="errors",
        title=_("Largest error"),
        symbol=demo.symbol,
        heads=(*ways, _("allowed")),
        lines=tuple(lines),
        note=_("Against float64, checked before any timing. “!”: wrong, so it has no time."),
    )


def _placed(rows: Sequence[Row]) -> dict[tuple[str, int], Row]:
    """Rows by (way, size); empty when these two do not tell the rows apart."""
    found = {(row.way, row.x): row for row in rows}
    return found if len(found) == len(rows) else {}


def _ways(rows: Sequence[Row]) -> list[str]:
    """In the order in which they were measured first."""
    return list(dict.fromkeys(row.way for row in rows))


def _ratio(row: Row | None, base: Row) -> str:
    if row is None:
        return "–"
    if not row.is_measured or not row.median or not base.median:
        return "✗" if row.lacks_memory else "!"
    if verdict((row, base)) == "even":
        return _("even")
    return f"{times(base.median / row.median)}×"


def _error(row: Row | None) -> str:
    value = None if row is None else row.number("error")
    if row is None or value is None:
        return "–"
    return _number(value) if row.is_measured else f"{_number(value)} !"


def _number(value: float) -> str:
    return f"{value:.1e}" if value else "0"
