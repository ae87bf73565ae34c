"""The exercise statistics against a count by hand over the same made-up work, and on the edges."""

from __future__ import annotations

import statistics as oracle
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quiz.accounts.models import User, Visitor
from quiz.responses.models import Response, Variant
from quiz.responses.statistics import (
    FamilyStatistics,
    Period,
    family_statistics,
    frequent_mistakes,
    mistake_counts,
    unknown_responses,
)
from tests.responses.planting import START, Work, imagine, people, plant

pytestmark = [pytest.mark.django_db, pytest.mark.database]
FAMILIES = ["scaled_entry", "kv_cache", "mha_shape", "softmax_row"]


def by_hand(works: list[Work]) -> FamilyStatistics:
    """What the work of one family in one version comes to."""
    begun = [work for work in works if work.verdicts or work.gave_up]
    solved = [work for work in begun if work.verdicts[-1:] == ["right"]]
    ended = [w for w in begun if w in solved or len(w.verdicts) == 3]
    seconds = [w.seconds + len(w.verdicts) for w in ended if w.seconds is not None]
    wrong = [
        (verdict, diagnosis)
        for work in begun
        for verdict, diagnosis in zip(work.verdicts, work.diagnoses, strict=True)
        if verdict != "right"
    ]
    states = Counter(work.state for work in solved)
    variant = works[0].variant
    return FamilyStatistics(
        slug=variant.family,
        version=variant.version,
        people=len({work.person.pk for work in begun if work.verdicts}),
        begun=len(begun),
        first=states["first"],
        changed=states["changed"],
        helped=states["helped"],
        solution=sum(work.gave_up or (len(work.verdicts) == 3 and work not in solved) for work in begun),
        tries=sum(len(work.verdicts) for work in begun),
        wrong=len(wrong),
        unknown=sum(verdict != "wrong_shape" and not diagnosis for verdict, diagnosis in wrong),
        unread=sum(work.unread for work in works),
        median_seconds=float(oracle.median(seconds)) if seconds else None,
    )


@pytest.fixture
def works(db: None) -> list[Work]:
    made = imagine(people(30), FAMILIES, each=12, rng=np.random.default_rng(5))
    plant(made)
    return made


def grouped(works: list[Work]) -> dict[tuple[str, int], list[Work]]:
    found: dict[tuple[str, int], list[Work]] = {}
    for work in works:
        found.setdefault((work.variant.family, work.variant.version), []).append(work)
    return found


def without_discrimination(row: FamilyStatistics) -> FamilyStatistics:
    from dataclasses import replace

    return replace(row, discrimination=None)


def test_every_number_is_the_one_counted_by_hand(works: list[Work]) -> None:
    counted = {(row.slug, row.version): without_discrimination(row) for row in family_statistics()}
    assert counted == {key: by_hand(group) for key, group in grouped(works).items()}
    assert len(counted) == 2 * len(FAMILIES)


def test_ends_and_what_is_open_make_up_all_that_was_begun(works: list[Work]) -> None:
    for row in family_statistics():
        assert row.first + row.changed + row.helped + row.solution + row.still_open == row.begun
        assert row.still_open == 0  # everybody here goes on to the end


def test_work_that_was_left_is_open(candidate: User) -> None:
    variant = Variant.objects.create(family="kv_cache", seed=1, version=1, drawn={})
    plant([Work(candidate, variant, verdicts=["wrong"], diagnoses=[[]])])
    (row,) = family_statistics()
    assert (row.begun, row.still_open, row.solution, row.median_seconds) == (1, 1, 0, None)


def test_the_solution_asked_for_counts_once_however_it_was_reached(candidate: User) -> None:
    def work(seed: int, *verdicts: str, gave_up: bool) -> Work:
        variant = Variant.objects.create(family="kv_cache", seed=seed, version=1, drawn={})
        return Work(candidate, variant, list(verdicts), [[] for _verdict in verdicts], gave_up=gave_up)

    plant(
        [
            work(1, gave_up=True),
            work(2, "wrong", gave_up=True),
            work(3, "wrong", "wrong", "wrong", gave_up=True),  # the last try had shown it already
            work(4, "wrong", "right", gave_up=True),  # asked for when it was right already
        ]
    )
    (row,) = family_statistics()
    assert (row.begun, row.solution, row.changed, row.still_open, row.people) == (4, 3, 1, 0, 1)


def test_a_user_and_a_visitor_are_not_taken_for_each_other(candidate: User) -> None:
    variant = Variant.objects.create(family="kv_cache", seed=1, version=1, drawn={})
    visitor = Visitor.objects.create()
    plant([Work(candidate, variant, ["right"], [[]]), Work(visitor, variant, gave_up=True)])
    (row,) = family_statistics()
    assert (row.people, row.begun, row.first, row.solution) == (1, 2, 1, 1)


def test_only_what_was_handed_in_within_the_dates_is_counted(works: list[Work]) -> None:
    since, until = START + timedelta(days=10), START + timedelta(days=20)
    within = [work for work in works if since <= work.at and work.at + timedelta(minutes=1) < until]
    period = Period(since=since, until=until)
    sure = {key: by_hand(group) for key, group in grouped(within).items()}
    for row in family_statistics(period):
        assert row.begun == sure[row.slug, row.version].begun
        assert row.tries == sure[row.slug, row.version].tries
    assert family_statistics(Period(until=START)) == []
    everything = [without_discrimination(row) for row in family_statistics(Period(since=START))]
    assert everything == [without_discrimination(row) for row in family_statistics()]


def test_mistakes_are_counted_by_what_was_told(works: list[Work]) -> None:
    told = Counter(
        (tuple(diagnosis), verdict == "wrong_shape" and not diagnosis)
        for work in works
        if work.variant.family == "scaled_entry"
        for verdict, diagnosis in zip(work.verdicts, work.diagnoses, strict=True)
        if verdict != "right"
    )
    counts = mistake_counts("scaled_entry")
    assert {(one.diagnosis, one.is_shape): one.count for one in counts} == told
    assert [one.count for one in counts] == sorted(told.values(), reverse=True)
    first = sum(one.count for one in mistake_counts("scaled_entry", version=1))
    second = sum(one.count for one in mistake_counts("scaled_entry", version=2))
    assert (first + second, second > 0) == (told.total(), True)


def test_unknown_answers_are_those_that_are_counted_as_unknown_newest_first(works: list[Work]) -> None:
    counted = {(row.slug, row.version): row.unknown for row in family_statistics()}
    for version in (1, 2):
        found = list(unknown_responses("scaled_entry", version=version))
        assert len(found) == counted["scaled_entry", version]
        assert [one.pk for one in found] == sorted((one.pk for one in found), reverse=True)
        assert {(tuple(one.diagnosis), one.counts) for one in found} == {((), True)}


def test_frequent_mistakes_are_summed_over_families(works: list[Work]) -> None:
    alone = Counter(diagnosis[0] for work in works for diagnosis in work.diagnoses if len(diagnosis) == 1)
    found = frequent_mistakes(Period(), most=5)
    assert {one.slug: one.count for one in found} == alone
    assert frequent_mistakes(Period(), most=1) == found[:1]
    most = Counter(
        work.variant.family for work in works for diagnosis in work.diagnoses if diagnosis == [found[0].slug]
    )
    assert most[found[0].family] == max(most.values())


def test_one_family_alone_has_the_same_numbers(works: list[Work]) -> None:
    everything = family_statistics()
    assert any(row.discrimination is not None for row in everything)
    for slug in FAMILIES:
        assert family_statistics(slug=slug) == [row for row in everything if row.slug == slug]


def test_statistics_take_a_fixed_number_of_queries(works: list[Work]) -> None:
    with CaptureQueriesContext(connection) as many:
        family_statistics()
    Response.objects.exclude(variant__family="kv_cache").delete()
    with CaptureQueriesContext(connection) as few:
        family_statistics()
    assert len(many) == len(few) == 4
