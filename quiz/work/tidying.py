"""The daily tidying: a job like any other, so that it survives a killed worker and is done once.

What is to be tidied belongs to the features: each connects a receiver to `tidying` (in quiz/signals.py) that
takes `now` and returns a line for the log, or nothing.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from quiz.work import jobs
from quiz.work.kinds import job_kind
from quiz.work.leasing import Lease, carry_out
from quiz.work.models import FINISHED, Job, Queue, State, Worker

try:
    from django.tasks import task
except ImportError:
    from django_tasks import task  # type: ignore[no-redef]

logger = logging.getLogger(__name__)

KIND = "tidy"
EVERY = timedelta(hours=24)
RETRY = timedelta(hours=1)
KEEP_JOBS_DAYS = 30

tidying = Signal()


@job_kind(KIND)
@task(queue_name=Queue.CHECKS.value)
def tidy_up(job_id: int) -> None:
    carry_out(job_id, _tidy_held)


def _tidy_held(lease: Lease) -> None:
    lease.check()
    for line in tidy(timezone.now()):
        logger.info("tidy: %s", line)


def tidy(now: datetime) -> list[str]:
    """Remove what is out of date everywhere, now. Returns a line for each thing that was done."""
    told = tidying.send_robust(sender=tidy, now=now)
    failed = [answer for _receiver, answer in told if isinstance(answer, Exception)]
    if failed:
        raise ExceptionGroup("tidying failed", failed)
    return [str(answer) for _receiver, answer in told if answer]


def tidy_work(*, now: datetime, **_signal: object) -> str:
    """Remove finished queue rows and past tidy jobs older than a month, and workers unseen for a day."""
    if str(settings.TASKS["default"]["BACKEND"]).startswith("django_tasks_db."):
        call_command("prune_db_task_results", queue_name="*", min_age_days=KEEP_JOBS_DAYS, verbosity=0)
    month_ago = now - timedelta(days=KEEP_JOBS_DAYS)
    jobs_removed, _by_model = Job.objects.filter(
        kind=KIND, state__in=FINISHED, finished_at__lt=month_ago
    ).delete()
    workers_removed, _by_model = Worker.objects.filter(seen_at__lt=now - EVERY).delete()
    return f"{jobs_removed} old jobs and {workers_removed} gone workers removed"


@transaction.atomic
def enqueue_when_due(now: datetime) -> bool:
    """Enqueue the tidying unless that was done in the last 24 hours (in the last hour, where it failed).

    Every worker of the queue calls this on each beat; the oldest worker's row is their mutex.
    """
    list(Worker.objects.select_for_update().filter(queue=Queue.CHECKS).order_by("pk")[:1])
    past = Job.objects.filter(kind=KIND)
    good = past.filter(created_at__gt=now - EVERY).exclude(state=State.FAILED)
    if good.exists() or past.filter(created_at__gt=now - RETRY).exists():
        return False
    jobs.enqueue(jobs.create(KIND, queue=Queue.CHECKS))
    return True
