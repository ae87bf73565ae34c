"""The promise of every family, over many seeds: mistakes are told apart, named, and right answers never
refused.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from quiz.exercises import families, registry
from quiz.exercises.describing import describe_variant
from quiz.exercises.diagnosis import diagnose
from quiz.exercises.marking import WHOLE, mark, mark_part
from quiz.exercises.types import Part, Value
from quiz.exercises.variants import Variant
from tests.exercises.drawn import FIRST, SLUGS, rounded, typed, variants, variants_from


def numbers(value: Value) -> list[float]:
    return [x for item in value for x in numbers(item)] if isinstance(value, list) else [value]


def distance(part: Part, one: Value, other: Value) -> float:
    """The largest difference between two values, in tolerances of the part; written anew for this test."""
    a, b = numbers(one), numbers(other)
    if len(a) != len(b):
        return math.inf
    worst = 0.0
    for x, y in zip(a, b, strict=True):
        if isinstance(x, str) or isinstance(y, str):
            worst = worst if x == y else math.inf
        elif x != y:
            width = max(part.tolerance.absolute, part.tolerance.relative * max(abs(x), abs(y)))
            worst = max(worst, math.inf if width == 0 or math.isinf(x - y) else abs(x - y) / width)
    return worst


def numbered(part: Part, value: Value) -> list[float]:
    """A value as numbers: a choice by its place among the options."""
    if part.kind == "choice":
        return [float([option.slug for option in part.options].index(value))]
    return numbers(value)


def assert_told_apart(variant: Variant) -> None:
    """Every mistake is 4 tolerances from right and from every other one, over the required parts together."""
    rows = {"right": variant.right, **variant.raw_mistakes}
    apart = np.zeros((len(rows), len(rows)))
    for part in variant.required:
        cells = np.array([numbered(part, values[part.name]) for values in rows.values()])
        one, other = cells[:, None, :], cells[None, :, :]
        scale = np.maximum(np.abs(one), np.abs(other))
        width = np.maximum(part.tolerance.absolute, part.tolerance.relative * scale)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(one == other, 0, np.abs(one - other) / width)
        apart = np.maximum(apart, steps.max(axis=-1))
    near = np.argwhere((apart < 4) & ~np.eye(len(rows), dtype=bool))
    assert near.size == 0, (variant.seed, [[list(rows)[i] for i in pair] for pair in near])


def assert_named(variant: Variant) -> None:
    """On the answer the planted mistake is named alone; on a step everything named has that very value."""
    for slug, values in variant.raw_mistakes.items():
        wrong_somewhere = False
        for part in variant.parts:
            value = values[part.name]
            found = diagnose(variant, part.name, rounded(value))
            if part.name not in variant.mistakes[slug]:
                assert distance(part, value, variant.right[part.name]) <= 1
                continue
            wrong_somewhere = True
            assert slug in found, (variant.seed, slug, part.name)
            for other in set(found) - {slug}:
                assert distance(part, variant.mistakes[other][part.name], value) <= 1.2
            if part.required:
                assert found == (slug,), (variant.seed, part.name)
        assert wrong_somewhere


def assert_options_named(variant: Variant) -> None:
    """Whatever wrong option is chosen has a misconception of its own; options are there once each."""
    for part in variant.parts:
        options = [option.slug for option in part.options]
        assert (len(options) > 1) == (part.kind == "choice")
        assert len(set(options)) == len(options)
        if options:
            shown = [values[part.name] for values in variant.mistakes.values() if part.name in values]
            assert sorted([*shown, variant.right[part.name]]) == sorted(options), (variant.seed, part.name)


@pytest.mark.parametrize("slug", SLUGS)
def test_mistakes_are_told_apart_and_named(slug: str) -> None:
    seen: set[str] = set()
    known = [m.slug for m in registry.get(slug).misconceptions]
    has_choices = any(part.kind == "choice" for part in variants(slug)[0].parts)
    for variant in variants(slug):
        found = list(variant.raw_mistakes)
        assert found == [one for one in known if one in found]
        assert has_choices or found == known
        seen |= set(found)
        assert_told_apart(variant)
        assert_named(variant)
        assert_options_named(variant)
    assert seen == set(known)


@pytest.mark.parametrize("slug", SLUGS)
def test_places_of_options_give_nothing_away(slug: str) -> None:
    """The right option stands now here, now there; lines of code stay in their order, and the faulty one is
    now this, now that. The order is stored with the draw."""
    first = variants(slug)[0]
    for part in first.parts:
        if part.kind != "choice":
            continue
        places = []
        for variant in variants(slug):
            asked = variant.part(part.name)
            options = [option.slug for option in asked.options]
            places.append(options.index(variant.right[part.name]))
            if asked.is_listing:
                assert options == [f"line_{number}" for number in range(1, len(options) + 1)]
            again = Variant(variant.family, 0, variant.version, json.loads(json.dumps(variant.drawn)))
            assert [option.slug for option in again.part(part.name).options] == options
        assert max(places.count(place) for place in places) <= 0.6 * len(places), part.name


@pytest.mark.parametrize("slug", SLUGS)
def test_typed_answers_get_the_verdict_they_earn(slug: str) -> None:
    """Right ones exact and rounded; on the required parts each planted mistake, rounded as it is typed."""
    for variant in variants(slug):
        for part in variant.parts:
            right = variant.right[part.name]
            for value in (right, rounded(right)):
                verdict = mark_part(variant, part.name, typed(value))
                assert (verdict.key, verdict.score) == ("right", 1.0), (variant.seed, part.name, verdict)
        for part in variant.required:
            for mistake, values in variant.mistakes.items():
                if part.name not in values:  # this mistake shows in another required part
                    continue
                verdict = mark_part(variant, part.name, typed(rounded(values[part.name])))
                assert verdict.diagnosis == (mistake,), (variant.seed, mistake)
                assert verdict.key in (("wrong",) if part.kind in WHOLE else ("wrong", "partial"))
                assert verdict.score < 1


@pytest.mark.parametrize("slug", SLUGS)
def test_a_whole_right_answer_is_right_whether_steps_are_filled_in_or_not(slug: str) -> None:
    for variant in variants(slug)[:50]:
        answer = {part.name: typed(variant.right[part.name]) for part in variant.required}
        steps = {part.name: typed(variant.right[part.name]) for part in variant.parts}
        assert (mark(variant, answer).key, mark(variant, steps).key) == ("right", "right")
        assert [p.part for p in mark(variant, steps).parts] == [p.name for p in variant.parts]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_printed_value_reads_as_itself(slug: str) -> None:
    """What `exercise --json` prints, typed back: the right value is right to the last digit, a mistake is
    itself.
    """
    for variant in variants(slug)[:100]:
        described = json.loads(json.dumps(describe_variant(variant), allow_nan=False))
        for part in described["parts"]:
            verdict = mark_part(variant, part["name"], json.dumps(part["right"]))
            assert (verdict.key, verdict.value) == ("right", variant.right[part["name"]])
            for slug_, value in part["misconceptions"].items():
                verdict = mark_part(variant, part["name"], json.dumps(value))
                assert verdict.value == variant.mistakes[slug_][part["name"]]
                assert slug_ in verdict.diagnosis


@pytest.mark.parametrize("slug", SLUGS)
def test_values_have_the_shape_and_kind_of_their_part(slug: str) -> None:
    def shape(value: Value) -> tuple[int, ...]:
        return (len(value), *shape(value[0])) if isinstance(value, list) else ()

    for variant in variants(slug)[:100]:
        names = [part.name for part in variant.parts]
        assert list(variant.right) == names
        for part in variant.parts:
            value = variant.right[part.name]
            assert shape(value) == (part.shape if part.kind != "shape" else (len(value),))
            assert all(used in names[: names.index(part.name)] for used in part.uses)
            if part.kind == "choice":
                assert value in [option.slug for option in part.options]
                continue
            if part.kind in ("integer", "shape"):
                assert all(type(number) is int for number in numbers(value))
            assert part.infinite == any(math.isinf(number) for number in numbers(value))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_family_draws_in_few_tries_and_varies(slug: str) -> None:
    tries = [variant.tries for variant in variants(slug)]
    assert sum(tries) / len(tries) <= 15
    drawn = {json.dumps(variant.drawn, sort_keys=True) for variant in variants(slug)}
    assert len(drawn) >= len(tries) * 6 // 10


def test_the_shipped_families_are_found_by_themselves() -> None:
    assert set(SLUGS) >= FIRST
    modules = {path.stem for path in Path(families.__path__[0]).glob("*.py")} - {"__init__"}
    assert modules == {family.slug for family in registry.all_families()}


@pytest.mark.prove
@pytest.mark.parametrize("slug", SLUGS)
def test_mistakes_are_told_apart_and_named_over_further_seeds(slug: str) -> None:
    for variant in variants_from(slug, range(2**62, 2**62 + 4000)):
        assert_told_apart(variant)
        assert_named(variant)
