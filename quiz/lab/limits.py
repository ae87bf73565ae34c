"""How much of the lab one person may use: runs a day, seconds a run, and how long the queue may get."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from quiz.accounts.people import Person
from quiz.lab.models import Run

DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Runs in the last 24 hours against what is allowed; `again_at` when the next one may start."""

    a_day: int
    used: int
    again_at: datetime | None
    run_seconds: int
    waiting: int

    @property
    def left(self) -> int:
        return max(0, self.a_day - self.used)

    @property
    def queue_is_full(self) -> bool:
        return self.waiting >= settings.LAB_QUEUE_LIMIT


def allowance(person: Person, *, now: datetime) -> Allowance:
    """What this person may still start. Two queries."""
    visitor = person.user is None
    a_day = settings.LAB_VISITOR_RUNS_A_DAY if visitor else settings.LAB_USER_RUNS_A_DAY
    recent = list(Run.objects.of(person).since(now - DAY).values_list("created_at", flat=True))
    return Allowance(
        a_day=a_day,
        used=len(recent),
        again_at=recent[a_day - 1] + DAY if 0 < a_day <= len(recent) else None,
        run_seconds=settings.LAB_VISITOR_RUN_SECONDS if visitor else settings.LAB_USER_RUN_SECONDS,
        waiting=Run.objects.unfinished().count(),
    )
