"""Choices: how they are read, marked, headed and described; every wrong one by its own misconception."""

from __future__ import annotations

import json
import unicodedata

import numpy as np
import pytest

from quiz.exercises.choosing import Asked, Pick, mistakes_of, shuffled
from quiz.exercises.describing import describe_variant, prompt_text
from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.receiving import receive
from quiz.exercises.registry import in_group
from quiz.exercises.types import Part, Text
from quiz.exercises.verdicts import heading
from tests.exercises.drawn import SLUGS, variants

CHOOSING = [slug for slug in SLUGS if any(part.kind == "choice" for part in vary(slug, 0).parts)]
BOTH = Text("甲", "one")
CROSS = vary("cross_shape", 3)
SPOT = vary("spot_the_line", 5)


def test_choices_are_asked_by_the_families_of_the_design() -> None:
    drills = [family.slug for family in in_group("drill")]
    assert sorted(CHOOSING) == sorted(["both_masks", "cross_shape", "nan_rows", "pre_post", *drills])


@pytest.mark.parametrize("slug", CHOOSING)
def test_an_option_is_read_by_slug_number_letter_and_label(slug: str) -> None:
    """Where the label is that of one option only (two lines of code could read the same)."""
    for variant in variants(slug)[:10]:
        for part in variant.parts:
            labels = [option.label.en for option in part.options]
            for number, option in enumerate(part.options, start=1):
                ways = [
                    option.slug,
                    f" {option.slug.upper()} ",
                    f'"{option.slug}"',
                    str(number),
                    f"({number})",
                ]
                ways += [chr(ord("A") + number - 1), f"第 {number} 项", f"option {number}"]
                ways += [unicodedata.lookup(f"CIRCLED DIGIT {DIGITS[number]}"), chr(0xFF10 + number)]
                if labels.count(option.label.en) == 1:
                    ways += [option.label.en, option.label.zh, option.label.en.replace("$", "")]
                for way in ways:
                    assert receive(part, way).values == (option.slug,), (way, option.slug)


DIGITS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"]


@pytest.mark.parametrize(
    ("response", "code"),
    [("", "empty"), (" 　", "empty"), ("none_of_them", "option"), ("0", "option"), ("99", "option"),
     ("Z", "option"), ("1.0", "option"), ("-1", "option"), ("x" * 100_000, "option"), ("﷽" * 500, "option"),
     ("all_encoder or all_decoder", "option"), ("$$$", "empty")],
)  # fmt: skip
def test_what_is_no_option_is_refused_with_the_reason(response: str, code: str) -> None:
    received = receive(CROSS.part("sources"), response)
    assert (received.values, received.code) == ((), code)
    assert received.refusal is not None
    assert len(received.refusal.zh) < 200
    if code == "option":
        assert all(option.slug in received.refusal.en for option in CROSS.part("sources").options)


def test_numbers_and_choices_are_marked_beside_each_other() -> None:
    shape = json.dumps(CROSS.right["shape"])
    right = {"shape": shape, "sources": CROSS.right["sources"]}
    wrong = CROSS.mistakes["values_from_elsewhere"]["sources"]
    assert mark(CROSS, right).key == "right"
    half = mark(CROSS, {**right, "sources": wrong})
    assert (half.key, half.score, half.diagnosis) == ("partial", 0.5, ("values_from_elsewhere",))
    assert heading(half, CROSS) == Text("2 问里对了 1 问", "1 of 2 right")
    neither = mark(CROSS, {"shape": "(1, 2, 3, 4)", "sources": wrong})
    assert (neither.key, neither.score) == ("wrong", 0)
    assert heading(neither, CROSS) == Text("2 问都不对", "None of the 2 is right")
    one = mark_part(CROSS, "sources", wrong)
    assert (one.key, one.score, one.cells) == ("wrong", 0.0, (False,))
    assert one.reason.zh == "像是以为 V 可以和 K 来自不同的序列"


def test_an_open_choice_says_so_and_nothing_of_the_others() -> None:
    """It does not count, so whether the rest is right may not be learnt from it."""
    wrong, right = SPOT.mistakes["suspected_width"]["line"], SPOT.right["line"]
    for line in (wrong, right):
        verdict = mark(SPOT, {"line": line})
        assert verdict.key == "malformed"
        assert heading(verdict, SPOT) == Text(
            "「错成了什么」还没有选", "Nothing is chosen yet: what is wrong with it"
        )
    verdict = mark(CROSS, {"shape": "(1, 2", "sources": CROSS.right["sources"]})
    assert heading(verdict, CROSS).zh.startswith("没看懂：")
    typed = mark(vary("pre_post", 1), {"output": "7 7 7", "diagram": ""})
    assert heading(typed, vary("pre_post", 1)).zh == "「公式对应的图」还没有选"


@pytest.mark.parametrize("slug", CHOOSING)
def test_options_are_described_with_their_words_and_without_the_answer(slug: str) -> None:
    variant = vary(slug, 4)
    described = json.loads(json.dumps(describe_variant(variant), allow_nan=False))
    for part, told in zip(variant.parts, described["parts"], strict=True):
        assert told["options"] == [
            {"slug": option.slug, "label": {"zh-hans": option.label.zh, "en": option.label.en}}
            for option in part.options
        ]
        assert (told["stem"] is None) == (part.stem is None)
    for table in variant.prompt.tables:
        assert table.caption.en in prompt_text(variant.prompt, "en")
        assert all(cell.zh in prompt_text(variant.prompt, "zh-hans") for row in table.rows for cell in row)


def test_two_options_may_not_show_the_same_mistake() -> None:
    picks = tuple(Pick(slug=slug, label=BOTH, mistake="one") for slug in ("a", "b", "c"))
    with pytest.raises(ValueError, match="two options show 'one'"):
        mistakes_of([Asked(name="x", label=BOTH, picks=picks, right="a")], known=(), others={})


def test_orders_are_drawn_and_hold_every_option() -> None:
    orders = {tuple(shuffled(np.random.default_rng(seed), "abcd")) for seed in range(300)}
    assert {tuple(sorted(order)) for order in orders} == {("a", "b", "c", "d")}
    assert len(orders) == 24


def test_a_part_of_a_choice_is_one_answer() -> None:
    part: Part = SPOT.part("line")
    assert (part.kind, part.shape, part.is_listing) == ("choice", (), True)
    assert mark_part(SPOT, "line", ["line_1"]).key == "malformed"
