"""The lab of a process under test: points take no time and leave a trace, and the process dies where told.

Only `tests.lab.process_settings` installs this. Read from the environment:

- LAB_DIE_AT  `stage` or `stage:n`: the process kills itself (kill -9) when it comes to the stage for the n-th
              time. STAGES are the moments of a run between which a worker can die.
- LAB_LEDGER  the file in which each measuring child writes that it began and that it ended.
- LAB_SECONDS how long such a child measures.
- LAB_PROCESSOR the name of the processor that the worker declares.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MODULE = "tests.lab.quick_measuring"
PROBED = {"torch": "0.0 (planted)", "threads": 1, "kind": "cpu"}
STAGES = (
    "before_claim",  # the place in the queue is taken, the job is not
    "after_claim",  # nothing measured yet
    "measuring",  # a child is at work
    "measured",  # the child has ended, nothing is written
    "in_write",  # the point is in an open transaction
    "written",  # between two points
    "before_finish",  # every point is stored, the job still runs
    "after_finish",  # the job is done, the queue does not know
)


class Fate:
    """Ends the process at the n-th arrival at one stage."""

    def __init__(self, told: str) -> None:
        self.stage, _, count = told.partition(":")
        self.left = int(count or 1)
        assert not told or self.stage in STAGES, told

    def meets(self, stage: str) -> None:
        if stage != self.stage:
            return
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def install() -> None:
    from quiz.lab import demos, device

    for demo in demos.all_demos():
        type(demo).module = MODULE
    device.probe.found = dict(PROBED)
    device._processor = lambda: os.environ.get("LAB_PROCESSOR", "Planted")
    if os.environ.get("LAB_DIE_AT"):
        _doom(Fate(os.environ["LAB_DIE_AT"]))


def _doom(fate: Fate) -> None:
    from quiz.lab import tasks
    from quiz.work import leasing
    from quiz.work.leasing import Lease

    tasks.measure_point = _measuring(fate, tasks.measure_point)  # type: ignore[attr-defined]
    claim, writing, finish = leasing.claim, Lease.writing, Lease.finish

    def doomed_claim(job_id: int, *, worker: str) -> Lease | None:
        fate.meets("before_claim")
        lease = claim(job_id, worker=worker)
        fate.meets("after_claim")
        return lease

    @contextmanager
    def doomed_writing(lease: Lease) -> Iterator[Any]:
        with writing(lease) as job:
            yield job
            fate.meets("in_write")
        fate.meets("written")

    def doomed_finish(lease: Lease) -> None:
        fate.meets("before_finish")
        finish(lease)
        fate.meets("after_finish")

    leasing.claim = doomed_claim
    Lease.writing = doomed_writing  # type: ignore[assignment]
    Lease.finish = doomed_finish  # type: ignore[method-assign]


def _measuring(fate: Fate, measure_point: Callable[..., Any]) -> Callable[..., Any]:
    """Meets "measuring" once a point, as soon as the child has written that it began."""

    def doomed(*arguments: Any, check: Callable[[], None], **named: Any) -> Any:
        before = _children_begun()
        waiting = True

        def checked() -> None:
            nonlocal waiting
            if waiting and _children_begun() > before:
                waiting = False
                fate.meets("measuring")
            check()

        found = measure_point(*arguments, check=checked, **named)
        fate.meets("measured")
        return found

    return doomed


def _children_begun() -> int:
    path = Path(os.environ["LAB_LEDGER"])
    return path.read_text().count("began ") if path.exists() else 0
