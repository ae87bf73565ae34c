"""“Something is wrong here”: filing a report, within limits, so that no one can flood those who read them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from quiz.accounts.people import Person, lock
from quiz.exercises.variants import Variant
from quiz.responses.keeping import keep
from quiz.responses.models import Report, Response

HOUR = timedelta(hours=1)
A_PERSON_AN_HOUR = 10
VISITORS_AN_HOUR = 200  # all of them together: a visitor is easily somebody new


class TooMany(Exception):
    """The person, or all visitors together, have reported as much as is taken in an hour."""


def own_response(person: Person, variant: Variant, number: int) -> Response | None:
    """The person's own answer to this variant that has this number, or None."""
    asked = {"variant__family": variant.family.slug, "variant__seed": variant.seed}
    return Response.objects.filter(person.owns(), pk=number, **asked).first()


def file_report(
    person: Person, *, variant: Variant, response: Response | None, kind: str, words: str, now: datetime
) -> Report:
    """Store a report. The same kind of report on the same answer, while nobody has resolved it, takes the new
    words instead of becoming a second one. Raises TooMany; the person must be known.
    """
    with transaction.atomic():
        lock(person)
        stored = response.variant if response else keep(variant)
        open_ones = Report.objects.filter(person.owns(), resolved_at=None, variant=stored, response=response)
        same = open_ones.filter(kind=kind).first()
        if same is not None:
            same.words = words or same.words
            same.save(update_fields=["words"])
            return same
        _check_limits(person, now)
        return Report.objects.create(
            **person.as_columns(), variant=stored, response=response, kind=kind, words=words, created_at=now
        )


def _check_limits(person: Person, now: datetime) -> None:
    lately = Report.objects.filter(created_at__gt=now - HOUR)
    if lately.filter(person.owns()).count() >= A_PERSON_AN_HOUR:
        raise TooMany
    if person.user is None and lately.filter(user=None).count() >= VISITORS_AN_HOUR:
        raise TooMany
