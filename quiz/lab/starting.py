"""Start and cancel a run.

The queue is fair: a run is due when it would be finished if its person had a worker alone, that is the
predicted seconds after the later of now and when the person's earlier runs are due ("virtual clock", L. Zhang
1990). So one person's many runs line up behind each other, not before everybody; a short run passes long
ones; and because the moment never moves, no run waits for ever. A long run makes way between two points.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max

from quiz.accounts.people import Person, lock
from quiz.accounts.roles import INSTRUCTOR
from quiz.lab.admission import Assessment
from quiz.lab.limits import allowance
from quiz.lab.models import Run
from quiz.lab.tasks import KIND
from quiz.work import jobs
from quiz.work.models import Queue


class NotAllowed(Exception):
    """The person or the site has used up what may be started, or the queue is full."""


@transaction.atomic
def start(person: Person, assessment: Assessment, *, now: datetime) -> Run:
    """Write the assessed run and its job and enqueue it, all or nothing. Raises NotAllowed.

    The person is locked first, so that two starts at once cannot pass the same allowance.
    """
    lock(person)
    if not allowance(person, now=now).admits(assessment.seconds):
        raise NotAllowed
    job = jobs.create(
        KIND,
        queue=Queue.GPU if assessment.kind == "cuda" else Queue.LAB,
        all_steps=len(assessment.needs),
        due_at=due_at(person, seconds=assessment.seconds, now=now),
    )
    run = Run.objects.create(
        job=job,
        demo=assessment.demo.slug,
        parameters=dict(assessment.parameters),
        device=assessment.kind,
        predicted_seconds=assessment.seconds,
        fingerprint=fingerprint(assessment),
        **person.as_columns(),
    )
    jobs.enqueue(job)
    return run


def due_at(person: Person, *, seconds: float, now: datetime) -> datetime:
    """When the run would be finished if this person had a worker alone."""
    last = Run.objects.of(person).unfinished().aggregate(last=Max("job__due_at"))["last"]
    return max(now, last or now) + timedelta(seconds=seconds)


def fingerprint(assessment: Assessment) -> str:
    """The same for runs that measure the same points on the same kind of device."""
    points = [need.configuration for need in assessment.needs]
    told = json.dumps([assessment.demo.slug, assessment.kind, points], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def may_cancel(person: Person, run: Run) -> bool:
    """Its owner, or an instructor."""
    if person.user is not None:
        return run.user_id == person.user.pk or person.user.has_role(INSTRUCTOR)
    return person.visitor_id is not None and run.visitor_id == person.visitor_id


def cancel(run: Run) -> None:
    """A waiting run ends now, a running one within a second. Points already measured stay."""
    jobs.ask_cancel(run.job)
