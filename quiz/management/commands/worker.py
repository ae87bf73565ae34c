"""`manage.py worker checks` and `manage.py worker lab`: take jobs from a queue and do them, one at a time.

A lab worker that finds a GPU takes the runs that ask for one too. Another machine joins in with the same
code, the same DATABASE_URL and this command.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django_tasks_db.management.commands.db_worker import Worker as QueueWorker

from quiz.work import stopping
from quiz.work.beating import Beat
from quiz.work.kinds import load_tasks
from quiz.work.leasing import OUTAGES
from quiz.work.models import Queue

logger = logging.getLogger(__name__)

# Seconds between two looks at an empty queue. A person waits for a short job: half of this is the median.
INTERVALS = {Queue.CHECKS.value: 0.05, Queue.LAB.value: 0.25}

LONGEST_PAUSE = 10.0


class StoppableWorker(QueueWorker):
    """The queue's worker; asked to end, it tells the job, which gives itself back at its next check.

    The first signal only sets flags, which the loop sees within its interval: nothing is broken off half-way.
    The second ends the process. When the database goes away the worker waits for it; what it was doing is
    resumed when its lease has run out, by any worker.
    """

    def run(self) -> None:
        self.outlasting(super().run)

    def outlasting(self, work: Callable[[], object]) -> None:
        """Do `work`, from its beginning again whenever the database fails, until asked to end."""
        pause = 0.5
        while self.running:
            begun = time.monotonic()
            try:
                work()
            except OUTAGES as error:
                connection.close()
                if time.monotonic() - begun > LONGEST_PAUSE:
                    pause = 0.5
                logger.warning("the database fails: %s (tried again in %g s)", str(error).strip(), pause)
                self.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return

    def wait(self, seconds: float) -> None:
        """Sleep, but not on when asked to end."""
        until = time.monotonic() + seconds
        while self.running and time.monotonic() < until:
            time.sleep(self.interval)

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        stopping.ask()
        if not self.running:
            super().shutdown(signum, frame)
        self.running = False


class Command(BaseCommand):
    help = "Take jobs from a queue (checks: short jobs; lab: one measurement at a time)."

    requires_system_checks: list[str] = []  # `serve` and `migrate` check; a worker should start at once

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", choices=sorted({queue.worker.value for queue in Queue}))
        parser.add_argument("--parent", type=int, help="end at once when no longer the child of this process")

    def handle(self, *, queue: str, parent: int | None, **_options: Any) -> None:
        logging.getLogger("django_tasks").setLevel(logging.INFO)
        load_tasks()
        queues = [queue]
        beat = Beat(queue, declare=device_reader(queue, queues), parent=parent)
        worker = StoppableWorker(
            queue_names=queues,
            interval=INTERVALS[queue],
            batch=False,
            backend_name="default",
            startup_delay=False,
            max_tasks=None,
            worker_id=beat.name,
            excluded_queue_names=[],
        )
        worker.configure_signals()  # before anyone can see this worker: who sees it may stop it
        try:
            with ExitStack() as stack:
                worker.outlasting(lambda: stack.enter_context(beat))
                worker.run()
        except OUTAGES as error:
            logger.warning("ended while the database fails: %s", str(error).strip())


def device_reader(queue: str, queues: list[str]) -> Callable[[], dict[str, Any]] | None:
    """What declares the lab's device, for a worker of the lab; finding a GPU, it adds its queue to `queues`,
    which the worker looks through each time."""
    if queue != Queue.LAB:
        return None
    declare: Callable[[], dict[str, Any]] = importlib.import_module("quiz.lab.device").declare

    def declared() -> dict[str, Any]:
        found = declare()
        if found["kind"] == "cuda" and Queue.GPU.value not in queues:
            queues.append(Queue.GPU.value)
        return found

    return declared
