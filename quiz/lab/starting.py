"""Start and cancel a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person
from quiz.accounts.roles import INSTRUCTOR
from quiz.lab.demos.demo import Demo
from quiz.lab.limits import allowance
from quiz.lab.models import Run
from quiz.lab.tasks import KIND
from quiz.work import jobs
from quiz.work.models import Queue


class NotAllowed(Exception):
    """The person has used up what they may start, or the queue is full."""


@transaction.atomic
def start(person: Person, demo: Demo, parameters: dict[str, Any], *, now: datetime) -> Run:
    """Write the run and its job and enqueue it, all or nothing. Raises NotAllowed.

    The person's own row is locked first, so that two starts at once cannot pass the same allowance.
    """
    if person.user is not None:
        User.objects.select_for_update().get(pk=person.user.pk)
    elif person.visitor_id is not None:
        Visitor.objects.select_for_update().get(pk=person.visitor_id)
    allowed = allowance(person, now=now)
    if allowed.left == 0 or allowed.queue_is_full:
        raise NotAllowed
    job = jobs.create(KIND, queue=Queue.LAB, all_steps=len(demo.points(parameters)))
    run = Run.objects.create(job=job, demo=demo.slug, parameters=parameters, **person.as_columns())
    jobs.enqueue(job)
    return run


def may_cancel(person: Person, run: Run) -> bool:
    """Its owner, or an instructor."""
    if person.user is not None:
        return run.user_id == person.user.pk or person.user.has_role(INSTRUCTOR)
    return person.visitor_id is not None and run.visitor_id == person.visitor_id


def cancel(run: Run) -> None:
    """A waiting run ends now, a running one within a second. Points already measured stay."""
    jobs.ask_cancel(run.job)
