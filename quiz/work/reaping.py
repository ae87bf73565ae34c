"""Giving lost jobs back: what a dead worker held, and what the queue forgot. Any worker does it, any time."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from quiz.work.jobs import enqueue, lease_length, workers_alive
from quiz.work.kinds import UnknownKind, task_of
from quiz.work.models import Job, State

logger = logging.getLogger(__name__)

MAX_LOST_LEASES = 3


def expire(now: datetime) -> int:
    """Take every job whose lease ran out from its dead worker: back to its queue, or ended.

    Ended: cancelled when that was asked, failed when it is the third worker lost with it. Several may call
    this at once; each job changes hands once. Returns how many did.
    """
    gone = Job.objects.filter(state=State.RUNNING, lease_until__lte=now)
    return sum(_take_back(job, now) for job in gone)


def _take_back(job: Job, now: datetime) -> bool:
    same = Job.objects.filter(
        pk=job.pk,
        state=State.RUNNING,
        attempt=job.attempt,
        lease_until=job.lease_until,
        cancel_asked=job.cancel_asked,
    )
    lost = job.lost_leases + 1
    if job.cancel_asked:
        return bool(same.update(state=State.CANCELLED, lease_until=None, finished_at=now))
    if lost >= MAX_LOST_LEASES:
        ended = same.update(state=State.FAILED, lost_leases=lost, lease_until=None, finished_at=now)
        return bool(ended)
    if not _is_known(job):
        return False
    with transaction.atomic():
        if not same.update(state=State.WAITING, worker="", lost_leases=lost):
            return False
        enqueue(job)
    logger.warning("job %s: %s fell silent; enqueued again", job, job.worker)
    return True


def remind(now: datetime) -> int:
    """Enqueue again what waits although its queue is idle: its place was lost with a worker killed just
    before it could claim the job. A needless second place does no harm. Returns how many were enqueued.
    """
    running = Job.objects.filter(state=State.RUNNING).values("queue")
    forgotten = Job.objects.filter(state=State.WAITING, lease_until__lte=now).exclude(queue__in=running)
    return sum(_remind(job, now) for job in forgotten)


def _remind(job: Job, now: datetime) -> bool:
    if not workers_alive(now, queue=job.queue) or not _is_known(job):
        return False
    with transaction.atomic():
        same = Job.objects.filter(pk=job.pk, state=State.WAITING, lease_until=job.lease_until)
        if not same.update(lease_until=now + lease_length()):
            return False
        enqueue(job)
    return True


def _is_known(job: Job) -> bool:
    try:
        task_of(job.kind)
    except UnknownKind as error:
        logger.error("job %s: %s", job.pk, error)
        return False
    return True
