"""What goes into a practice set: which families, how often, in what order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from quiz.exercises.registry import all_families, get
from quiz.practice.composing import SIZE, about_section, against, compose, fresh_items, one_handed, spread_out

EVERYTHING = all_families()


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_section_has_its_own_families_first_and_then_those_it_shares() -> None:
    found = about_section(EVERYTHING, "7.12")
    own = [family.sections[0] == "7.12" for family in found]
    assert own == sorted(own, reverse=True)
    assert {f.slug for f in found} == {f.slug for f in EVERYTHING if "7.12" in f.sections}
    assert about_section(EVERYTHING, "9.9") == []


def test_against_a_mistake_are_the_families_that_know_it() -> None:
    slugs = {family.slug for family in against(EVERYTHING, "no_scale")}
    assert {"attention_row", "scaled_entry", "full_output"} <= slugs
    assert "kv_cache" not in slugs
    assert against(EVERYTHING, "nothing_of_the_kind") == []


@pytest.mark.parametrize("count", range(1, 12))
@pytest.mark.parametrize("seed", range(4))
def test_sets_are_short_ones_first_twice_at_most_and_never_twice_running(count: int, seed: int) -> None:
    families = list(EVERYTHING[:count])
    made = compose(families, rng(seed))
    assert len(made) == min(SIZE, 2 * count)
    first = made[: min(count, SIZE)]
    assert [f.minutes for f in first] == sorted(f.minutes for f in first)
    assert {f.slug for f in first} == {f.slug for f in families[:SIZE]}
    assert max(made.count(family) for family in made) <= 2
    if count > 1:
        assert all(one is not other for one, other in pairwise(made))


def test_mixed_takes_every_section_once_before_any_again() -> None:
    order = spread_out(EVERYTHING, rng())
    sections = {family.sections[0] for family in EVERYTHING}
    assert {family.sections[0] for family in order[: len(sections)]} == sections
    assert sorted(f.slug for f in order) == sorted(f.slug for f in EVERYTHING)
    assert order != spread_out(EVERYTHING, rng(1))


def test_one_handed_keeps_only_what_a_phone_is_good_for() -> None:
    assert {f.slug for f in one_handed(EVERYTHING)} == {f.slug for f in EVERYTHING if f.one_handed}


def test_the_same_family_twice_has_other_numbers() -> None:
    items = fresh_items([get("kv_cache"), get("kv_cache")], rng())
    assert [item["family"] for item in items] == ["kv_cache", "kv_cache"]
    assert items[0]["seeds"] != items[1]["seeds"]
