"""The two charts of most demonstrations: time with quartiles, memory beside the predicted one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from quiz.figures.series import Chart, Gap, Mark, Series, Words
from quiz.lab.results import Row

MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class Axes:
    """A chart's own titles."""

    title: str
    x: str
    y: str


def time_chart(rows: Sequence[Row], ways: Sequence[str], axes: Axes | None = None) -> Chart:
    """Median milliseconds with quartiles; what has no time stands in the band."""
    axes = axes or Axes(
        title=_("Time against length"),
        x=_("sequence length n"),
        y=_("milliseconds (median; bars: quartiles)"),
    )
    series = []
    for name, own in by_way(rows, ways):
        marks = tuple(
            Mark(x=row.x, y=row.median, low=row.low, high=row.high)
            for row in own
            if row.is_measured and row.median is not None
        )
        series.append(Series(name=name, marks=marks, gaps=gaps(own)))
    return Chart(
        slug="time",
        title=axes.title,
        description=description(series, _("milliseconds")),
        x_title=axes.x,
        y_title=axes.y,
        series=tuple(series),
        words=words(),
    )


def memory_chart(rows: Sequence[Row], ways: Sequence[str], axes: Axes | None = None) -> Chart:
    """Measured peak beyond the inputs, in MiB, beside the prediction."""
    axes = axes or Axes(
        title=_("Peak memory against length"),
        x=_("sequence length n"),
        y=_("MiB beyond the inputs (peak of one call)"),
    )
    series = []
    for name, own in by_way(rows, ways):
        marks = tuple(Mark(x=row.x, y=row.peak / MIB) for row in own if row.is_measured and row.peak)
        predicted = tuple((float(row.x), row.predicted / MIB) for row in own if row.predicted)
        series.append(Series(name=name, marks=marks, gaps=gaps(own), predicted=predicted))
    return Chart(
        slug="memory",
        title=axes.title,
        description=description(series, "MiB"),
        x_title=axes.x,
        y_title=axes.y,
        series=tuple(series),
        words=words(),
    )


def by_way(rows: Sequence[Row], ways: Sequence[str]) -> list[tuple[str, list[Row]]]:
    """Only ways that the run asked for, in the given order; rows by size."""
    found = []
    for way in ways:
        own = sorted((row for row in rows if row.way == way), key=lambda row: row.x)
        if own:
            found.append((way, own))
    return found


def gaps(rows: Sequence[Row]) -> tuple[Gap, ...]:
    return tuple(
        Gap(x=row.x, reason=str(row.outcome.label), memory=row.lacks_memory)
        for row in rows
        if not row.is_measured
    )


def description(series: Sequence[Series], unit: str) -> str:
    """One sentence for those who cannot see the chart: each line from its first to its last value."""
    parts = []
    for line in series:
        if line.drawn:
            first, last = line.drawn[0], line.drawn[-1]
            parts.append(
                _("%(name)s: %(first).3g at %(from)d to %(last).3g at %(to)d")
                % {"name": line.name, "first": first.y, "from": first.x, "last": last.y, "to": last.x}
            )
        if line.missing:
            lengths = ", ".join(f"{gap.x:g}" for gap in line.missing)
            parts.append(_("%(name)s: no value at %(lengths)s") % {"name": line.name, "lengths": lengths})
    return f"{'; '.join(parts)} ({unit})" if parts else _("Nothing measured yet")


def words() -> Words:
    return Words(
        table=_("The data as a table"),
        nothing=_("Nothing measured yet"),
        memory=_("not enough memory"),
        other=_("see the table"),
        predicted=_("predicted"),
    )
