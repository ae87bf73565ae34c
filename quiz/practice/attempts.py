"""What a person has answered so far, for their own list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from django.db.models import QuerySet
from django.urls import reverse

from quiz.accounts.people import Person
from quiz.exercises import registry
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.types import Text
from quiz.responses.models import Response
from quiz.responses.verdicts import icon, word


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One line of the list. A family that is gone keeps its slug as its title."""

    title: Text
    seed: int
    url: str
    mark: str
    word: str
    when: datetime


class Attempts(Sequence[Attempt]):
    """The person's responses as lines, fetched a page at a time."""

    def __init__(self, rows: QuerySet[Response]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows.count()

    @overload
    def __getitem__(self, index: int) -> Attempt: ...
    @overload
    def __getitem__(self, index: slice) -> list[Attempt]: ...
    def __getitem__(self, index: int | slice) -> Attempt | list[Attempt]:
        if isinstance(index, slice):
            return [_attempt(row) for row in self.rows[index]]
        return _attempt(self.rows[index])


def attempts_of(person: Person) -> Attempts:
    """Newest first."""
    return Attempts(Response.objects.filter(person.owns()).select_related("variant").order_by("-id"))


def _attempt(row: Response) -> Attempt:
    slug = row.variant.family
    try:
        title = registry.get(slug).title
    except UnknownFamily:
        title = Text(slug, slug)
    return Attempt(
        title=title,
        seed=row.variant.seed,
        url=reverse("practice:variant", args=[slug, row.variant.seed]),
        mark=icon(row.verdict),
        word=word(row),
        when=row.created_at,
    )
