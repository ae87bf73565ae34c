"""A run as its page shows it: where it stands, what it found, what may be done with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from quiz.accounts.people import Person
from quiz.figures.series import Chart
from quiz.lab import demos
from quiz.lab.columns import Cell, table
from quiz.lab.demos.demo import Demo, Insight
from quiz.lab.device import Device
from quiz.lab.formatting import duration
from quiz.lab.forms import state
from quiz.lab.models import Run
from quiz.lab.offering import Seen
from quiz.lab.overview import Grid, grids
from quiz.lab.reasons import translated
from quiz.lab.results import Row, machine_parts, machines, rows_of
from quiz.lab.starting import may_cancel
from quiz.work import jobs
from quiz.work.models import Job, State


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run in a list."""

    run: Run
    title: str
    summary: str

    @property
    def may_compare(self) -> bool:
        return self.run.job.state == State.DONE


def run_name(run: Run) -> str:
    """What a run is called on every page."""
    return _("Run %(number)s") % {"number": run.pk}


def lines(runs: Iterable[Run]) -> list[Line]:
    """Runs of demonstrations that exist, for a list."""
    found = []
    for run in runs:
        try:
            demo = demos.get(run.demo)
        except demos.UnknownDemo:
            continue
        found.append(
            Line(run=run, title=str(demo.title), summary=demo.summary(demo.complete(run.parameters)))
        )
    return found


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What a run found, whether it is in the database, stored with the code, or made in a terminal.

    `prefix` keeps the element ids of several on one page apart.
    """

    demo: Demo
    parameters: dict[str, Any]
    rows: list[Row]
    prefix: str = ""

    @property
    def all_points(self) -> int:
        return len(self.demo.points(self.parameters))

    @property
    def summary(self) -> str:
        return self.demo.summary(self.parameters)

    @property
    def again(self) -> str:
        """The query of the first page with the same parameters."""
        return state(self.demo, self.parameters).urlencode()

    @property
    def table(self) -> list[list[Cell]]:
        return table(self.rows, self.demo.columns)

    @property
    def measured(self) -> int:
        return sum(row.is_measured for row in self.rows)

    @cached_property
    def charts(self) -> tuple[Chart, ...]:
        return tuple(
            replace(chart, slug=f"{self.prefix}{chart.slug}") for chart in self.demo.charts(self.rows)
        )

    @cached_property
    def pictures(self) -> tuple[SafeString, ...]:
        return self.demo.pictures(self.rows)

    @cached_property
    def insight(self) -> Insight:
        return self.demo.insight(self.rows)

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        return grids(self.rows, self.demo)

    @property
    def machines(self) -> list[dict[str, Any]]:
        return machines(self.rows)

    @property
    def machine_name(self) -> str:
        """The card, or the processor, of the first machine; empty where none is known."""
        for machine in self.machines:
            card = str(machine.get("device") or "")
            return str(machine.get("processor") or "") if card in ("", "cpu") else card
        return ""

    @property
    def machine_lines(self) -> list[str]:
        """Each machine with its versions and how often a point was called, in a line."""
        repeated = _("%(n)s calls a point") % {"n": self.repetitions} if self.repetitions else ""
        return [" · ".join(filter(None, (*machine_parts(machine), repeated))) for machine in self.machines]

    @property
    def measured_at(self) -> datetime | None:
        return max((row.measured_at for row in self.rows), default=None)

    @property
    def on_cpu(self) -> bool:
        return any(machine.get("device") == "cpu" for machine in self.machines)

    @property
    def without_figures(self) -> list[str]:
        """Why points have none: a line for each reason, with all that share it."""
        named: dict[str, list[str]] = {}
        for row in self.rows:
            if not row.is_measured:
                named.setdefault(row.reason, []).append(row.name)
        return [f"{', '.join(names)}: {reason}" for reason, names in named.items()]

    @property
    def repetitions(self) -> str:
        """The smallest and largest number of repetitions; empty where nothing is repeated."""
        counts = {int(row.measurement.get("n") or 0) for row in self.rows if row.is_measured} - {0}
        return "–".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else ""


def findings(run: Run, demo: Demo) -> Findings:
    """What is stored of a run. One query, unless its points are there already."""
    return Findings(demo=demo, parameters=demo.complete(run.parameters), rows=rows_of(run.points.all(), demo))


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """Everything the templates of a run need; built with a fixed number of queries."""

    run: Run
    found: Findings
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
    def failure(self) -> str:
        """Why the run failed, in the reader's language."""
        return translated(self.job.failure)

    @property
    def elapsed(self) -> str:
        if self.job.started_at is None:
            return ""
        return duration(((self.job.finished_at or self.now) - self.job.started_at).total_seconds())


@dataclass(frozen=True, kw_only=True)
class WorkerLine:
    """A live worker: what it is, and the run that it is measuring."""

    name: str
    device: Device | None
    run: int | None


def worker_lines(workers: Iterable[Seen]) -> list[WorkerLine]:
    """Live workers with what each is doing now. One query."""
    running = dict(Run.objects.filter(job__state=State.RUNNING).values_list("job__worker", "pk"))
    return [
        WorkerLine(name=worker.name, device=worker.device, run=running.get(worker.name)) for worker in workers
    ]


def run_page(run: Run, person: Person, *, now: datetime) -> RunPage:
    """Read a run (with its job) for a person."""
    demo = demos.get(run.demo)
    return RunPage(
        run=run,
        found=findings(run, demo),
        now=now,
        before=jobs.position(run.job),
        may_cancel=not run.job.is_finished and may_cancel(person, run),
        workers=0 if run.job.is_finished else len(jobs.workers_alive(now, queue=run.job.queue)),
    )
