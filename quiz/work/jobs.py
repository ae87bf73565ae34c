"""Jobs as the pages see them: enqueue one, ask it to stop, where it stands, who is there to do it.

The queue hands out turns, not jobs: whoever gets one does the job of that kind and queue that is due first
(`leasing.carry_out`). There is at least one turn for every waiting job.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.utils import timezone

from quiz.work.kinds import task_of
from quiz.work.models import Job, Queue, State, Worker


def lease_length() -> timedelta:
    """How long a worker may be silent before its job is given to another."""
    return timedelta(seconds=settings.WORK_LEASE_SECONDS)


def create(kind: str, *, queue: Queue, all_steps: int = 0, due_at: datetime | None = None) -> Job:
    """A new waiting job, due now unless told. `enqueue` it in the transaction of the rows it is about."""
    return Job.objects.create(kind=kind, queue=queue, all_steps=all_steps, due_at=due_at or timezone.now())


@transaction.atomic
def enqueue(job: Job) -> None:
    """Put a turn for a waiting job into its queue. Rolled back with the transaction it is called in.

    Enqueueing twice is harmless: only one worker can claim a job. Raises UnknownKind.
    """
    task = task_of(job.kind).using(queue_name=job.queue)
    Job.objects.filter(pk=job.pk, state=State.WAITING).update(lease_until=timezone.now() + lease_length())
    task.enqueue(job.pk)


def ask_cancel(job: Job) -> None:
    """Cancel a waiting job now; ask the worker of a running one to stop at its next check.

    One statement for both, so that a job that is just going back to its queue cannot slip between two.
    """
    is_waiting, now = Q(state=State.WAITING), timezone.now()
    Job.objects.filter(pk=job.pk, state__in=(State.WAITING, State.RUNNING)).update(
        cancel_asked=True,
        state=Case(When(is_waiting, then=Value(State.CANCELLED)), default=F("state")),
        finished_at=Case(When(is_waiting, then=Value(now)), default=F("finished_at")),
    )


def position(job: Job) -> int:
    """How many unfinished jobs of the same queue are due before this one; 0 when it is running or next."""
    if job.state != State.WAITING:
        return 0
    unfinished = Job.objects.filter(queue=job.queue, state__in=(State.WAITING, State.RUNNING))
    return due_before(job, unfinished).count()


def due_before(job: Job, jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Those of `jobs` that are due before `job`; of two due at the same time the older goes first."""
    return jobs.filter(Q(due_at__lt=job.due_at) | Q(due_at=job.due_at, pk__lt=job.pk))


def waiting_first(kind: str, queue: str) -> QuerySet[Job]:
    """The waiting jobs of a kind and queue in the order in which they are done."""
    return Job.objects.filter(kind=kind, queue=queue, state=State.WAITING).order_by("due_at", "pk")


def workers_alive(now: datetime, *, queue: str | None = None) -> list[Worker]:
    """The workers that were seen within one lease of `now`."""
    alive = Worker.objects.filter(seen_at__gt=now - lease_length())
    return [worker for worker in alive if queue is None or worker.serves(queue)]
