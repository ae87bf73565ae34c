"""How far each person is: read at once for pages, written by the two things a reader can do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from quiz.accounts.people import Person
from quiz.bank.chaptering import pieces
from quiz.bank.choosing import section_in_language
from quiz.bank.markup import render_inline
from quiz.bank.models import Section
from quiz.bank.reading.models import Reading, Tick
from quiz.bank.reading.outline import anchors


def readings_of(person: Person) -> dict[int, Reading]:
    """By section; no query for someone of whom nothing is known."""
    if not person.is_known:
        return {}
    return {row.section_id: row for row in Reading.objects.filter(person.owns())}


def reading_of(person: Person, number: str) -> Reading | None:
    if not person.is_known:
        return None
    return Reading.objects.filter(person.owns(), section__number=number).first()


def reach(person: Person, section: Section, place: int, now: datetime) -> None:
    """The person came to part `place`; what was further stays."""
    with transaction.atomic():
        row = _row(person, section)
        row.place, row.touched_at = max(row.place, place), now
        row.save(update_fields=["place", "touched_at"])


def finish(person: Person, section: Section, now: datetime, *, is_read: bool) -> None:
    """The person says that the section is read, or that it is not after all."""
    with transaction.atomic():
        row = _row(person, section)
        row.read_at, row.touched_at = now if is_read else None, now
        row.save(update_fields=["read_at", "touched_at"])


def _row(person: Person, section: Section) -> Reading:
    row, _made = Reading.objects.select_for_update().get_or_create(section=section, **person.as_columns())
    return row


@dataclass(frozen=True, kw_only=True)
class Bookmark:
    """Where somebody goes on reading: a section, and the part of it that they came to."""

    number: str
    title: SafeString
    language: str
    part: str
    url: str


def bookmark_of(person: Person) -> Bookmark | None:
    """The section read last that is not read to its end; at most three queries, none for a stranger."""
    if not person.is_known:
        return None
    begun = Reading.objects.filter(person.owns(), read_at=None, section__is_published=True)
    row = begun.select_related("section").prefetch_related("section__texts").first()
    if row is None:
        return None
    reading = section_in_language(row.section, get_language() or "zh-hans")
    found = pieces(reading.body)
    at = min(row.place, len(found))
    anchor = f"#{anchors(reading.body)[at - 1]}" if at else ""
    return Bookmark(
        number=row.section.number,
        title=render_inline(reading.title, reading.language),
        language=reading.language,
        part=found[at - 1].heading if at else "",
        url=f"{reverse('bank:section', args=[row.section.number])}{anchor}",
    )


def ticks_of(person: Person) -> frozenset[str]:
    """The practice tasks that a person ticked."""
    if not person.is_known:
        return frozenset()
    return frozenset(Tick.objects.filter(person.owns()).values_list("task", flat=True))


def turn(person: Person, task: str) -> None:
    """Tick a task, or take the tick away."""
    with transaction.atomic():
        tick, made = Tick.objects.select_for_update().get_or_create(task=task, **person.as_columns())
        if not made:
            tick.delete()
