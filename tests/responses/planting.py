"""Made-up work of many people, stored as rows, for statistics: each person has an ability by chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from quiz.accounts.models import User, Visitor
from quiz.exercises.drawing import vary
from quiz.responses.models import Help, Response, State, Variant

START = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
MISTAKES = (["no_scale"], ["scale_by_d_k"], ["no_scale", "scale_by_d_k"], [], [])


@dataclass
class Work:
    """A person with a variant: the tries that counted, what was asked for, how long it took."""

    person: User | Visitor
    variant: Variant
    verdicts: list[str] = field(default_factory=list)
    diagnoses: list[list[str]] = field(default_factory=list)
    hinted: bool = False
    gave_up: bool = False
    unread: int = 0
    seconds: int | None = None
    at: datetime = START

    @property
    def owner(self) -> dict[str, User | Visitor]:
        return {"user" if isinstance(self.person, User) else "visitor": self.person}

    @property
    def state(self) -> str:
        """How a right answer at the end came about."""
        if self.hinted:
            return State.HELPED
        return State.CHANGED if len(self.verdicts) > 1 else State.FIRST


def imagine(
    people: list[User | Visitor], families: list[str], *, each: int, rng: np.random.Generator
) -> list[Work]:
    """Each person does `each` variants of families taken by chance; variants are shared by nobody. All of a
    family hold the same draw, for drawing would take longest."""
    drawn = {slug: dict(vary(slug, 1).drawn) for slug in families}
    slugs = [families[int(rng.integers(len(families)))] for _variant in range(len(people) * each)]
    variants = [
        Variant(family=slug, seed=seed, version=1 + int(seed % 7 == 0), drawn=drawn[slug])
        for seed, slug in enumerate(slugs)
    ]
    Variant.objects.bulk_create(variants, batch_size=2000)
    works, place = [], iter(variants)
    for person in people:
        ability = float(rng.uniform(0.2, 0.9))
        for _variant in range(each):
            works.append(_worked(person, next(place), ability=ability, rng=rng))
    return works


def _worked(person: User | Visitor, variant: Variant, *, ability: float, rng: np.random.Generator) -> Work:
    work = Work(person, variant, hinted=rng.random() < 0.1, unread=int(rng.random() < 0.1))
    work.at = START + timedelta(minutes=int(rng.integers(60 * 24 * 60)))
    work.seconds = int(rng.integers(10, 600)) if rng.random() < 0.9 else None
    while len(work.verdicts) < 3 and not work.gave_up:
        if rng.random() < ability:
            work.verdicts.append("right")
            work.diagnoses.append([])
            break
        if rng.random() < 0.15:
            work.gave_up = True
            break
        work.verdicts.append(("wrong", "wrong", "partial", "wrong_shape")[int(rng.integers(4))])
        work.diagnoses.append(list(MISTAKES[int(rng.integers(len(MISTAKES)))]))
    return work


def rows_of(work: Work) -> Iterator[Response]:
    asked = vary(work.variant.family, 1).required[-1].name
    shared = {
        **work.owner,
        "variant": work.variant,
        "raw": {asked: "1.5"},
        "score": 0.0,
        "marking_version": 1,
    }
    for number in range(work.unread):
        at = work.at + timedelta(seconds=number)
        yield Response(**shared, verdict="malformed", counts=False, created_at=at)
    for number, verdict in enumerate(work.verdicts, start=1):
        yield Response(
            **shared,
            verdict=verdict,
            diagnosis=work.diagnoses[number - 1],
            parts=[{"part": asked, "key": verdict, "value": 1.5}],
            try_number=number,
            state=work.state if verdict == "right" else "",
            seconds=None if work.seconds is None else work.seconds + number,
            created_at=work.at + timedelta(seconds=10 + number),
        )


def plant(works: list[Work]) -> int:
    """Store it all; returns the number of responses."""
    responses = [row for work in works for row in rows_of(work)]
    Response.objects.bulk_create(responses, batch_size=2000)
    helps = [
        Help(**work.owner, variant=work.variant, step=step, created_at=work.at)
        for work in works
        for step, is_asked in ((1, work.hinted), (Help.SOLUTION, work.gave_up))
        if is_asked
    ]
    Help.objects.bulk_create(helps, batch_size=2000)
    return len(responses)


def people(count: int) -> list[User | Visitor]:
    """Two thirds users, the rest visitors."""
    found: list[User | Visitor] = []
    for number in range(count):
        is_visitor = number % 3 == 2
        found.append(Visitor() if is_visitor else User(username=f"person{number}"))
    User.objects.bulk_create([one for one in found if isinstance(one, User)])
    Visitor.objects.bulk_create([one for one in found if isinstance(one, Visitor)])
    return found
