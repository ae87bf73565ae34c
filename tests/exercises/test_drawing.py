"""Drawing: seeds, determinism, the bounded number of tries, and what the registry knows."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from quiz.exercises import registry
from quiz.exercises.drawing import MAX_TRIES, CannotDraw, draw_variant, restore, vary
from quiz.exercises.families.scaled_entry import ScaledEntry
from quiz.exercises.seeds import MAX_SEED, SeedError, check_seed, stream
from quiz.exercises.types import Drawn
from quiz.exercises.variants import UnknownPart
from tests.exercises.drawn import SLUGS


class Hopeless(ScaledEntry):
    """Every draw is refused."""

    slug = "hopeless"
    asked = 0

    def accepts(self, drawn: Drawn) -> bool:
        self.asked += 1
        return False


class Confused(ScaledEntry):
    """Two mistakes that always coincide."""

    slug = "confused"

    def mistaken(self, drawn: Drawn, slug: str) -> dict[str, Any]:
        return super().mistaken(drawn, "no_scale" if slug == "cosine" else slug)


class Merged(Confused):
    """The same two, declared to be one."""

    slug = "merged"
    merged = (frozenset({"no_scale", "cosine"}),)


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 1.0, "1", True, None])
def test_seed_that_is_no_whole_number_in_range_is_refused(seed: Any) -> None:
    with pytest.raises(SeedError):
        check_seed(seed)
    with pytest.raises(SeedError):
        vary("scaled_entry", seed)


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("seed", [0, MAX_SEED])
def test_seeds_at_both_ends_draw_and_draw_the_same_again(slug: str, seed: int) -> None:
    variant = vary(slug, seed)
    again = draw_variant(registry.get(slug), seed)
    assert (again.drawn, again.right, again.tries) == (variant.drawn, variant.right, variant.tries)
    assert vary(slug, seed) is variant
    assert 1 <= variant.tries <= MAX_TRIES


def test_draws_do_not_depend_on_the_process() -> None:
    code = (
        "import json; from quiz.exercises.drawing import vary; "
        "print(json.dumps(vary('attention_row', 77).drawn))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(salt)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in (1, 2)
    }
    assert [json.loads(output) for output in outputs] == [vary("attention_row", 77).drawn]


def test_families_and_versions_have_streams_of_their_own() -> None:
    first = [
        stream(5, slug=slug, version=version).integers(2**62)
        for slug, version in (("a", 1), ("a", 2), ("b", 1))
    ]
    assert len(set(first)) == 3


def test_tries_are_bounded() -> None:
    family = Hopeless()
    with pytest.raises(CannotDraw, match="hopeless, seed 4: no fit draw in 25 tries"):
        draw_variant(family, 4, max_tries=25)
    assert family.asked == 25


def test_coinciding_mistakes_cannot_be_drawn_unless_declared_one() -> None:
    with pytest.raises(CannotDraw):
        draw_variant(Confused(), 0, max_tries=50)
    assert draw_variant(Merged(), 0, max_tries=50).told_apart


def test_a_mistake_close_to_right_is_redrawn() -> None:
    family = registry.get("scaled_entry")
    near = {"q": [1, 1], "k": [1, -2], "heads": 3, "tokens": 2}  # √n = √d_k: no mistake at all
    assert not restore("scaled_entry", 0, 1, near).told_apart
    assert not family.accepts(near)


def test_a_stored_variant_is_restored_as_it_was_asked() -> None:
    variant = vary("kv_cache", 12)
    stored = json.loads(json.dumps(variant.drawn))
    restored = restore("kv_cache", 12, variant.version, stored)
    assert (restored.right, restored.mistakes) == (variant.right, variant.mistakes)
    assert (restored.prompt, restored.solution) == (variant.prompt, variant.solution)
    assert (restored.tries, restored.version) == (0, variant.version)


def test_a_variant_knows_its_parts_and_misconceptions() -> None:
    variant = vary("scaled_entry", 1)
    assert [part.name for part in variant.required] == ["scaled"]
    assert variant.misconception("cosine").slug == "cosine"
    with pytest.raises(KeyError):
        variant.misconception("nothing")
    with pytest.raises(UnknownPart):
        variant.part("nothing")


def test_unknown_family_is_a_key_error_that_names_it() -> None:
    with pytest.raises(registry.UnknownFamily) as error:
        registry.get("nothing")
    assert (error.value.slug, isinstance(error.value, KeyError)) == ("nothing", True)


def test_a_slug_is_given_once() -> None:
    with pytest.raises(ValueError, match="share the slug 'scaled_entry'"):

        @registry.register
        class Other(ScaledEntry):
            pass

    assert type(registry.get("scaled_entry")) is ScaledEntry


def test_families_of_a_source_are_found_anew_each_time() -> None:
    authored: list[Merged] = []

    def source() -> list[Merged]:
        return authored

    registry.add_source(source)
    try:
        with pytest.raises(registry.UnknownFamily):
            registry.get("merged")
        authored.append(Merged())
        assert registry.get("merged") is authored[0]
        assert authored[0] in registry.all_families()
    finally:
        registry.remove_source(source)
    assert "merged" not in {family.slug for family in registry.all_families()}


def test_families_come_in_the_order_of_the_chapter() -> None:
    sections = [[int(n) for n in family.sections[0].split(".")] for family in registry.all_families()]
    assert sections == sorted(sections)
