"""A lab seen from outside: its runs, its points, its workers, and every child that ever measured."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.databases import RealDatabase, wait_until
from tests.lab.planted import PARAMETERS

WORKER = ("manage.py", "worker", "lab")
LEASE = 3.0  # the shortest that the settings allow
BACKENDS = ["flash", "naive"]
FOUR_POINTS: dict[str, Any] = {**PARAMETERS, "backends": BACKENDS, "lengths": [16, 32], "heads": 1}


@dataclass(frozen=True)
class Measuring:
    """One child of one worker that began to measure one point."""

    backend: str
    length: int
    heads: int
    worker: int
    pid: int

    @property
    def point(self) -> tuple[str, int, int]:
        return self.backend, self.length, self.heads


class Lab:
    """The lab of `tests.lab.plug` on a real database."""

    def __init__(self, database: RealDatabase, ledger: Path | None = None) -> None:
        self.database = database
        self.ledger = ledger or database.folder / "ledger"

    def environment(self, **extra: str) -> dict[str, str]:
        ours = {
            "DJANGO_SETTINGS_MODULE": "tests.lab.process_settings",
            "QUIZ_LEASE_SECONDS": f"{LEASE:.0f}",
            "LAB_LEDGER": str(self.ledger),
        }
        return ours | extra

    def start(self, parameters: dict[str, Any] = FOUR_POINTS) -> tuple[int, int]:
        """Start a run as a visitor does; the numbers of the run and its job."""
        [started] = self.start_all([parameters])
        return started

    def start_all(self, runs: list[dict[str, Any]]) -> list[tuple[int, int]]:
        told = self.database.run("-m", "tests.lab.actor", *map(json.dumps, runs), **self.environment())
        started = [json.loads(line) for line in told.stdout.splitlines()[-len(runs) :]]
        return [(run, job) for run, job in started]

    def worker(self, log: str, **extra: str) -> subprocess.Popen[str]:
        return self.database.start(*WORKER, log=log, **self.environment(**extra))

    def job(self, job: int) -> dict[str, Any]:
        columns = ("state", "attempt", "lost_leases", "worker", "error", "done_steps")
        [row] = self.database.rows(f"SELECT {', '.join(columns)} FROM quiz_job WHERE id = {job}")
        return dict(zip(columns, row, strict=True))

    def wait_for(self, job: int, state: str, *, seconds: float = 60) -> dict[str, Any]:
        wait_until(lambda: self.job(job)["state"] == state, seconds=seconds, what=f"the run is {state}")
        return self.job(job)

    def points(self, run: int) -> list[tuple[Any, ...]]:
        """(number of the row, position, attempt, outcome) of every stored point."""
        columns = "id, position, attempt, outcome"
        return self.database.rows(
            f"SELECT {columns} FROM quiz_point WHERE run_id = {run} ORDER BY position, id"
        )

    def positions(self, run: int) -> list[int]:
        return [row[1] for row in self.points(run)]

    def begun(self) -> list[Measuring]:
        """Every child that ever began, in order."""
        text = self.ledger.read_text() if self.ledger.exists() else ""
        lines = [line.split() for line in text.splitlines()]
        return [
            Measuring(backend, int(length), int(heads), int(worker), int(pid))
            for word, backend, length, heads, worker, pid in lines
            if word == "began"
        ]

    def log(self, name: str) -> str:
        return self.database.log(name)


def is_gone(pid: int) -> bool:
    """No process has this number, or it is dead and only waits to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def killed(process: subprocess.Popen[str]) -> None:
    """Kill -9 of the process alone, as the system does when memory runs out."""
    os.kill(process.pid, 9)
    process.wait()
