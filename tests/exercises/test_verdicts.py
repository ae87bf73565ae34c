"""The vocabulary of verdicts: every key of pages.md 3.5, and the sentences made for an answer."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from quiz.exercises.describing import as_json, describe_family, describe_variant
from quiz.exercises.drawing import vary
from quiz.exercises.formatting import show, show_shape, tex, tex_dot
from quiz.exercises.marking import mark
from quiz.exercises.registry import all_families
from quiz.exercises.types import Text, VerdictKey
from quiz.exercises.verdicts import CATALOGUE, heading, other_shape, suspected

# key, mark, counts, whose act: the table of the design
TABLE = [
    ("right", "✓", True, "nobody"),
    ("partial", "△", True, "candidate"),
    ("wrong", "✗", True, "candidate"),
    ("wrong_shape", "✗", True, "candidate"),
    ("malformed", "?", False, "candidate"),
    ("ambiguous", "?", False, "candidate"),
    ("unknown", "?", False, "file"),
    ("crashed", "✗", True, "candidate"),
    ("timed_out", "✗", True, "candidate"),
    ("out_of_memory", "✗", True, "candidate"),
    ("not_permitted", "✗", True, "candidate"),
    ("grader_fault", "!", False, "us"),
]


def test_catalogue_holds_the_table() -> None:
    assert [(d.key, d.mark, d.counts, d.whose) for d in CATALOGUE.values()] == TABLE
    assert all(key == display.key for key, display in CATALOGUE.items())
    assert set(get_args(VerdictKey)) <= set(CATALOGUE)
    assert len({display.heading.zh for display in CATALOGUE.values()}) == len(TABLE)


def typed(slug: str, seed: int, mistake: str) -> dict[str, str]:
    variant = vary(slug, seed)
    return {
        part.name: json.dumps(as_json(variant.mistakes[mistake][part.name]))
        for part in variant.parts
        if part.name in variant.mistakes[mistake]
    }


def test_heading_names_the_mistake_the_step_or_the_cell() -> None:
    entry = vary("scaled_entry", 4)
    right = json.dumps(entry.right["scaled"])
    said = {
        right: Text("对，一次做对", "Right, first time"),
        typed("scaled_entry", 4, "no_scale")["scaled"]: Text(
            "不对：像是忘了除以 √d_k", "Not right: looks like the division by √d_k is missing"
        ),
        "77777": Text("不对，不是我们认识的错法", "Not right, and not a mistake we know"),
        "1.2.3": Text(
            "没看懂：「1.2.3」有不止一个小数点", "Could not read it: “1.2.3” has more than one decimal point"
        ),
    }
    for response, expected in said.items():
        assert heading(mark(entry, {"scaled": response}), entry) == expected
    assert heading(mark(entry, {"scaled": right}), entry, route="changed").zh == "对，改后做对"
    assert heading(mark(entry, {"scaled": right}), entry, route="helped").zh == "对，提示后做对"


def test_heading_counts_steps_and_says_which_went_wrong() -> None:
    variant = vary("causal_row", 2)
    responses = {part.name: json.dumps(as_json(variant.right[part.name])) for part in variant.parts}
    responses["output"] = "[77, 77]"
    told = heading(mark(variant, responses), variant)
    assert told == Text("对了 2 步，错在第 3 步「输出」", "2 steps right; step 3, output, went wrong")
    responses["masked"] = responses["weights"] = "[77, 77, 77, 77, 77]"
    assert heading(mark(variant, responses), variant) == Text(
        "不对，错在第 1 步「掩码后的分数」", "Not right: step 1, masked scores, went wrong"
    )
    answer = {"output": "[77, 77]"}
    assert heading(mark(variant, answer), variant).zh == "不对，不是我们认识的错法"
    assert heading(mark(vary("softmax_row", 0), {"weights": "1 2"}), vary("softmax_row", 0)) == Text(
        "形状不对：(2) ≠ (4)", "Wrong shape: (2) ≠ (4)"
    )


def test_suspicions_name_one_either_or_none() -> None:
    a, b, c = Text("甲", "one"), Text("乙", "two"), Text("丙", "three")
    assert suspected([]) == Text("不是我们认识的错法", "not a mistake we know")
    assert suspected([a]) == Text("像是甲", "looks like one")
    assert suspected([a, b]) == Text("可能是甲，也可能是乙", "either one or two")
    assert suspected([a, b, c]) == Text("可能是甲，也可能是乙，也可能是丙", "either one, two or three")
    assert other_shape((), (2,)).en == "wrong shape: a number ≠ (2)"


@pytest.mark.parametrize(
    ("value", "shown", "formula"),
    [
        (-0.7071, "−0.707", "-0.707"),
        (12, "12", "12"),
        (-3.0, "−3", "-3"),
        (0.5, "0.500", "0.500"),
        (-float("inf"), "−∞", r"-\infty"),
        (1e-17, "0", "0"),
        (0.00012345, "0.000123", "0.000123"),
        ([[1, -2.5]], "[[1, −2.500]]", "[[1,\\ -2.500]]"),
        ("slug", "slug", None),
    ],
)
def test_numbers_are_shown_for_people_and_for_formulas(
    value: object, shown: str, formula: str | None
) -> None:
    assert show(value) == shown
    if formula is not None:
        assert tex(value) == formula


def test_products_put_negative_factors_in_brackets() -> None:
    assert tex_dot([1, -2], [-3, 4]) == r"1 \times (-3) + (-2) \times 4"
    assert show_shape((2, 3)) == "(2, 3)"


def test_descriptions_are_json_with_everything_a_script_needs() -> None:
    for family in all_families():
        described = json.loads(json.dumps(describe_family(family), allow_nan=False))
        assert described["slug"] == family.slug
        assert described["group"] in ("numeric", "drill")
        assert described["misconceptions"] == [m.slug for m in family.misconceptions]
        variant = vary(family.slug, 0)
        assert [(p["name"], p["kind"]) for p in described["parts"]] == [
            (p.name, p.kind) for p in variant.parts
        ]
        shown = json.loads(json.dumps(describe_variant(variant), allow_nan=False))
        assert (shown["family"], shown["seed"], shown["version"]) == (family.slug, 0, family.version)
        assert set(shown["prompt"]) == {"zh-hans", "en"}
        for part, described_part in zip(variant.parts, shown["parts"], strict=True):
            changed = {slug for slug, values in variant.mistakes.items() if part.name in values}
            assert set(described_part["misconceptions"]) == changed
            assert described_part["tolerance"]["absolute"] == part.tolerance.absolute


def test_minus_infinity_is_a_string_in_json() -> None:
    described = describe_variant(vary("causal_row", 0))
    masked = next(part for part in described["parts"] if part["name"] == "masked")
    assert masked["right"].count("-inf") == 4 - vary("causal_row", 0).drawn["row"]
