"""`manage.py worker checks` and `manage.py worker lab`: take jobs from a queue and do them, one at a time.

Another machine joins in with the same code, the same DATABASE_URL and this command.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django_tasks_db.management.commands.db_worker import Worker as QueueWorker

from quiz.work import stopping
from quiz.work.beating import Beat
from quiz.work.kinds import load_tasks
from quiz.work.models import Queue

# Seconds between two looks at an empty queue. A person waits for a short job: half of this is the median.
INTERVALS = {Queue.CHECKS.value: 0.05, Queue.LAB.value: 0.25}


class StoppableWorker(QueueWorker):
    """The queue's worker; asked to end, it tells the job, which gives itself back at its next check.

    The first signal only sets flags, which the loop sees within its interval: nothing is broken off half-way.
    The second ends the process.
    """

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        stopping.ask()
        if not self.running:
            super().shutdown(signum, frame)
        self.running = False


class Command(BaseCommand):
    help = "Take jobs from a queue (checks: short jobs; lab: one measurement at a time)."

    requires_system_checks: list[str] = []  # `serve` and `migrate` check; a worker should start at once

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", choices=Queue.values)
        parser.add_argument("--parent", type=int, help="end at once when no longer the child of this process")

    def handle(self, *, queue: str, parent: int | None, **_options: Any) -> None:
        logging.getLogger("django_tasks").setLevel(logging.INFO)
        load_tasks()
        beat = Beat(queue, declare=device_reader(queue), parent=parent)
        worker = StoppableWorker(
            queue_names=[queue],
            interval=INTERVALS[queue],
            batch=False,
            backend_name="default",
            startup_delay=False,
            max_tasks=None,
            worker_id=beat.name,
            excluded_queue_names=[],
        )
        worker.configure_signals()  # before anyone can see this worker: who sees it may stop it
        with beat:
            worker.run()


def device_reader(queue: str) -> Callable[[], dict[str, Any]] | None:
    """What declares the lab's device, for a worker of the lab."""
    if queue != Queue.LAB:
        return None
    declare: Callable[[], dict[str, Any]] = importlib.import_module("quiz.lab.device").declare
    return declare
