"""Follow-through: a wrong step followed by right work is paid for once, over seeds of every family."""

from __future__ import annotations

import math
import random

import pytest

from quiz.exercises import registry
from quiz.exercises.carrying import CREDIT
from quiz.exercises.comparing import cells_of, same
from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.types import Part, PartVerdict, Value, Values, Verdict
from quiz.exercises.variants import Variant
from quiz.exercises.verdicts import heading
from quiz.exercises.working import worked_on
from tests.exercises.drawn import rounded, typed, variants

STEPPED = tuple(
    family.slug
    for family in registry.all_families()
    if any(
        family.carry(v.drawn, p.name, dict(v.right)) is not None
        for v in [vary(family.slug, 0)]
        for p in v.parts
    )
)
# The families of the design whose parts are marked each from the candidate's own earlier values.
DESIGNED = {
    "attention_row", "full_output", "two_heads", "padding_row", "causal_row", "rope_score", "layernorm",
    "ffn", "params", "layer_flops", "kv_cache", "max_concurrency", "online_merge",
}  # fmt: skip
PLACES = 3


def answer(values: Values) -> dict[str, str]:
    return {name: value if isinstance(value, str) else typed(value) for name, value in values.items()}


def nudged(value: Value, rng: random.Random) -> Value:
    """A value of the same form, off by something different in every number; whole numbers stay whole."""
    if isinstance(value, list):
        return [nudged(item, rng) for item in value]
    if math.isinf(value):
        return value
    off = rng.choice((-1, 1)) * rng.uniform(0.1, 0.9) * max(1.0, abs(value))
    return value + (round(off) or 1) if isinstance(value, int) else round(value + off, PLACES)


def carried_by_hand(variant: Variant, origin: str, wrong: Value) -> Values:
    """Everything from this step on worked out by right steps, each rounded as it is written down."""
    written: Values = {}
    for part in variant.parts:
        value = worked_on(variant, {**written, origin: wrong})[part.name]
        written[part.name] = wrong if part.name == origin else rounded(value, PLACES)
    return written


def by_part(verdict: Verdict) -> dict[str, PartVerdict]:
    return {part.part: part for part in verdict.parts}


def numeric(part: Part) -> bool:
    return part.kind not in ("choice", "shape")


def test_every_family_of_the_design_carries() -> None:
    assert set(STEPPED) >= DESIGNED


@pytest.mark.parametrize("slug", [family.slug for family in registry.all_families()])
def test_what_a_part_uses_is_what_it_is_carried_from(slug: str) -> None:
    """Right earlier values give the right value; a part that uses others can be carried, and no other."""
    for variant in variants(slug)[:25]:
        for part in variant.parts:
            value = variant.family.carry(variant.drawn, part.name, dict(variant.right))
            assert (value is not None) == bool(part.uses), part.name
            assert value is None or same(part, value, variant.right[part.name]), (variant.seed, part.name)


@pytest.mark.parametrize("slug", STEPPED)
def test_right_work_after_a_planted_wrong_step_follows_from_it(slug: str) -> None:
    rng, followed, earned, rivals = random.Random(7), 0, 0, 0
    for variant in variants(slug)[:25]:
        for origin in variant.parts[:-1]:
            if not numeric(origin):
                continue
            wrong = nudged(variant.right[origin.name], rng)
            values = carried_by_hand(variant, origin.name, wrong)
            verdict = mark(variant, answer(values))
            parts = by_part(verdict)
            assert verdict.first_wrong is parts[origin.name], (variant.seed, origin.name)
            for part in variant.parts[variant.parts.index(origin) + 1 :]:
                one = parts[part.name]
                if one.diagnosis and not one.follows and one.key != "right":
                    rivals += 1  # by chance a known mistake at this step gives this value too: see the guards
                    break
                if same(part, values[part.name], variant.right[part.name]):
                    assert (one.key, one.follows) == ("right", ()), (variant.seed, part.name)
                elif numeric(part):
                    assert one.follows == (origin.name,), (variant.seed, origin.name, part.name, one)
                    alone = mark_part(variant, part.name, answer(values)[part.name])
                    earns = ("partial", max(CREDIT, alone.score))
                    assert (one.key, one.score) in (earns, (alone.key, alone.score))
                    assert all(one.cells)
                    followed, earned = followed + 1, earned + (one.score >= CREDIT)
    assert followed > 20 * rivals
    assert earned > 0.9 * followed or slug in ("ffn", "two_heads")  # whose last or middle step may only copy


@pytest.mark.parametrize("slug", STEPPED)
def test_steps_left_blank_are_worked_out_in_between(slug: str) -> None:
    """Of a wrong step and the answer alone, the answer still follows."""
    rng, followed, rivals = random.Random(8), 0, 0
    for variant in variants(slug)[:12]:
        answers = {part.name for part in variant.required}
        for origin in variant.parts:
            wrong = nudged(variant.right[origin.name], rng) if numeric(origin) else None
            if wrong is None or origin.required:
                continue
            values = worked_on(variant, {origin.name: wrong})
            parts = by_part(mark(variant, answer({n: values[n] for n in (*answers, origin.name)})))
            for part in variant.required:
                one = parts[part.name]
                if one.diagnosis and not one.follows:
                    rivals += 1
                elif not same(part, values[part.name], variant.right[part.name]):
                    assert one.follows == (origin.name,), (variant.seed, origin.name)
                    followed += 1
    steps = [part for part in vary(slug, 0).parts[:-1] if numeric(part) and not part.required]
    assert followed > 20 * rivals or not steps


@pytest.mark.parametrize("slug", STEPPED)
def test_a_wrong_answer_after_right_steps_follows_from_nothing(slug: str) -> None:
    rng = random.Random(9)
    for variant in variants(slug)[:12]:
        last = variant.required[-1]
        if not numeric(last):
            continue
        values = {**variant.right, last.name: nudged(variant.right[last.name], rng)}
        one = by_part(mark(variant, answer(values)))[last.name]
        assert (one.follows, one.key == "right") == ((), False), variant.seed


def test_the_whole_pipeline_is_told_step_by_step() -> None:
    """Not scaling, everything else right from there on: one step wrong, two that follow, named once."""
    for variant in variants("attention_row")[:200]:
        values = variant.raw_mistakes["no_scale"]
        verdict = mark(variant, answer({part.name: values[part.name] for part in variant.parts}))
        told = [(part.part, part.key, part.follows) for part in verdict.parts]
        assert told[:5] == [(name, "right", ()) for name in ("q", "k", "v", "scores")] + [
            ("scaled", verdict.parts[4].key, ())
        ]
        assert told[5:] == [("weights", "partial", ("scaled",)), ("output", "partial", ("scaled",))]
        assert verdict.diagnosis == ("no_scale",)  # scaling later would give the same scaled scores
        assert (verdict.key, verdict.score) == ("partial", CREDIT)
        assert heading(verdict, variant).zh == "对了 6 步，错在第 5 步「缩放后」"


def test_a_second_mistake_on_the_way_is_a_second_mistake() -> None:
    """Scaling after the softmax is wrong at the scaled scores and again at the output."""
    for variant in variants("attention_row")[:200]:
        verdict = mark(variant, answer(variant.raw_mistakes["scaled_after_softmax"]))
        parts = by_part(verdict)
        assert parts["weights"].follows == ("scaled",)
        assert parts["output"].follows == ()
        assert parts["output"].diagnosis == ("scaled_after_softmax",)
        assert verdict.diagnosis == ("scaled_after_softmax",)
        assert verdict.score < CREDIT


def test_rows_by_themselves_excuse_nothing() -> None:
    variant = vary("attention_row", 3)
    for part in ("scaled", "weights", "output"):
        one = mark_part(variant, part, typed(variant.raw_mistakes["no_scale"][part]))
        assert (one.follows, one.score < 1) == ((), True)


# ---- the guards ----


def judged(slug: str, seed: int, wrong: Values, *, shown: tuple[str, ...] = ()) -> Verdict:
    """All parts filled in: these wrong steps, and right work from them."""
    variant = vary(slug, seed)
    return mark(variant, answer(worked_on(variant, wrong)), shown=shown)


@pytest.mark.parametrize(
    ("slug", "origin", "value"),
    [
        ("attention_row", "weights", [0.0, 0.0, 0.0]),
        ("attention_row", "weights", [0.25, 0.25, 0.25]),
        ("attention_row", "weights", [0, 1, 0]),  # the output is a row of V
        ("causal_row", "weights", [0, 0, 0, 0, 1]),
        ("causal_row", "masked", ["-inf", "-inf", "-inf", "-inf", 2.0]),
        ("layernorm", "variance", 1),
        ("kv_cache", "per_token", 1),
        ("two_heads", "head_1", [0.123, 0.456, 0.789]),  # the output holds it as it stands
        ("ffn", "hidden", [1, 1, 1]),
    ],
)
def test_what_left_nothing_to_work_out_follows_but_earns_nothing(slug: str, origin: str, value: list) -> None:
    value = [-math.inf if cell == "-inf" else cell for cell in value] if isinstance(value, list) else value
    seen = 0
    for seed in range(40):
        verdict = judged(slug, seed, {origin: value})
        last = verdict.parts[-1]
        if last.key == "right" or not last.follows:
            continue
        seen += 1
        alone = mark_part(vary(slug, seed), last.part, typed(last.value))
        assert (last.follows, last.key, last.score) == ((origin,), alone.key, alone.score), seed
        assert last.reason.zh.endswith("没有剩下要算的东西，不因此加分")
    assert seen > 20


def test_a_relu_that_only_copies_earns_nothing_and_the_output_behind_it_does() -> None:
    copied = 0
    for variant in variants("ffn")[:100]:
        before = [float(abs(x) + 5 + 20 * i) for i, x in enumerate(variant.right["pre_activation"])]
        parts = by_part(judged("ffn", variant.seed, {"pre_activation": before}))
        alone = mark_part(variant, "hidden", typed(parts["hidden"].value))
        assert (parts["hidden"].follows, parts["hidden"].score) == (("pre_activation",), alone.score)
        if parts["output"].follows:
            assert parts["output"].score >= CREDIT
            copied += 1
    assert copied > 50


def test_a_step_whose_right_value_was_shown_carries_no_credit() -> None:
    for seed in range(20):
        wrong = {"scores": [0.5, -1.0, 1.5]}
        free, shown = (judged("attention_row", seed, wrong, shown=names) for names in ((), ("scores",)))
        assert (free.parts[-1].score, shown.parts[-1].score) == (CREDIT, 0.0)
        assert "已经给过" in shown.parts[-1].reason.zh
        assert free.parts[-1].follows == shown.parts[-1].follows == ("scores",)
        assert judged("attention_row", seed, wrong, shown=("q", "k")).score == CREDIT


def test_a_value_that_a_mistake_at_this_step_gives_too_is_not_excused() -> None:
    """Wrong weights whose right output is that of right weights on K instead of V: named, not followed."""
    found = 0
    for variant in variants("attention_row")[:150]:
        for slug in ("mix_with_keys", "transposed_weights"):  # both leave the weights right
            wrong = weights_that_give(variant, variant.mistakes[slug]["output"])
            if wrong is None or same(variant.part("weights"), wrong, variant.right["weights"]):
                continue
            last = judged("attention_row", variant.seed, {"weights": wrong}).parts[-1]
            found += 1
            assert (last.follows, last.diagnosis) == ((), (slug,)), variant.seed
    assert found > 50


def test_a_mean_of_nothing_competes_with_leaving_the_centring_out() -> None:
    """Mean 0 and right work from it give the variance of `not_centred`, which has a mean."""
    for variant in variants("layernorm")[:40]:
        verdict = judged("layernorm", variant.seed, {"mean": 0})
        parts = by_part(verdict)
        assert (parts["variance"].follows, parts["variance"].diagnosis) == ((), ("not_centred",))
        assert (parts["output"].follows, verdict.score) == (("mean", "variance"), 0.0)


def weights_that_give(variant: Variant, output: Value) -> Value | None:
    """Weights on the first two keys only that mix to this output, if V allows."""
    (a, c), (b, d) = variant.right["v"][:2]
    det = a * d - b * c
    if det == 0:
        return None
    one, two = (output[0] * d - b * output[1]) / det, (a * output[1] - output[0] * c) / det
    return [one, two, 0.0]


def test_numbers_that_lead_nowhere_are_carried_no_further() -> None:
    """A negative variance, a sequence of no bytes, numbers beyond all bounds: marked, never an error."""
    cases: list[tuple[str, str, Value]] = [
        ("layernorm", "variance", -4.0),
        ("max_concurrency", "per_sequence", 0),
        ("stable", "total", 0),
        ("attention_row", "scores", [1e308, -1e308, 1e308]),
        ("full_output", "q", [[1e200, 1e200]] * 3),
        ("perplexity", "loss", -1e6),
        ("online_merge", "first", [0, 0, 0, 0]),
        ("kv_cache", "per_token", 10**300),
        ("entropy", "weights", [-1.0, 3.0, 0.0]),
    ]
    for slug, origin, value in cases:
        variant = vary(slug, 5)
        verdict = mark(variant, answer({**nonsense(variant), origin: value}))
        assert verdict.key in ("wrong", "partial")
        assert not any(part.follows for part in verdict.parts)


def nonsense(variant: Variant) -> Values:
    def like(value: Value) -> Value:
        if isinstance(value, list):
            return [like(item) for item in value]
        return 977 if isinstance(value, int) else 977.25

    return {part.name: like(variant.right[part.name]) for part in variant.required}


def test_rounded_steps_that_are_right_explain_an_answer_that_is_not() -> None:
    """Each step within its tolerance, the answer worked out from them and off: rounding, and no excuse."""
    found = 0
    for variant in variants("attention_row")[:150]:
        scaled = rounded(variant.right["scaled"], 2)
        weights = rounded(worked_on(variant, {"scaled": scaled})["weights"], 2)
        values = worked_on(variant, {"scaled": scaled, "weights": weights})
        parts = by_part(mark(variant, answer(values)))
        last = parts["output"]
        if last.key == "right" or {parts["scaled"].key, parts["weights"].key} != {"right"}:
            continue
        found += 1
        assert (last.diagnosis, last.follows) == (("slip_rounding",), ())
    assert found > 20


def test_what_cannot_be_read_or_has_another_shape_carries_nothing() -> None:
    variant = vary("attention_row", 3)
    values = answer(worked_on(variant, {"scores": [9.0, -3.0, 5.0]}))
    assert mark(variant, {**values, "q": "1.2.3"}).key == "malformed"
    assert not any(part.follows for part in mark(variant, {**values, "q": "1.2.3"}).parts)
    other = by_part(mark(variant, {**values, "scores": "[9, -3]"}))
    assert (other["scores"].key, other["scaled"].follows) == ("wrong_shape", ())
    assert cells_of(other["weights"].value)  # judged by itself all the same
    assert other["weights"].follows == ("scaled",)
