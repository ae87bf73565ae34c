"""Marking: reading first, then shape, then values; what counts, what asks, what is partly right."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quiz.exercises import registry
from quiz.exercises.drawing import vary
from quiz.exercises.family import Family
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.types import (
    Drawn,
    Misconception,
    Option,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Tolerance,
    Values,
)
from quiz.exercises.variants import UnknownPart, Variant

BOTH = Text("甲", "one")
COMMA = Misconception(
    slug="comma", title=Text("把逗号当了分隔符", "a grouped comma"), told=BOTH, question=BOTH, caption=BOTH
)
OTHER = Misconception(
    slug="other", title=Text("另一种错", "another slip"), told=BOTH, question=BOTH, caption=BOTH
)


class Invented(Family):
    """Parts of every kind, with values chosen to reach each rule."""

    slug, code, minutes, one_handed = "invented", "X1", 1, True
    title, sections = BOTH, ("7.1",)
    misconceptions = (COMMA, OTHER)

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (
            Part(name="step", kind="vector", label=BOTH, shape=(3,), required=False),
            Part(
                name="hidden",
                kind="vector",
                label=BOTH,
                shape=(2,),
                required=False,
                infinite=True,
                uses=("step",),
            ),
            Part(
                name="pick",
                kind="choice",
                label=BOTH,
                required=False,
                options=(Option(slug="a", label=BOTH), Option(slug="b", label=BOTH)),
            ),
            Part(name="form", kind="shape", label=BOTH, required=False, tolerance=Tolerance()),
            Part(name="number", kind="scalar", label=BOTH),
            Part(name="grid", kind="matrix", label=BOTH, shape=(2, 2), uses=("step",)),
        )

    def right(self, drawn: Drawn) -> Values:
        return {
            "step": [1.0, 2.0, 3.0],
            "hidden": [0.5, -float("inf")],
            "pick": "a",
            "form": [2, 3, 4],
            "number": 1.5,
            "grid": [[1.0, 2.0], [3.0, 4.0]],
        }

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        if slug == "comma":
            return {**self.right(drawn), "number": 1234.0, "step": [1.0, 2.0, 9.0], "pick": "b"}
        return {**self.right(drawn), "number": 1.234, "step": [1.0, 2.0, 9.0], "form": [2, 4, 3]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(task=BOTH, givens=(), conventions=())

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        return ()

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return ()


@pytest.fixture
def variant() -> Variant:
    return Variant(Invented(), 0, 1, {})


@pytest.mark.parametrize(
    ("part", "response", "key", "score"),
    [
        ("number", "1.5", "right", 1),
        ("number", "3/2", "right", 1),
        ("number", "1.5049", "right", 1),
        ("number", "1.506", "wrong", 0),
        ("number", ["1.5"], "right", 1),
        ("number", "[1.5, 2]", "malformed", 0),
        ("number", "", "malformed", 0),
        ("step", "1 2 3", "right", 1),
        ("step", "[[1, 2, 3]]", "right", 1),
        ("step", "1\n2\n3", "right", 1),
        ("step", ["1", "2", "3"], "right", 1),
        ("step", "1 2 4", "partial", 2 / 3),
        ("step", "9 9 9", "wrong", 0),
        ("step", "1 2", "wrong_shape", 0),
        ("step", "1", "wrong_shape", 0),
        ("step", "[[1,2,3],[1,2,3]]", "wrong_shape", 0),
        ("grid", "[[1,2],[3,4]]", "right", 1),
        ("grid", [["1", "2"], ["3", "4"]], "right", 1),
        ("grid", "[[1,2],[3,5]]", "partial", 3 / 4),
        ("grid", "1 2 3 4", "wrong_shape", 0),
        ("grid", [["1", "2"], ["3", ""]], "malformed", 0),
        ("grid", [["1", "2"], ["3"]], "malformed", 0),
        ("grid", [], "malformed", 0),
        ("form", "(2, 3, 4)", "right", 1),
        ("form", ["2", "3", "4"], "right", 1),
        ("form", "2x3x5", "wrong", 0),
        ("form", "(2, 3)", "wrong", 0),
        ("form", "(2, 3, x)", "malformed", 0),
        ("pick", "a", "right", 1),
        ("pick", "b", "wrong", 0),
        ("pick", "c", "malformed", 0),
        ("hidden", '[0.5, "-inf"]', "right", 1),
        ("hidden", "0.5 −∞", "right", 1),
        ("hidden", ["0.5", "-inf"], "right", 1),
        ("hidden", "0.5 -1e9", "partial", 1 / 2),
        ("hidden", "0.5 inf", "malformed", 0),
        ("step", "1 2 -inf", "malformed", 0),
    ],
)  # fmt: skip
def test_part_gets_the_verdict_it_earns(
    variant: Variant, part: str, response: str, key: str, score: float
) -> None:
    verdict = mark_part(variant, part, response)
    assert (verdict.key, verdict.score) == (key, pytest.approx(score)), verdict.reason.en
    assert verdict.reason.zh
    assert verdict.reason.en


def test_cells_are_marked_row_by_row(variant: Variant) -> None:
    assert mark_part(variant, "grid", "[[1,0],[0,4]]").cells == (True, False, False, True)


def test_cell_that_cannot_be_read_is_located(variant: Variant) -> None:
    typed = mark_part(variant, "grid", "1 2\n3 1.2.3")
    cells = mark_part(variant, "grid", [["1", "2"], ["3", "1.2.3"]])
    assert (typed.where, typed.code) == (cells.where, cells.code) == ((2, 2), "two_points")
    assert cells.reason.zh == "第 2 行第 2 格没看懂：「1.2.3」有不止一个小数点"
    assert mark_part(variant, "grid", [["1", ""], ["3", "4"]]).code == "empty"
    assert mark_part(variant, "number", "1.2.3").where is None


def test_two_readings_with_different_verdicts_ask(variant: Variant) -> None:
    verdict = mark_part(variant, "number", "1,5")
    assert (verdict.key, verdict.readings) == ("ambiguous", (1.5, 15))
    assert verdict.reason == Text("1,5 是 1.5 还是 15？", "1,5: is it 1.5 or 15?")


def test_two_readings_with_the_same_verdict_get_it_with_the_mistakes_of_either(variant: Variant) -> None:
    verdict = mark_part(variant, "number", "1,234")
    assert (verdict.key, set(verdict.diagnosis)) == ("wrong", {"comma", "other"})
    assert verdict.readings == (1.234, 1234)
    neither = mark_part(variant, "number", "7,777")
    assert (neither.key, neither.diagnosis) == ("wrong", ())


def test_cells_with_two_readings_mean_the_same_by_every_comma(variant: Variant) -> None:
    verdict = mark_part(variant, "grid", [["1", "2"], ["3", "4,0"]])
    assert (verdict.key, verdict.where) == ("ambiguous", (2, 2))
    assert verdict.readings == ([[1, 2], [3, 4.0]], [[1, 2], [3, 40]])
    same = mark_part(variant, "grid", [["1", "2"], ["3", "9,0"]])
    assert (same.key, same.score) == ("partial", 3 / 4)


def test_several_mistakes_with_one_value_are_all_named_in_table_order(variant: Variant) -> None:
    verdict = mark_part(variant, "step", "1 2 9")
    assert (verdict.key, verdict.diagnosis) == ("partial", ("comma", "other"))
    assert verdict.reason.zh == "3 格里对了 2 格；可能是把逗号当了分隔符，也可能是另一种错"
    assert verdict.reason.en == "2 of 3 cells are right; either a grouped comma or another slip"


def test_unknown_part_is_refused(variant: Variant) -> None:
    with pytest.raises(UnknownPart):
        mark_part(variant, "nothing", "1")
    with pytest.raises(UnknownPart):
        mark(variant, {"nothing": "1"})


RIGHT = {"number": "1.5", "grid": "[[1,2],[3,4]]"}


@pytest.mark.parametrize(
    ("responses", "key", "score"),
    [
        (RIGHT, "right", 1),
        ({**RIGHT, "step": ""}, "right", 1),
        ({**RIGHT, "step": ["", " ", ""]}, "right", 1),
        ({**RIGHT, "step": "1 2 3"}, "right", 1),
        ({**RIGHT, "step": "9 9 9"}, "partial", 1),
        ({**RIGHT, "number": "7"}, "partial", 1 / 2),
        ({"number": "7", "grid": "[[9,9],[9,9]]"}, "wrong", 0),
        ({"number": "7", "grid": "[[1,9],[9,9]]"}, "partial", 1 / 8),
        ({"number": "7", "grid": "1 2"}, "wrong", 0),
        ({"number": "1.5"}, "malformed", 1 / 2),
        ({**RIGHT, "number": "1,5"}, "ambiguous", 1 / 2),
        ({"number": "1,5", "grid": ""}, "malformed", 0),
        ({}, "malformed", 0),
    ],
)
def test_whole_answer_follows_from_its_parts(
    variant: Variant, responses: dict[str, str], key: str, score: float
) -> None:
    verdict = mark(variant, responses)
    assert (verdict.key, verdict.score) == (key, pytest.approx(score))


def test_first_wrong_step_and_the_steps_before_it_guide_the_candidate() -> None:
    """pages.md 3.4: the first step that went wrong, with the right value of what it is computed from."""
    variant = vary("attention_row", 3)
    responses = {part.name: json.dumps(variant.right[part.name]) for part in variant.parts}
    responses["scaled"] = json.dumps(variant.mistakes["no_scale"]["scaled"])
    responses["weights"] = json.dumps(variant.mistakes["no_scale"]["weights"])
    responses["output"] = json.dumps(variant.mistakes["no_scale"]["output"])
    verdict = mark(variant, responses)
    assert verdict.first_wrong is not None
    assert (verdict.key, verdict.first_wrong.part) == ("partial", "scaled")
    assert "no_scale" in verdict.diagnosis
    assert [part.name for part in variant.before("scaled")] == ["scores"]
    assert [part.name for part in variant.before("output")] == ["weights", "v"]
    assert variant.before("q") == ()


def test_only_one_part_wrong_shape_makes_the_whole_wrong_shape() -> None:
    assert mark(vary("softmax_row", 0), {"weights": "0.5 0.5"}).key == "wrong_shape"
    assert registry.get("softmax_row").slug == "softmax_row"
