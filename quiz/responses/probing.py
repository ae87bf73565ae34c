"""Further probes of a drill, asked for one at a time: kept and counted, but neither hints nor tries."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from quiz.accounts.people import Person, lock
from quiz.exercises.variants import Variant
from quiz.responses.keeping import keep
from quiz.responses.models import Probe


def probes_asked(person: Person, variant: Variant) -> int:
    """How many further probes this person has seen. One query, none where there are no probes to see."""
    if not variant.probes or not person.is_known:
        return 0
    asked = {
        "variant__family": variant.family.slug,
        "variant__seed": variant.seed,
        "variant__version": variant.version,
    }
    most: int | None = Probe.objects.filter(person.owns(), **asked).aggregate(most=Max("number"))["most"]
    return most or 0


def record_probe(person: Person, *, variant: Variant, now: datetime) -> None:
    """Store that the next probe was asked for; nothing is stored once all have been seen."""
    with transaction.atomic():
        lock(person)
        number = probes_asked(person, variant) + 1
        if number <= len(variant.probes):
            stored = keep(variant)
            Probe.objects.create(**person.as_columns(), variant=stored, number=number, created_at=now)
