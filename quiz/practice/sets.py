"""Practice sets: beginning one, going on with it, and what its pages show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.safestring import SafeString

from quiz.accounts.people import Person
from quiz.exercises import registry, slips
from quiz.exercises.explaining import Explanation, explain
from quiz.exercises.family import Family
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.types import Text
from quiz.practice.composing import fresh_items, fresh_seed
from quiz.practice.models import PracticeSet
from quiz.practice.naming import title_of
from quiz.practice.outcomes import Outcome, mistakes_in, outcome_of, standings


@dataclass(frozen=True, kw_only=True)
class Item:
    """One place of a set, from 1. `current` is the state of the current numbers; `outcome` of the latest ones
    that were begun, which may have been left for others."""

    position: int
    slug: str
    family: Family | None  # None for a family that no longer exists
    seed: int
    url: str
    current: Outcome
    outcome: Outcome
    is_over: bool
    mistakes: tuple[str, ...] = ()

    @property
    def title(self) -> Text:
        return self.family.title if self.family else Text(self.slug, self.slug)

    @property
    def minutes(self) -> int:
        return self.family.minutes if self.family else 0


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A mistake or slip that was named, and in how many places of the set."""

    slug: str
    explanation: Explanation
    places: int

    @property
    def can_be_practised(self) -> bool:
        """A slip can happen anywhere: no exercise is about it."""
        return not self.slug.startswith(slips.PREFIX)


@dataclass(frozen=True)
class Progress:
    """A set with how far its owner is."""

    set: PracticeSet
    items: tuple[Item, ...]

    @property
    def url(self) -> str:
        return reverse("practice:set", args=[self.set.pk])

    @property
    def title(self) -> SafeString:
        return title_of(self.set.kind, self.set.subject)

    @property
    def done(self) -> int:
        return sum(item.is_over for item in self.items)

    @property
    def total(self) -> int:
        return len(self.items)

    @property
    def is_over(self) -> bool:
        return self.done == self.total

    @property
    def is_begun(self) -> bool:
        return any(item.outcome is not Outcome.NEW for item in self.items)

    @property
    def minutes_left(self) -> int:
        return sum(item.minutes for item in self.items if not item.is_over)

    @property
    def open_item(self) -> Item | None:
        """Where to go on."""
        return next((item for item in self.items if not item.is_over), None)

    @cached_property
    def counts(self) -> list[tuple[Outcome, int]]:
        """How many places are in each state that occurs, in the order of the states."""
        found = Counter(item.outcome for item in self.items)
        return [(outcome, found[outcome]) for outcome in Outcome if found[outcome]]

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """What was named, most frequent first; what a family no longer knows is left out."""
        places = Counter(slug for item in self.items for slug in item.mistakes)
        known = {
            slug: explain(item.family, slug) for item in self.items if item.family for slug in item.mistakes
        }
        return [
            Mistake(slug=slug, explanation=explanation, places=count)
            for slug, count in places.most_common()
            if (explanation := known.get(slug))
        ]


@dataclass(frozen=True)
class Place:
    """One item of a set as the page of its exercise needs it."""

    progress: Progress
    item: Item

    @property
    def next_item(self) -> Item | None:
        """The next place that is not over, going round; None when this is the last one."""
        here = self.item.position
        after = self.progress.items[here:] + self.progress.items[: here - 1]
        return next((item for item in after if not item.is_over), None)

    @property
    def next_url(self) -> str:
        return self.next_item.url if self.next_item else self.progress.url

    @property
    def again_url(self) -> str:
        return reverse("practice:set_again", args=[self.progress.set.pk, self.item.position])

    @property
    def prefers_again(self) -> bool:
        """Whether other numbers of the same kind are the better next act: after help and after a solution."""
        return self.item.current in (Outcome.HELPED, Outcome.SOLUTION)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The set that somebody asks for; its fields are those of `PracticeSet`."""

    kind: str
    subject: str = ""
    one_handed: bool = False


def begin(
    person: Person, wanted: Wanted, *, families: Sequence[Family], rng: np.random.Generator, now: datetime
) -> PracticeSet:
    """A new set of these families, in this order."""
    return PracticeSet.objects.create(
        **person.as_columns(), **asdict(wanted), items=fresh_items(families, rng), created_at=now
    )


def sets_of(person: Person) -> QuerySet[PracticeSet]:
    """The person's sets, newest first."""
    return PracticeSet.objects.filter(person.owns())


def progress_of(practice_set: PracticeSet, person: Person) -> Progress:
    """Two queries."""
    keys = [(item["family"], seed) for item in practice_set.items for seed in item["seeds"]]
    found = standings(person, keys)
    items = []
    for position, stored in enumerate(practice_set.items, start=1):
        slug, seeds = stored["family"], stored["seeds"]
        states = [found[slug, seed] for seed in seeds]
        outcomes = [outcome_of(state) for state in states]
        family = _family(slug)
        items.append(
            Item(
                position=position,
                slug=slug,
                family=family,
                seed=seeds[-1],
                url=reverse("practice:set_item", args=[practice_set.pk, position]),
                current=outcomes[-1],
                outcome=next((o for o in reversed(outcomes) if o is not Outcome.NEW), Outcome.NEW),
                is_over=family is None or any(outcome.is_over for outcome in outcomes),
                mistakes=tuple(dict.fromkeys(slug for state in states for slug in mistakes_in(state))),
            )
        )
    return Progress(practice_set, tuple(items))


def unfinished(person: Person, wanted: Wanted | None = None) -> Progress | None:
    """The latest set (that is as wanted, if that is given), unless it is worked through.

    At most three queries, none for somebody without a trace.
    """
    if not person.is_known:
        return None
    sets = sets_of(person)
    latest = (sets.filter(**asdict(wanted)) if wanted else sets).first()
    progress = progress_of(latest, person) if latest else None
    return None if progress is None or progress.is_over else progress


def draw_again(practice_set: PracticeSet, position: int, *, rng: np.random.Generator) -> None:
    """Other numbers for one place. IndexError when there is no such place."""
    with transaction.atomic():
        locked = PracticeSet.objects.select_for_update().get(pk=practice_set.pk)
        locked.items[position - 1]["seeds"].append(fresh_seed(rng))
        locked.save(update_fields=["items"])


def _family(slug: str) -> Family | None:
    try:
        return registry.get(slug)
    except UnknownFamily:
        return None
