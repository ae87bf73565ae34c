"""The point-biserial correlation: closed forms, Pearson's as an oracle, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from quiz.responses.discriminating import (
    LEAST_OTHERS,
    LEAST_PEOPLE,
    Tally,
    point_biserial,
    totals,
)
from quiz.responses.discriminating import discriminations as from_totals


def test_it_is_pearson_s_correlation_with_a_number_that_is_0_or_1() -> None:
    rng = np.random.default_rng(3)
    for _case in range(50):
        number = rng.uniform(0, 1, 40)
        outcome = (number + rng.normal(0, 0.5, 40) > 0.5).astype(int)
        if len(set(outcome.tolist())) < 2:
            continue
        expected = float(np.corrcoef(outcome, number)[0, 1])
        pairs = list(zip(outcome.tolist(), number.tolist(), strict=True))
        assert point_biserial(pairs) == pytest.approx(expected, abs=1e-12)


def test_closed_forms() -> None:
    assert point_biserial([(0, 0.2), (0, 0.2), (1, 0.8), (1, 0.8)]) == pytest.approx(1)
    assert point_biserial([(1, 0.2), (1, 0.2), (0, 0.8), (0, 0.8)]) == pytest.approx(-1)
    assert point_biserial([(0, 0.2), (1, 0.2), (0, 0.8), (1, 0.8)]) == pytest.approx(0)


@pytest.mark.parametrize("pairs", [[(1, 0.1), (1, 0.9)], [(0, 0.1), (0, 0.9)], [(0, 0.5), (1, 0.5)]])
def test_without_two_outcomes_or_any_spread_there_is_none(pairs: list[tuple[int, float]]) -> None:
    assert point_biserial(pairs) is None


def discriminations(rows: list[Tally]) -> dict[tuple[str, int], float]:
    return from_totals(rows, totals(rows))


def class_of(count: int, *, others: int = LEAST_OTHERS) -> list[Tally]:
    """People of whom the second half are right here at once, and elsewhere the more the later they come."""
    rows = []
    for person in range(count):
        rows.append(Tally(person, "here", 1, 2, 1, person >= count // 2))
        rows.append(Tally(person, "there", 1, others, min(person, others), person > 0))
    return rows


def test_the_family_itself_is_left_out_of_the_share() -> None:
    rows = class_of(LEAST_PEOPLE)
    pairs = [
        (int(person >= LEAST_PEOPLE // 2), min(person, LEAST_OTHERS) / LEAST_OTHERS)
        for person in range(LEAST_PEOPLE)
    ]
    assert discriminations(rows)["here", 1] == pytest.approx(point_biserial(pairs))


def test_other_versions_of_the_family_are_left_out_too() -> None:
    rows = class_of(LEAST_PEOPLE)
    more = [Tally(person, "here", 2, 50, 50 * (person % 2), True) for person in range(LEAST_PEOPLE)]
    assert discriminations(rows + more)["here", 1] == discriminations(rows)["here", 1]


@pytest.mark.parametrize(
    ("count", "others"), [(LEAST_PEOPLE - 1, LEAST_OTHERS), (LEAST_PEOPLE, LEAST_OTHERS - 1), (0, 5)]
)
def test_too_few_people_or_too_little_elsewhere_gives_none(count: int, others: int) -> None:
    assert ("here", 1) not in discriminations(class_of(count, others=others))
