"""What instructors look at: how each family of exercises is done, by version, counted in the database.

One piece of work is a person with a variant. It is begun with the first try that counts, or when the solution
is asked for without one; it ends right (at once, after a change, after a hint), with the solution seen (asked
for, or shown after the last try), or it is still open. Shares are of the work that was begun.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import CharField, Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Cast, Coalesce

from quiz.responses.discriminating import Tally, discriminations, totals
from quiz.responses.models import Help, Response, State
from quiz.responses.standing import TRIES

Key = tuple[str, int]  # family and version
KEY = ("variant__family", "variant__version")

SOLVED = Q(counts=True, verdict="right")
EXHAUSTED = Q(try_number__gte=TRIES) & ~Q(verdict="right")
WRONG = Q(counts=True, verdict__in=("wrong", "partial", "wrong_shape"))
UNKNOWN = Q(counts=True, verdict__in=("wrong", "partial"), diagnosis=[])
UNREAD = Q(verdict__in=("malformed", "ambiguous"))
PERSON = Coalesce(Cast("user_id", CharField()), Cast("visitor_id", CharField()))


@dataclass(frozen=True, kw_only=True)
class Period:
    """From `since` on, before `until`; None is open."""

    since: datetime | None = None
    until: datetime | None = None

    def within(self) -> Q:
        found = Q()
        if self.since is not None:
            found &= Q(created_at__gte=self.since)
        if self.until is not None:
            found &= Q(created_at__lt=self.until)
        return found


EVER = Period()


@dataclass(frozen=True, kw_only=True)
class FamilyStatistics:
    """Counts of one family in one version. `people` are those with a try that counted; `median_seconds` is
    over what ended right or with the last try."""

    slug: str
    version: int
    people: int = 0
    begun: int = 0
    first: int = 0
    changed: int = 0
    helped: int = 0
    solution: int = 0
    tries: int = 0
    wrong: int = 0
    unknown: int = 0
    unread: int = 0
    median_seconds: float | None = None
    discrimination: float | None = None

    @property
    def still_open(self) -> int:
        return max(0, self.begun - self.first - self.changed - self.helped - self.solution)

    @property
    def first_share(self) -> float | None:
        return self._share(self.first)

    @property
    def changed_share(self) -> float | None:
        return self._share(self.changed)

    @property
    def helped_share(self) -> float | None:
        return self._share(self.helped)

    @property
    def solution_share(self) -> float | None:
        return self._share(self.solution)

    @property
    def unknown_share(self) -> float | None:
        """Of the wrong tries."""
        return self.unknown / self.wrong if self.wrong else None

    @property
    def tries_each(self) -> float | None:
        return self._share(self.tries)

    def _share(self, count: int) -> float | None:
        return count / self.begun if self.begun else None


def family_statistics(period: Period = EVER, *, slug: str = "") -> list[FamilyStatistics]:
    """Every family and version that somebody has worked on, or those of one family. Four or five queries."""
    found = _counted(period, slug)
    for key, gave_up, untried in _given_up(period, slug):
        row = found.setdefault(key, FamilyStatistics(slug=key[0], version=key[1]))
        found[key] = replace(row, solution=row.solution + gave_up, begun=row.begun + untried)
    for key, middle in _medians(period, slug).items():
        found[key] = replace(found[key], median_seconds=middle)
    tallies = _tallies(period, slug)
    for key, people in Counter((one.family, one.version) for one in tallies).items():
        found[key] = replace(found[key], people=people)
    everywhere = _everywhere(period) if slug else totals(tallies)
    for key, value in discriminations(tallies, everywhere).items():
        found[key] = replace(found[key], discrimination=value)
    return sorted(found.values(), key=lambda row: (row.slug, row.version))


def _counted(period: Period, slug: str) -> dict[Key, FamilyStatistics]:
    rows = _grouped(Response.objects.filter(period.within(), _of(slug))).annotate(
        begun=Count("pk", filter=Q(try_number=1)),
        first=Count("pk", filter=SOLVED & Q(state=State.FIRST)),
        changed=Count("pk", filter=SOLVED & Q(state=State.CHANGED)),
        helped=Count("pk", filter=SOLVED & Q(state=State.HELPED)),
        solution=Count("pk", filter=EXHAUSTED),
        tries=Count("pk", filter=Q(counts=True)),
        wrong=Count("pk", filter=WRONG),
        unknown=Count("pk", filter=UNKNOWN),
        unread=Count("pk", filter=UNREAD),
    )
    found = {}
    for row in rows:
        key = (row.pop("variant__family"), row.pop("variant__version"))
        found[key] = FamilyStatistics(slug=key[0], version=key[1], **row)
    return found


def _given_up(period: Period, slug: str) -> Iterable[tuple[Key, int, int]]:
    """How often the solution was asked for before the end, and how often of these without a single try."""
    theirs = Response.objects.filter(
        Q(user=OuterRef("user")) | Q(visitor=OuterRef("visitor")), variant=OuterRef("variant")
    )
    asked = Help.objects.filter(period.within(), _of(slug), step=Help.SOLUTION)
    early = asked.filter(~Exists(theirs.filter(SOLVED | EXHAUSTED)))
    rows = _grouped(early.annotate(tried=Exists(theirs.filter(counts=True)))).annotate(
        gave_up=Count("pk"), untried=Count("pk", filter=Q(tried=False))
    )
    for row in rows:
        yield (row["variant__family"], row["variant__version"]), row["gave_up"], row["untried"]


def _medians(period: Period, slug: str) -> dict[Key, float]:
    """The middle times. The numbers are fetched: ranking them in SQLite takes four times as long."""
    ended = Response.objects.filter(period.within(), _of(slug), SOLVED | EXHAUSTED, seconds__isnull=False)
    times: dict[Key, list[int]] = defaultdict(list)
    for slug, version, seconds in ended.order_by().values_list(*KEY, "seconds"):
        times[slug, version].append(seconds)
    return {key: float(median(values)) for key, values in times.items()}


def _tallies(period: Period, slug: str) -> list[Tally]:
    """Each person's work on each family: how much, how much right at once, and whether the first was.

    The first tries are fetched: grouping them in SQLite takes twice as long.
    """
    begun = Response.objects.filter(period.within(), _of(slug), try_number=1).order_by()
    works: dict[tuple[str, str, int], list[int]] = {}
    for person, family, version, number, state in begun.annotate(person=PERSON).values_list(
        "person", *KEY, "pk", "state"
    ):
        right = state == State.FIRST
        work = works.get((person, family, version))
        if work is None:
            works[person, family, version] = [1, right, number, right]
            continue
        work[0] += 1
        work[1] += right
        if number < work[2]:
            work[2:] = number, right
    return [Tally(*key, begun, right, bool(first)) for key, (begun, right, _pk, first) in works.items()]


def _everywhere(period: Period) -> dict[Hashable, tuple[int, int]]:
    """Each person's work on all families: how much, and how much of it right at once."""
    rows = (
        Response.objects.filter(period.within(), try_number=1)
        .order_by()
        .annotate(person=PERSON)
        .values_list("person")
        .annotate(work=Count("pk"), at_once=Count("pk", filter=Q(state=State.FIRST)))
    )
    return {person: (begun, right) for person, begun, right in rows}


def _of(slug: str) -> Q:
    return Q(variant__family=slug) if slug else Q()


def _grouped(rows: QuerySet[Any]) -> QuerySet[Any, dict[str, Any]]:
    return rows.order_by().values(*KEY)


@dataclass(frozen=True, kw_only=True)
class MistakeCount:
    """How often a diagnosis was made: its entries (several: either of them); none for what is not known."""

    diagnosis: tuple[str, ...]
    is_shape: bool
    count: int

    @property
    def is_unknown(self) -> bool:
        return not self.diagnosis and not self.is_shape


def mistake_counts(slug: str, period: Period = EVER, *, version: int | None = None) -> list[MistakeCount]:
    """What the wrong tries of a family were told, most frequent first. One query."""
    rows = (
        _of_family(slug, period, version=version)
        .filter(WRONG)
        .order_by()
        .values("diagnosis", "verdict")
        .annotate(count=Count("pk"))
    )
    counts: dict[tuple[tuple[str, ...], bool], int] = defaultdict(int)
    for row in rows:
        diagnosis = tuple(row["diagnosis"])
        counts[diagnosis, not diagnosis and row["verdict"] == "wrong_shape"] += row["count"]
    found = [
        MistakeCount(diagnosis=diagnosis, is_shape=is_shape, count=count)
        for (diagnosis, is_shape), count in counts.items()
    ]
    return sorted(found, key=lambda one: (-one.count, one.diagnosis))


@dataclass(frozen=True, kw_only=True)
class FrequentMistake:
    """A mistake over all families, and the family in which it was made most often."""

    slug: str
    count: int
    family: str


def frequent_mistakes(period: Period, *, most: int) -> list[FrequentMistake]:
    """What was named by itself (not as one of several) most often. One query."""
    rows = (
        Response.objects.filter(period.within(), WRONG)
        .exclude(diagnosis=[])
        .order_by()
        .values_list("variant__family", "diagnosis")
        .annotate(count=Count("pk"))
    )
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for family, diagnosis, count in rows:
        if len(diagnosis) == 1:
            found[diagnosis[0]][family] += count
    ranked = sorted(found.items(), key=lambda one: (-one[1].total(), one[0]))
    return [
        FrequentMistake(slug=slug, count=families.total(), family=families.most_common(1)[0][0])
        for slug, families in ranked[:most]
    ]


def unknown_responses(slug: str, period: Period = EVER, *, version: int | None = None) -> QuerySet[Response]:
    """The wrong tries that no known mistake explains, newest first, with their variants."""
    rows = _of_family(slug, period, version=version).filter(UNKNOWN)
    return rows.select_related("variant").order_by("-id")


def _of_family(slug: str, period: Period, *, version: int | None) -> QuerySet[Response]:
    rows = Response.objects.filter(period.within(), variant__family=slug)
    return rows if version is None else rows.filter(variant__version=version)
