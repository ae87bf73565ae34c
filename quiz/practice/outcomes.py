"""How a person stands with each of several variants, in a word, found with two queries."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from quiz.accounts.people import Person
from quiz.exercises.variants import PAIRED
from quiz.responses.models import Help, Response, State
from quiz.responses.standing import Standing

Key = tuple[str, int]  # family and seed


class Outcome(models.TextChoices):
    """The states of pages and statistics: how it was done, or how far it is."""

    NEW = "new", _("not begun")
    TRIED = "tried", _("not right yet")
    FIRST = "first", _("first time")
    CHANGED = "changed", _("after a change")
    HELPED = "helped", _("after a hint")
    SOLUTION = "solution", _("solution seen")

    @property
    def is_over(self) -> bool:
        return self not in (Outcome.NEW, Outcome.TRIED)

    @property
    def is_solved(self) -> bool:
        return self in (Outcome.FIRST, Outcome.CHANGED, Outcome.HELPED)

    @property
    def mark(self) -> str:
        """The drawing for it (templates/practice/_mark.html), none for what has not begun."""
        if self is Outcome.NEW:
            return ""
        return "right" if self.is_solved else "wrong"


def outcome_of(standing: Standing) -> Outcome:
    """The state of the right answer that counted; otherwise how far it is."""
    for response in standing.responses:
        if response.counts and response.verdict == "right":
            return Outcome(State(response.state))
    if standing.is_over:
        return Outcome.SOLUTION
    return Outcome.TRIED if standing.responses else Outcome.NEW


def standings(person: Person, keys: Iterable[Key]) -> dict[Key, Standing]:
    """The person's standing with each of these variants; two queries, none for somebody without a trace."""
    wanted = set(keys)
    if not person.is_known or not wanted:
        return dict.fromkeys(wanted, Standing())
    asked = Q(pk__in=[])
    for family, seed in wanted:
        asked |= Q(variant__family=family, variant__seed=seed)
    return {key: Standing() for key in wanted} | grouped(
        Response.objects.filter(person.owns()).filter(asked).select_related("variant").order_by("id"),
        Help.objects.filter(person.owns()).filter(asked).select_related("variant"),
    )


def grouped(responses: Iterable[Response], helps: Iterable[Help]) -> dict[Key, Standing]:
    """Rows with their variants, oldest first, as one standing a variant."""
    given: dict[Key, list[Response]] = {}
    asked: dict[Key, set[int]] = {}
    for response in responses:
        given.setdefault(_key(response), []).append(response)
    for help_row in helps:
        asked.setdefault(_key(help_row), set()).add(help_row.step)
    return {
        key: Standing.made_of(given.get(key, ()), asked.get(key, ())) for key in given.keys() | asked.keys()
    }


def mistakes_in(standing: Standing) -> list[str]:
    """The slugs of the mistakes and slips that were named in what counted, each once, in the order they were
    made; of a pair, both."""
    entries = (entry for one in standing.responses if one.counts for entry in one.diagnosis)
    return list(dict.fromkeys(slug for entry in entries for slug in entry.split(PAIRED)))


def _key(row: Response | Help) -> Key:
    return row.variant.family, row.variant.seed
