"""The one write path for everything a person answers, and for the help they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from quiz.accounts.people import Person, lock
from quiz.exercises import types
from quiz.exercises.marking import MARKING_VERSION, mark
from quiz.exercises.variants import Variant
from quiz.responses.keeping import as_asked, keep
from quiz.responses.models import Help, Response
from quiz.responses.revealing import shown_parts
from quiz.responses.standing import standing_of
from quiz.responses.storing import part_as_json
from quiz.responses.timing import seconds_taken


def record(
    person: Person,
    *,
    variant: Variant,
    raw: Mapping[str, types.Response],
    now: datetime,
    opened_at: datetime | None = None,
) -> Response:
    """Read, mark and store one answer in one transaction.

    The stored draw is what is marked. Unreadable and ambiguous answers, the same text handed in again, and
    answers given after the right values were shown are kept but do not count. `opened_at` is when the page
    that sent this was opened.
    """
    with transaction.atomic():
        lock(person)
        stored = keep(variant)
        before = standing_of(person, family=stored.family, seed=stored.seed, version=stored.version)
        asked = as_asked(stored)
        verdict = mark(asked, raw, shown=shown_parts(asked, before))
        counts = before.would_count(verdict.key, raw)
        return Response.objects.create(
            **person.as_columns(),
            variant=stored,
            created_at=now,
            raw=dict(raw),
            verdict=verdict.key,
            score=verdict.score,
            parts=[part_as_json(part) for part in verdict.parts],
            diagnosis=list(verdict.diagnosis),
            marking_version=MARKING_VERSION,
            counts=counts,
            try_number=before.wrong + 1 if counts else 0,
            state=before.state_if_right() if verdict.key == "right" else "",
            seconds=seconds_taken(before, opened_at=opened_at, now=now),
        )


def record_help(person: Person, *, variant: Variant, step: int, now: datetime) -> None:
    """Store that a hint (1, 2, …) or the solution (`Help.SOLUTION`) was shown; asking twice is one row.

    A hint beyond the next one shows the next one: hints come one at a time.
    """
    with transaction.atomic():
        lock(person)
        stored = keep(variant)
        standing = standing_of(person, family=stored.family, seed=stored.seed, version=stored.version)
        if step != Help.SOLUTION:
            step = min(step, standing.hints + 1, len(variant.hints))
        Help.objects.get_or_create(
            **person.as_columns(), variant=stored, step=step, defaults={"created_at": now}
        )
