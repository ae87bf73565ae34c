"""What is removed by the daily tidying: visitors who stayed away, and sessions that ran out."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.models import Session

from quiz.accounts.models import Visitor

BATCH = 200  # each batch is a transaction of its own, so that answers are recorded between them


def remove_idle_visitors(*, now: datetime, **_signal: object) -> str:
    """Remove visitors idle for more than VISITOR_DAYS, and with them all they answered."""
    idle = Visitor.objects.filter(seen_at__lt=now - timedelta(days=settings.VISITOR_DAYS))
    removed = 0
    while batch := list(idle.values_list("pk", flat=True)[:BATCH]):
        _rows, by_model = idle.filter(pk__in=batch).delete()
        removed += by_model.get(Visitor._meta.label, 0)
    return f"{removed} idle visitors removed"


def remove_expired_sessions(*, now: datetime, **_signal: object) -> str:
    removed, _by_model = Session.objects.filter(expire_date__lt=now).delete()
    return f"{removed} expired sessions removed"
