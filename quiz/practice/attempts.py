"""What a person has answered and reported so far, for their own list."""

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
from quiz.responses.models import Report, Response, Variant
from quiz.responses.verdicts import icon, word

REPORTS = 20


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


@dataclass(frozen=True, kw_only=True)
class ReportLine:
    """A report of the person's own, with what became of it."""

    title: Text
    seed: int
    url: str
    report: Report


def reports_of(person: Person) -> list[ReportLine]:
    """The latest, newest first. One query."""
    rows = Report.objects.filter(person.owns()).select_related("variant")[:REPORTS]
    return [
        ReportLine(title=_title(row.variant), seed=row.variant.seed, url=_url(row.variant), report=row)
        for row in rows
    ]


def _attempt(row: Response) -> Attempt:
    return Attempt(
        title=_title(row.variant),
        seed=row.variant.seed,
        url=_url(row.variant),
        mark=icon(row.verdict),
        word=word(row),
        when=row.created_at,
    )


def _title(variant: Variant) -> Text:
    try:
        return registry.get(variant.family).title
    except UnknownFamily:
        return Text(variant.family, variant.family)


def _url(variant: Variant) -> str:
    return reverse("practice:variant", args=[variant.family, variant.seed])
