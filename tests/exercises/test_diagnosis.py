"""The ladder of diagnosis: misconceptions, then pairs of them, then slips, then an honest "not known"."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from attention_core import faults
from quiz.exercises import registry, slips
from quiz.exercises.comparing import cells_of, same, shape_of
from quiz.exercises.diagnosis import SURE, diagnose, misconceptions_in, narrowed, rung, value_of
from quiz.exercises.drawing import vary
from quiz.exercises.explaining import explain
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.spotting import spot
from quiz.exercises.types import Part, Text, Value
from quiz.exercises.variants import APART, PAIRED, Variant, pair_of
from tests.exercises.drawn import SLUGS, rounded, typed, variants

PAIRING = ("attention_row", "causal_row", "full_output", "kv_cache")
NUMERIC = ("scalar", "integer", "vector", "matrix", "sequence")


# ---- pairs ----


def test_pairs_are_told_apart_in_the_families_of_the_design() -> None:
    assert {slug for slug in SLUGS if vary(slug, 0).pairs(vary(slug, 0).required[0].name)} == set(PAIRING)


@pytest.mark.parametrize(
    ("slug", "names"),
    [
        ("attention_row", faults.ATTENTION_ROW),
        ("full_output", faults.FULL_OUTPUT),
        ("causal_row", faults.CAUSAL_ROW),
    ],
)
def test_pairs_of_attention_are_those_that_the_core_composes(slug: str, names: tuple[str, ...]) -> None:
    composed = {pair_of(*pair) for pair in faults.pairs(names)} - {pair_of(*p) for p in faults.CANCELLING}
    assert vary(slug, 0).pairs("output").keys() == composed


def test_two_mistakes_about_a_cache_multiply() -> None:
    """An oracle: sizes are factors, so two mistakes change the answer by both of their ratios."""
    for variant in variants("kv_cache")[:100]:
        right = variant.right["batch"]
        for pair, value in variant.pairs("batch").items():
            one, other = (variant.raw_mistakes[slug]["batch"] / right for slug in pair.split(PAIRED))
            assert value == pytest.approx(right * one * other, rel=1e-9), pair


@pytest.mark.parametrize("slug", PAIRING)
def test_a_planted_pair_is_named_exactly_when_it_is_the_only_explanation(slug: str) -> None:
    planted = named = 0
    for variant in variants(slug)[:60]:
        part = variant.required[0]
        values = variant.pairs(part.name)
        pairs = [pair for pair in values if variant.takes_both(pair, part.name)]
        for pair in pairs:
            value = values[pair]
            rivals = [p for p in pairs if p != pair and same(part, value, values[p])]
            simple = [s for s, wrong in variant.mistakes.items() if same(part, value, wrong[part.name])]
            alone = not rivals and not simple and spot(variant, part, value) not in SURE
            assert (diagnose(variant, part.name, value) == (pair,)) == alone, (variant.seed, pair)
            planted, named = planted + 1, named + alone
    assert named >= 0.7 * planted > 0


@pytest.mark.parametrize("slug", PAIRING)
def test_one_mistake_is_never_told_as_two(slug: str) -> None:
    for variant in variants(slug)[:100]:
        for mistake, values in variant.mistakes.items():
            for name, value in values.items():
                found = diagnose(variant, name, rounded(value))
                assert mistake in found
                assert rung(found) == 1


def test_a_pair_is_told_as_both_with_the_number_they_give() -> None:
    variant = vary("attention_row", 3)
    pair = "no_scale+mix_with_keys"
    verdict = mark_part(variant, "output", typed(variant.pairs("output")[pair]))
    assert (verdict.key, verdict.diagnosis) == ("wrong", (pair,))
    assert verdict.reason == Text(
        "像是两处错叠在了一起：忘了除以 √d_k；加权求和用了 K，而不是 V",
        "looks like two mistakes at once: the division by √d_k is missing, and a weighted sum of K instead "
        "of V",
    )
    assert value_of(variant, pair, "output") == variant.pairs("output")[pair]
    told = explain(variant.family, pair)
    assert told is not None
    assert told.caption is not None
    assert explain(variant.family, "no_scale+gone_since") is None


# ---- slips ----


def turned(value: Value, change: Callable[[float], float]) -> Value:
    return [turned(item, change) for item in value] if isinstance(value, list) else change(value)


def changed_at(value: Value, index: int, change: Callable[[float], float]) -> Value:
    cells = iter([change(c) if i == index else c for i, c in enumerate(cells_of(value))])
    return turned(value, lambda _: next(cells))


PLANTED: dict[str, Callable[[Value], Value]] = {
    "slip_sign": lambda value: turned(value, lambda x: -x),
    "slip_power_of_ten": lambda value: turned(value, lambda x: x * 10),
    "slip_order": lambda value: [*value[1:], value[0]] if isinstance(value, list) else value,
    "slip_transposed": lambda value: [list(c) for c in zip(*value, strict=True)] if deep(value) else value,
    "slip_one_sign": lambda value: changed_at(value, 0, lambda x: -x) if isinstance(value, list) else value,
    "slip_one_cell": lambda value: (
        changed_at(value, 0, lambda x: x + 3) if isinstance(value, list) else value
    ),
    "slip_percent": lambda value: turned(value, lambda x: x * 100),
}


def deep(value: Value) -> bool:
    return isinstance(value, list) and isinstance(value[0], list)


def asked(slug: str, count: int) -> list[tuple[Variant, Part]]:
    return [(v, p) for v in variants(slug)[:count] for p in v.required if p.kind in NUMERIC]


@pytest.mark.parametrize("slip", PLANTED)
def test_a_planted_slip_is_named_unless_something_better_explains_it(slip: str) -> None:
    """Over every family: the slip, a misconception with this value, or a slip as good for these numbers."""
    found: dict[str, int] = {"planted": 0, "named": 0, "misconception": 0}
    for slug in SLUGS:
        for variant, part in asked(slug, 10):
            right = variant.right[part.name]
            value = rounded(PLANTED[slip](right))
            if same(part, value, right):
                continue
            if slip == "slip_percent" and not all(0 <= cell <= 1 for cell in cells_of(right)):
                continue
            named = diagnose(variant, part.name, value)
            found["planted"] += 1
            found["named"] += named == (slip,)
            found["misconception"] += rung(named) == 1
            if rung(named) == 1:
                assert all(same(part, value, variant.mistakes[one][part.name]) for one in named)
    assert found["planted"] >= 20
    assert found["named"] + found["misconception"] >= 0.9 * found["planted"], found
    assert found["named"] > 0


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_said_of_a_right_answer(slug: str) -> None:
    for variant in variants(slug)[:50]:
        for part in variant.parts:
            right = variant.right[part.name]
            for value in (right, rounded(right)):
                assert mark_part(variant, part.name, typed(value)).diagnosis == ()
                if part.kind in NUMERIC:
                    assert diagnose(variant, part.name, value) == ()


@pytest.mark.parametrize("slug", SLUGS)
def test_a_slip_never_shadows_a_misconception(slug: str) -> None:
    for variant in variants(slug)[:50]:
        for mistake, values in variant.mistakes.items():
            for name, value in values.items():
                assert mistake in diagnose(variant, name, rounded(value)), (variant.seed, mistake, name)


@pytest.mark.parametrize("slug", SLUGS)
def test_numbers_of_no_origin_are_not_known(slug: str) -> None:
    """Different wild numbers in every cell: rarely a coincidence, nearly always honestly unknown."""
    rng = random.Random(slug)
    said = unknown = 0
    for variant, part in asked(slug, 40):
        value = turned(
            variant.right[part.name], lambda x: rng.uniform(2, 4) * rng.choice((-1, 1)) * (abs(x) + 2)
        )
        if part.kind in ("integer", "sequence"):
            value = turned(value, round)
        said, unknown = said + 1, unknown + (diagnose(variant, part.name, value) == ())
    assert unknown >= 0.85 * said


@pytest.mark.parametrize("places", [1, 2])
def test_rounding_on_the_way_is_named(places: int) -> None:
    """Weights kept to too few decimals before the sum, over seeds: right all the same, or rounding."""
    off = named = 0
    for variant in variants("causal_row")[:200]:
        weights = rounded(variant.right["weights"], places)
        v = variant.drawn["v"]
        output = [sum(w * row[c] for w, row in zip(weights, v, strict=True)) for c in range(2)]
        verdict = mark_part(variant, "output", typed(rounded(output)))
        off += verdict.key != "right"
        named += verdict.diagnosis == ("slip_rounding",)
    assert off > 20
    assert named >= 0.95 * off


def test_an_answer_nearer_than_any_mistake_is_rounding() -> None:
    variant = vary("softmax_row", 5)
    tolerance = variant.part("weights").tolerance.absolute
    near = [
        w + 0.7 * APART * tolerance * s for w, s in zip(variant.right["weights"], (1, -1, 1, -1), strict=True)
    ]
    far = [
        w + 2.5 * APART * tolerance * s for w, s in zip(variant.right["weights"], (1, -1, 1, -1), strict=True)
    ]
    assert diagnose(variant, "weights", near) == ("slip_rounding",)
    assert diagnose(variant, "weights", far) == ()


def test_the_whole_answer_rounded_to_one_decimal_is_rounding() -> None:
    found = 0
    for variant in variants("scaled_entry")[:100]:
        value = round(variant.right["scaled"], 1)
        named = diagnose(variant, "scaled", value)
        if not same(variant.part("scaled"), value, variant.right["scaled"]):
            found += 1
            assert named == ("slip_rounding",) or rung(named) == 1
    assert found > 50


def test_a_transposed_matrix_of_another_shape_is_said_to_be_one() -> None:
    variant = vary("full_output", 5)
    turned_round = [list(column) for column in zip(*variant.right["output"], strict=True)]
    verdict = mark_part(variant, "output", typed(turned_round))
    assert (verdict.key, verdict.diagnosis) == ("wrong_shape", ("slip_transposed",))
    assert verdict.reason.zh == "形状不对：(2, 3) ≠ (3, 2)；像是行和列对调了"


def test_the_wrong_entry_is_located() -> None:
    matrix = vary("full_output", 5)
    value = changed_at(matrix.right["output"], 3, lambda x: x + 1)
    assert mark_part(matrix, "output", typed(value)).reason == Text(
        "6 格里对了 5 格；像是只有第 2 行第 2 格算错了",
        "5 of 6 cells are right; looks like a slip in row 2, column 2 alone",
    )
    vector = vary("softmax_row", 5)
    value = changed_at(vector.right["weights"], 1, lambda x: -x)
    assert mark_part(vector, "weights", typed(value)).reason.zh.endswith("像是第 2 格的正负号反了")


def test_of_a_shape_only_the_order_is_told_and_only_of_three_axes_or_more() -> None:
    for slug in SLUGS:
        for variant in variants(slug)[:20]:
            for part in (p for p in variant.required if p.kind == "shape"):
                right = variant.right[part.name]
                for value in map(list, itertools.permutations(right)):
                    if value != right:
                        named = diagnose(variant, part.name, value)
                        assert rung(named) == 1 or named == (("slip_order",) if len(right) > 2 else ())
                other = [*right[:-1], right[-1] + 1]
                assert rung(diagnose(variant, part.name, other)) in (1, 4)


def test_small_whole_numbers_are_no_evidence_of_a_misplaced_point() -> None:
    variant = next(v for v in variants("path") if v.right["layers"] < 10)
    assert diagnose(variant, "layers", variant.right["layers"] * 10) in ((), ("slip_power_of_ten",))[:1]


# ---- words ----


def test_slips_are_told_in_both_languages_and_have_slugs_of_their_own() -> None:
    misconceptions = {m.slug for family in registry.all_families() for m in family.misconceptions}
    for slug, slip in slips.SLIPS.items():
        assert slug == slip.slug
        assert slug.startswith(slips.PREFIX)
        assert slip.question.zh.endswith("？")
        assert slip.question.en.endswith("?")
        assert slip.told.zh.endswith("。")
        assert slip.told.en.endswith(".")
        assert not slip.title.en.endswith(".")
        assert slip.title.en[0].islower()
        assert len({slip.title.zh, slip.told.zh, slip.question.zh}) == 3
    assert not any(slug.startswith(slips.PREFIX) or PAIRED in slug for slug in misconceptions)
    assert len({slip.title.zh for slip in slips.SLIPS.values()}) == len(slips.SLIPS)


def test_every_entry_of_a_diagnosis_can_be_explained_without_a_variant() -> None:
    """Statistics and lists name mistakes by family and entry alone."""
    family = registry.get("attention_row")
    entries = [m.slug for m in family.misconceptions] + ["no_scale+mix_with_keys", *slips.SLIPS]
    for entry in entries:
        told = explain(family, entry)
        assert told is not None
        assert "{" not in told.title.zh + told.title.en
    assert explain(family, "gone_since") is None
    assert misconceptions_in(["no_scale", "no_scale+mix_with_keys", "slip_sign"]) == (
        "no_scale",
        "mix_with_keys",
    )
    assert [rung(d) for d in (("a", "b"), ("a+b",), ("slip_sign",), ())] == [1, 2, 3, 4]


def test_several_are_narrowed_by_what_else_was_written() -> None:
    variant = vary("attention_row", 3)
    either = diagnose(variant, "scaled", variant.raw_mistakes["no_scale"]["scaled"])
    assert either == ("no_scale", "scaled_after_softmax")
    for slug in either:
        written = {"output": variant.raw_mistakes[slug]["output"]}
        assert narrowed(variant, either, written) == (slug,)
    assert narrowed(variant, either, {"output": [77, 77]}) == either


def test_the_step_that_went_wrong_is_found_where_no_mistake_is_known() -> None:
    """Rung by rung below: unknown numbers, but steps that were filled in say where it began."""
    variant = vary("causal_row", 2)
    responses = {part.name: typed(variant.right[part.name]) for part in variant.parts}
    verdict = mark(variant, {**responses, "weights": "[7, 5, 3, 2, 1]", "output": "[91, 77]"})
    assert verdict.first_wrong is not None
    assert (verdict.first_wrong.part, verdict.diagnosis) == ("weights", ())
    assert shape_of(verdict.first_wrong.value) == (5,)
