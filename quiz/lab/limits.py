"""How much of the lab one person, and the whole site, may use in a day, and how large a run may be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Sum

from quiz.accounts.people import Person
from quiz.lab.models import Run, RunQuerySet

DAY = timedelta(days=1)
MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What the last 24 hours leave a person: runs, and seconds of measuring as they were predicted.

    `again_at`: when the next run may start, if none may now. `point_bytes`: the most one point may need.
    `seconds_left` and `site_seconds_left` may be negative.
    """

    a_day: int
    used: int
    again_at: datetime | None
    run_seconds: int
    seconds_a_day: int
    seconds_left: float
    site_seconds_left: float
    point_bytes: int
    waiting: int

    @property
    def left(self) -> int:
        return max(0, self.a_day - self.used)

    @property
    def queue_is_full(self) -> bool:
        return self.waiting >= settings.LAB_QUEUE_LIMIT

    def admits(self, seconds: float) -> bool:
        """Whether a run of so many predicted seconds may be started."""
        within = min(self.run_seconds, self.seconds_left, self.site_seconds_left)
        return self.left > 0 and not self.queue_is_full and seconds <= within


def allowance(person: Person, *, now: datetime) -> Allowance:
    """What this person may still start. Four queries."""
    kind = "VISITOR" if person.user is None else "USER"

    def most(name: str) -> int:
        return int(getattr(settings, f"LAB_{kind}_{name}"))

    today = Run.objects.since(now - DAY)
    own = today.of(person)
    recent = list(own.values_list("created_at", flat=True))
    a_day = most("RUNS_A_DAY")
    return Allowance(
        a_day=a_day,
        used=len(recent),
        again_at=recent[a_day - 1] + DAY if 0 < a_day <= len(recent) else None,
        run_seconds=most("RUN_SECONDS"),
        seconds_a_day=most("SECONDS_A_DAY"),
        seconds_left=most("SECONDS_A_DAY") - _seconds(own),
        site_seconds_left=settings.LAB_SITE_SECONDS_A_DAY - _seconds(today),
        point_bytes=most("POINT_MIB") * MIB,
        waiting=Run.objects.unfinished().count(),
    )


def _seconds(runs: RunQuerySet) -> float:
    """Predicted seconds of these runs, but for those cancelled before they began."""
    begun = runs.exclude(job__state="cancelled", job__attempt=0)
    return float(begun.aggregate(total=Sum("predicted_seconds"))["total"] or 0)
