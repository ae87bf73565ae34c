"""Jobs as the pages see them: enqueue one, ask it to stop, where it stands, who is there to do it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from quiz.work.kinds import task_of
from quiz.work.models import Job, Queue, State, Worker

AGAIN_PRIORITY = 10  # a job that lost its worker goes before those that have not started


def lease_length() -> timedelta:
    """How long a worker may be silent before its job is given to another."""
    return timedelta(seconds=settings.WORK_LEASE_SECONDS)


def create(kind: str, *, queue: Queue, all_steps: int = 0) -> Job:
    """A new waiting job. `enqueue` it in the same transaction as the rows it is about."""
    return Job.objects.create(kind=kind, queue=queue, all_steps=all_steps)


@transaction.atomic
def enqueue(job: Job, *, again: bool = False) -> None:
    """Hand a waiting job to its queue. Rolled back with the transaction it is called in.

    Enqueueing twice is harmless: only one worker can claim a job. Raises UnknownKind.
    """
    task = task_of(job.kind).using(queue_name=job.queue, priority=AGAIN_PRIORITY if again else 0)
    Job.objects.filter(pk=job.pk, state=State.WAITING).update(lease_until=timezone.now() + lease_length())
    task.enqueue(job.pk)


def ask_cancel(job: Job) -> None:
    """Cancel a waiting job now; ask the worker of a running one to stop at its next check."""
    waiting = Job.objects.filter(pk=job.pk, state=State.WAITING)
    if not waiting.update(state=State.CANCELLED, cancel_asked=True, finished_at=timezone.now()):
        Job.objects.filter(pk=job.pk, state=State.RUNNING).update(cancel_asked=True)


def position(job: Job) -> int:
    """How many unfinished jobs of the same queue go before this one; 0 when it is running or next."""
    if job.state != State.WAITING:
        return 0
    before = Job.objects.filter(queue=job.queue, pk__lt=job.pk)
    return before.filter(state__in=(State.WAITING, State.RUNNING)).count()


def workers_alive(now: datetime, *, queue: str | None = None) -> list[Worker]:
    """The workers that were seen within one lease of `now`."""
    alive = Worker.objects.filter(seen_at__gt=now - lease_length())
    return list(alive.filter(queue=queue) if queue else alive)
