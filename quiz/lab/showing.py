"""A run as its page shows it: where it stands, what it found, what may be done with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from quiz.accounts.people import Person
from quiz.figures.axes import significant
from quiz.figures.series import Chart
from quiz.lab import demos
from quiz.lab.demos.demo import Demo, Insight
from quiz.lab.formatting import duration, milliseconds, rate, size
from quiz.lab.forms import state
from quiz.lab.models import Run
from quiz.lab.results import Row, machines, rows_of
from quiz.lab.starting import may_cancel
from quiz.work import jobs
from quiz.work.models import Job, State


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run in a list."""

    run: Run
    title: str
    summary: str


def lines(runs: Iterable[Run]) -> list[Line]:
    """Runs of demonstrations that exist, for a list."""
    found = []
    for run in runs:
        try:
            demo = demos.get(run.demo)
        except demos.UnknownDemo:
            continue
        found.append(Line(run=run, title=str(demo.title), summary=demo.summary(run.parameters)))
    return found


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """One row of the run's table, every cell ready to print."""

    row: Row
    length: str
    median: str
    spread: str
    cold: str
    n: str
    rate: str
    peak: str
    predicted: str
    error: str
    kernel: str


def table_row(row: Row) -> TableRow:
    """Cells of a point; a dash where there is no figure."""
    spread = f"{significant(row.low)}–{significant(row.high)}" if row.low and row.high else "–"
    error = row.number("error")
    return TableRow(
        row=row,
        length=str(row.length),
        median=significant(row.median) if row.median else "–",
        spread=spread,
        cold=milliseconds(row.number("cold_ms")),
        n=str(row.measurement.get("n") or "–"),
        rate=rate(row.flops_a_second),
        peak=size(row.peak),
        predicted=size(row.predicted),
        error="–" if error is None else f"{error:.1e}",
        kernel=str(row.measurement.get("kernel") or "–").removeprefix("aten::"),
    )


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """Everything the templates of a run need; built with a fixed number of queries."""

    run: Run
    demo: Demo
    rows: list[Row]
    now: datetime
    before: int
    may_cancel: bool
    workers: int

    @property
    def job(self) -> Job:
        return self.run.job

    @property
    def is_finished(self) -> bool:
        return self.job.is_finished

    @property
    def is_waiting(self) -> bool:
        return self.job.state == State.WAITING

    @property
    def all_points(self) -> int:
        return len(self.demo.points(self.run.parameters))

    @property
    def summary(self) -> str:
        return self.demo.summary(self.run.parameters)

    @property
    def again(self) -> str:
        """The query of the first page with the same parameters."""
        return state(self.demo, self.run.parameters).urlencode()

    @property
    def elapsed(self) -> str:
        if self.job.started_at is None:
            return ""
        return duration(((self.job.finished_at or self.now) - self.job.started_at).total_seconds())

    @property
    def table(self) -> list[TableRow]:
        return [table_row(row) for row in sorted(self.rows, key=lambda row: (row.length, row.position))]

    @property
    def measured(self) -> int:
        return sum(row.is_measured for row in self.rows)

    @cached_property
    def charts(self) -> tuple[Chart, ...]:
        return self.demo.charts(self.rows)

    @cached_property
    def insight(self) -> Insight:
        return self.demo.insight(self.rows)

    @property
    def machines(self) -> list[dict[str, Any]]:
        return machines(self.rows)

    @property
    def on_cpu(self) -> bool:
        return any(row.configuration.get("device") == "cpu" for row in self.rows)

    @property
    def without_figures(self) -> list[Row]:
        return [row for row in self.rows if not row.is_measured]

    @property
    def repetitions(self) -> str:
        """The smallest and largest number of repetitions."""
        counts = sorted({int(row.measurement.get("n") or 0) for row in self.rows if row.is_measured})
        return "–".join(str(count) for count in sorted({counts[0], counts[-1]})) if counts else ""


def run_page(run: Run, person: Person, *, now: datetime) -> RunPage:
    """Read a run (with its job) for a person."""
    return RunPage(
        run=run,
        demo=demos.get(run.demo),
        rows=rows_of(run.points.all()),
        now=now,
        before=jobs.position(run.job),
        may_cancel=not run.job.is_finished and may_cancel(person, run),
        workers=0 if run.job.is_finished else len(jobs.workers_alive(now, queue=run.job.queue)),
    )
