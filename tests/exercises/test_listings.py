"""Every listing of the drill is run: mended it is attention, with its fault it is the core's own fault."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import attention, faults, pipeline
from attention_core.softmax import softmax
from quiz.exercises.drills.fault_words import FAULT_WORDS
from quiz.exercises.drills.lines import ROLES
from quiz.exercises.drills.listings import LISTINGS, faulty_listings
from quiz.exercises.families import spot_the_line
from tests.exercises.drawn import variants

Arrays = tuple[Any, ...]
PAIRS = pytest.mark.parametrize(("slug", "fault"), faulty_listings())


def run(lines: tuple[str, ...]) -> Callable[..., Any]:
    """The listing's function, with nothing but NumPy and a softmax in reach."""
    names: dict[str, Any] = {"np": np, "softmax": lambda x, axis: softmax(x, axis=axis)}
    exec(compile("\n".join(lines), "<listing>", "exec"), names)
    attend: Callable[..., Any] = names["attend"]
    return attend


def single(rng: np.random.Generator, queries: int = 6, keys: int = 6, width: int = 4) -> Arrays:
    return tuple(rng.normal(size=(n, width)) for n in (queries, keys, keys))


def inputs(slug: str, rng: np.random.Generator) -> tuple[Arrays, Any]:
    """What the listing is called with, and the same as inputs of the core's pipeline."""
    if slug == "projected":
        x = rng.normal(size=(6, 5))
        matrices = tuple(rng.normal(size=(5, 3)) for _ in range(3))
        return (x, *matrices), pipeline.prepare_from_x(x, *matrices)
    if slug == "cached":
        arrays = single(rng, queries=3, keys=7)
        return arrays, pipeline.prepare(*arrays, causal="bottom_right")
    if slug == "grouped":
        arrays = tuple(rng.normal(size=(heads, 6, 4)) for heads in (6, 2, 2))
        return arrays, pipeline.prepare(*arrays)
    arrays = single(rng)
    if slug == "windowed":
        return (*arrays, 2), pipeline.prepare(*arrays, causal="top_left", window=(2, 0))
    if slug == "padded":
        real = np.zeros(6, dtype=bool) if rng.random() < 0.3 else rng.random(6) < 0.6
        return (*arrays, real), pipeline.prepare(*arrays, mask=real)
    if slug == "both":
        real = np.arange(6) >= 2
        return (*arrays, real), pipeline.prepare(*arrays, mask=real, causal="top_left")
    if slug == "by_hand":
        seen = rng.random((6, 6)) < 0.6
        seen[1] = False
        return (*arrays, seen), pipeline.prepare(*arrays, mask=seen)
    causal = "top_left" if slug == "causal" else None
    return arrays, pipeline.prepare(*arrays, causal=causal)


def same(one: Any, other: Any) -> bool:
    return np.allclose(one, other, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("slug", LISTINGS)
def test_the_mended_listing_is_attention(slug: str) -> None:
    attend = run(LISTINGS[slug].code())
    for seed in range(20):
        given, prepared = inputs(slug, np.random.default_rng(seed))
        with np.errstate(all="ignore"):
            assert same(attend(*given), pipeline.follow(prepared).output)


def test_the_plain_listing_is_attention_of_the_definition() -> None:
    q, k, v = single(np.random.default_rng(1))
    expected = np.exp(q @ k.T / 2)
    expected = expected / expected.sum(axis=1, keepdims=True) @ v
    assert same(run(LISTINGS["plain"].code())(q, k, v), expected)
    assert same(attention(q, k, v), expected)


@PAIRS
def test_the_faulty_listing_is_what_the_fault_is(slug: str, fault: str) -> None:
    """On every input like the core's broken pipeline, on some unlike the right one."""
    listing = LISTINGS[slug]
    attend, right = run(listing.code(fault)), run(listing.code())
    unlike = 0
    for seed in range(30):
        given, prepared = inputs(slug, np.random.default_rng(seed))
        with np.errstate(all="ignore"):
            output = attend(*given)
            broken = pipeline.follow(prepared, faults.steps_with(fault)).output
            assert same(output, broken), seed
            unlike += not same(output, right(*given))
    assert unlike > 0


@PAIRS
def test_one_line_is_wrong_and_no_other_fault_of_the_options_reads_the_same(slug: str, fault: str) -> None:
    listing = LISTINGS[slug]
    wrong, right = listing.code(fault), listing.code()
    changed = [number for number, (a, b) in enumerate(zip(wrong, right, strict=True), start=1) if a != b]
    assert changed == [listing.faulty_line(fault)]
    assert [other for other in listing.faults if listing.code(other) == wrong] == [fault]
    ast.parse("\n".join(wrong))
    assert all(len(line) <= 56 for line in wrong)


def test_there_are_enough_listings_and_all_their_lines_have_a_role() -> None:
    assert len(faulty_listings()) >= 12
    roles = [role for listing in LISTINGS.values() for role, _ in listing.lines]
    assert set(roles) == set(ROLES)
    for listing in LISTINGS.values():
        assert len({role for role, _ in listing.lines}) == len(listing.lines)
        assert len(listing.lines) <= 9
    assert {fault for _, fault in faulty_listings()} <= set(FAULT_WORDS)


def test_offered_faults_are_five_and_those_of_the_same_listing_come_first() -> None:
    for variant in variants("spot_the_line"):
        offered = [option.slug for option in variant.part("fault").options]
        assert len(offered) == spot_the_line.OPTIONS
        near = LISTINGS[variant.drawn["listing"]].faults.keys()
        assert len(set(offered) & set(near)) == min(len(near), spot_the_line.OPTIONS)
        shown = [option.label.en for option in variant.part("line").options]
        assert shown == list(LISTINGS[variant.drawn["listing"]].code(variant.drawn["fault"]))
