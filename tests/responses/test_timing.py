"""Which try an answer was, and how long it took from the first opening of the page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quiz.accounts.models import User
from quiz.accounts.people import Person
from quiz.exercises.drawing import vary
from quiz.responses.models import Response
from quiz.responses.recording import record

NOW = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
ENTRY = vary("scaled_entry", 7)


@pytest.fixture
def person(candidate: User) -> Person:
    return Person(user=candidate)


def hand_in(person: Person, text: str, *, at: int, opened: int | None) -> Response:
    """`at` and `opened` in seconds after NOW."""
    return record(
        person,
        variant=ENTRY,
        raw={"scaled": text},
        now=NOW + timedelta(seconds=at),
        opened_at=None if opened is None else NOW + timedelta(seconds=opened),
    )


def test_tries_that_count_are_numbered(person: Person) -> None:
    right = f"{ENTRY.right['scaled']:.4f}"
    numbers = [hand_in(person, text, at=0, opened=0).try_number for text in ("9", "9", "x", "8", right, "7")]
    assert numbers == [1, 0, 0, 2, 3, 0]


def test_time_runs_from_the_first_opening_even_over_a_reload(person: Person) -> None:
    first = hand_in(person, "9", at=90, opened=30)
    again = hand_in(person, "8", at=400, opened=380)
    assert (first.seconds, again.seconds) == (60, 370)


@pytest.mark.parametrize("opened", [None, 91, 90 - 24 * 3600 - 1], ids=["unknown", "later", "days before"])
def test_time_that_nobody_can_tell_stays_unknown_for_the_tries_that_follow(
    person: Person, opened: int | None
) -> None:
    assert hand_in(person, "9", at=90, opened=opened).seconds is None
    assert hand_in(person, "8", at=100, opened=95).seconds is None


def test_a_day_is_still_known(person: Person) -> None:
    assert hand_in(person, "9", at=24 * 3600, opened=0).seconds == 24 * 3600
