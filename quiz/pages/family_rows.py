"""The exercise statistics as rows: of families, of ends, of mistakes, of answers that nothing explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from quiz.exercises import registry
from quiz.exercises.explaining import explain
from quiz.exercises.family import Family
from quiz.exercises.formatting import show
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.types import Text
from quiz.exercises.variants import Variant
from quiz.figures.bars import Kind
from quiz.practice.outcomes import Outcome
from quiz.responses.fields import told
from quiz.responses.keeping import EarlierVersion, as_asked
from quiz.responses.models import Response
from quiz.responses.statistics import FamilyStatistics, MistakeCount

LAST = (10_000,)  # after every section


@dataclass(frozen=True, kw_only=True)
class FamilyRow:
    """A family in one version; a family that is gone keeps its slug as its title."""

    statistics: FamilyStatistics
    title: Text
    section: str = ""
    place: tuple[int, ...] = field(default=LAST)
    is_current: bool = False  # the version that is drawn today

    @property
    def url(self) -> str:
        return reverse("pages:family", args=[self.statistics.slug])


def family_row(statistics: FamilyStatistics) -> FamilyRow:
    family = family_or_none(statistics.slug)
    if family is None:
        return FamilyRow(statistics=statistics, title=Text(statistics.slug, statistics.slug))
    section = family.sections[0]
    return FamilyRow(
        statistics=statistics,
        title=family.title,
        section=section,
        place=tuple(int(number) for number in section.split(".")),
        is_current=statistics.version == family.version,
    )


def family_or_none(slug: str) -> Family | None:
    try:
        return registry.get(slug)
    except UnknownFamily:
        return None


def ordered(rows: Sequence[FamilyRow], order: str) -> list[FamilyRow]:
    """What deserves a look comes first; what has no number comes last."""
    keys: dict[str, Callable[[FamilyStatistics], float | None]] = {
        "people": lambda s: -s.people,
        "first": lambda s: s.first_share,
        "time": lambda s: None if s.median_seconds is None else -s.median_seconds,
        "unknown": lambda s: None if s.unknown_share is None else -s.unknown_share,
        "discrimination": lambda s: s.discrimination,
    }
    by_chapter = sorted(rows, key=lambda row: (row.place, row.statistics.slug, row.statistics.version))
    if order not in keys:
        return by_chapter

    def key(row: FamilyRow) -> tuple[bool, float]:
        value = keys[order](row.statistics)
        return value is None, 0.0 if value is None else float(value)

    return sorted(by_chapter, key=key)


@dataclass(frozen=True, kw_only=True)
class BarRow:
    """A line of a table with a bar: what, how often, and its share of the whole (0 to 1)."""

    label: str
    count: int
    share: float
    kind: Kind = "ink"
    url: str = ""


def end_rows(statistics: FamilyStatistics) -> list[BarRow]:
    """How the work ended."""
    whole = statistics.begun or 1
    ends: tuple[tuple[str, int, Kind], ...] = (
        (str(Outcome.FIRST.label), statistics.first, "ink"),
        (str(Outcome.CHANGED.label), statistics.changed, "hatched"),
        (str(Outcome.HELPED.label), statistics.helped, "hatched"),
        (str(Outcome.SOLUTION.label), statistics.solution, "accent"),
        (_("left open"), statistics.still_open, "outlined"),
    )
    return [BarRow(label=label, count=n, share=n / whole, kind=kind) for label, n, kind in ends]


def mistake_rows(slug: str, counts: Sequence[MistakeCount], *, unknown_url: str) -> list[BarRow]:
    """The wrong tries by what they were told, most frequent first."""
    whole = sum(one.count for one in counts) or 1
    family = family_or_none(slug)
    return [
        BarRow(
            label=_told(family, one),
            count=one.count,
            share=one.count / whole,
            kind="accent" if one.is_unknown else "ink",
            url=unknown_url if one.is_unknown else "",
        )
        for one in counts
    ]


def _told(family: Family | None, counted: MistakeCount) -> str:
    """The mistake's title; of several that give the same value, all of them."""
    if counted.is_unknown:
        return _("Not a mistake we know")
    if counted.is_shape:
        return _("Wrong shape")
    found = [explain(family, entry) if family else None for entry in counted.diagnosis]
    titles = [told(one.title) if one else entry for one, entry in zip(found, counted.diagnosis, strict=True)]
    return _(" or ").join(titles)


@dataclass(frozen=True, kw_only=True)
class WrittenPart:
    """What was typed for a part that went wrong, how it was read, and what would have been right."""

    label: str
    typed: str
    value: str
    right: str = ""


@dataclass(frozen=True, kw_only=True)
class UnknownRow:
    """One answer that nothing explains. What an earlier version asked has no address any more, its parts no
    labels and no right values."""

    when: datetime
    seed: int
    version: int
    parts: tuple[WrittenPart, ...]
    url: str = ""


def unknown_row(response: Response) -> UnknownRow:
    stored = response.variant
    parts = [_written(response, one) for one in response.parts if one["key"] != "right"]
    row = UnknownRow(when=response.created_at, seed=stored.seed, version=stored.version, parts=tuple(parts))
    try:
        variant = as_asked(stored)
    except EarlierVersion:
        return row
    url = reverse("practice:variant", args=[stored.family, stored.seed])
    return replace(row, url=url, parts=tuple(_beside_the_right(part, variant) for part in parts))


def _written(response: Response, marked: dict[str, Any]) -> WrittenPart:
    name = marked["part"]
    return WrittenPart(label=name, typed=_flat(response.raw.get(name, "")), value=_shown(marked["value"]))


def _beside_the_right(written: WrittenPart, variant: Variant) -> WrittenPart:
    part = variant.part(written.label)
    return replace(written, label=told(part.label), right=_shown(variant.right[part.name]))


def _flat(typed: Any) -> str:
    """What stands in the cells, in brackets as rows; one text as it is."""
    if isinstance(typed, list):
        return "[" + ", ".join(_flat(item) for item in typed) + "]"
    return str(typed)


def _shown(value: Any) -> str:
    """A value to four decimals; stored −∞ is a text already."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    return value if isinstance(value, str) else "" if value is None else show(value, 4)
