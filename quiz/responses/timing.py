"""How long an exercise took: from the first time its page was open to the answer handed in."""

from __future__ import annotations

from datetime import datetime, timedelta

from quiz.responses.standing import Standing

LONGEST = timedelta(days=1)  # a page that stood open longer says nothing about the work


def seconds_taken(before: Standing, *, opened_at: datetime | None, now: datetime) -> int | None:
    """Whole seconds, or None where nobody can tell: the first answer came without an opening time, or the
    page stood open for more than a day. Idle time is in it, so only medians of many are worth reading.
    """
    if before.responses:
        first = before.responses[0]
        opened_at = None if first.seconds is None else first.created_at - timedelta(seconds=first.seconds)
    if opened_at is None or not timedelta(0) <= now - opened_at <= LONGEST:
        return None
    return round((now - opened_at).total_seconds())
