"""Where a person is weak: the kinds of exercise that did not go right at once the last time, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from django.db.models import QuerySet

from quiz.accounts.people import Person
from quiz.exercises import registry
from quiz.exercises.explaining import explain
from quiz.exercises.family import Family
from quiz.exercises.types import Text
from quiz.practice.outcomes import Outcome, grouped, mistakes_in, outcome_of
from quiz.responses.models import Help, Response

Row = TypeVar("Row", Response, Help)

LOOKED_AT = 400  # of the latest answers and helps
WEIGHT = {Outcome.SOLUTION: 3, Outcome.TRIED: 3, Outcome.HELPED: 2, Outcome.CHANGED: 1}


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """A family, how its latest variant ended, and what was named in it."""

    family: Family
    outcome: Outcome
    mistakes: tuple[Text, ...] = ()


def weaknesses_of(person: Person) -> list[Weakness]:
    """Two queries, none for somebody without a trace.

    A family leaves the list when it goes right at once; one in which a mistake was named counts for more.
    """
    if not person.is_known:
        return []
    responses = _latest(Response.objects.filter(person.owns()).defer("raw", "parts"))
    helps = _latest(Help.objects.filter(person.owns()))
    touched: dict[str, tuple[float, int]] = {}
    rows: list[Response | Help] = [*responses, *helps]
    for row in rows:
        place = (row.created_at.timestamp(), row.variant.seed)
        touched[row.variant.family] = max(place, touched.get(row.variant.family, place))
    standings = grouped(responses, helps)
    families = {family.slug: family for family in registry.all_families()}
    found = []
    for slug, (when, seed) in touched.items():
        outcome = outcome_of(standings[slug, seed])
        if slug in families and outcome in WEIGHT:
            named = [explain(families[slug], mistake) for mistake in mistakes_in(standings[slug, seed])]
            titles = tuple(one.title for one in named if one)
            weakness = Weakness(family=families[slug], outcome=outcome, mistakes=titles)
            found.append((-WEIGHT[outcome] - bool(titles), -when, weakness))
    return [weakness for _weight, _when, weakness in sorted(found, key=lambda one: one[:2])]


def _latest(rows: QuerySet[Row]) -> list[Row]:
    """The latest rows, oldest first."""
    return list(rows.select_related("variant").order_by("-id")[:LOOKED_AT])[::-1]
