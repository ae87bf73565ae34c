"""From form data to responses: cells, pasted matrices, choices of a reading, blanks."""

from __future__ import annotations

import pytest

from quiz.exercises.drawing import vary
from quiz.exercises.registry import all_families
from quiz.responses.answering import answers_from, grid_shape, is_empty, spread
from quiz.responses.fields import form_of, reading_of
from tests.responses.typing import form_data

FULL = vary("full_output", 3)
OUTPUT = FULL.part("output")


def test_cells_become_nested_texts_and_untouched_steps_are_left_out() -> None:
    data = {f"output.{i}.{j}": f"{i}{j}" for i in range(3) for j in range(2)}
    assert answers_from(FULL, data) == {"output": [["00", "01"], ["10", "11"], ["20", "21"]]}
    assert answers_from(FULL, {**data, "scaled.0.0": "1"})["scaled"][0] == ["1", "", ""]


@pytest.mark.parametrize("name", ["output.0.0", "output.2.1", "output"])
def test_whole_matrix_in_one_field_spreads(name: str) -> None:
    pasted = "[[1, 2], [3, 4.5], [-5, 6]]"
    assert answers_from(FULL, {name: pasted}) == {"output": [["1", "2"], ["3", "4.5"], ["-5", "6"]]}


def test_pasted_matrix_of_another_shape_stays_as_it_was_typed() -> None:
    assert answers_from(FULL, {"output.0.0": "1 2 3\n4 5 6"}) == {"output": "1 2 3\n4 5 6"}
    field = form_of(FULL, {"output": "1 2 3\n4 5 6"}, None)[-1].rows[0].fields[0]
    assert field.text == "1 2 3\n4 5 6"


def test_a_single_number_in_a_grid_is_a_cell_not_a_matrix() -> None:
    assert answers_from(FULL, {"output.1.0": "7"})["output"] == [["", ""], ["7", ""], ["", ""]]


def test_chosen_reading_replaces_what_was_typed() -> None:
    entry = vary("scaled_entry", 1)
    assert answers_from(entry, {"scaled": "1,234", "choose": "scaled|1.234"}) == {"scaled": "1.234"}
    data = {"output.0.0": "1,5", "choose": "output|[[1.5, 2], [3, 4], [5, 6]]"}
    assert answers_from(FULL, data) == {"output": [["1.5", "2"], ["3", "4"], ["5", "6"]]}


def test_blank_forms_are_empty() -> None:
    assert is_empty(answers_from(FULL, {}))
    assert is_empty(answers_from(FULL, {"output.0.0": "  ", "scores.0.0": "\n"}))
    assert not is_empty(answers_from(FULL, {"scores.0.0": "0"}))


def test_long_texts_are_cut_where_reading_refuses_them_anyway() -> None:
    answer = answers_from(vary("scaled_entry", 1), {"scaled": "1" * 300_000})["scaled"]
    assert len(answer) == 100_001


def test_spread_gives_texts_only_for_several_numbers() -> None:
    assert spread(OUTPUT, "1\t2\n3\t4") == [["1", "2"], ["3", "4"]]
    assert spread(OUTPUT, "[1, 2]") == [["1", "2"]]
    assert spread(OUTPUT, "1.5") is None
    assert spread(OUTPUT, "one two") is None
    assert spread(vary("causal_row", 1).part("masked"), "[1, -inf]") == [["1", "-∞"]]


@pytest.mark.parametrize("family", all_families(), ids=lambda f: f.slug)
def test_the_form_has_a_field_for_every_cell_and_shows_what_was_typed(family: object) -> None:
    variant = vary(family.slug, 11)  # type: ignore[attr-defined]
    data = form_data(variant, variant.right)
    shown = {
        field.name: field.text
        for form in form_of(variant, answers_from(variant, data), None)
        for row in form.rows
        for field in row.fields
    }
    choices = {part.name for part in variant.parts if part.kind == "choice"}
    assert shown == {name: text for name, text in data.items() if name not in choices}


def test_readings_are_said_and_nothing_is_marked() -> None:
    entry = vary("scaled_entry", 1).part("scaled")
    assert reading_of(entry, "-1/√2").text.endswith("−0.7071")
    assert reading_of(entry, "").state == ""
    assert reading_of(entry, "1,5").state == "ask"
    assert reading_of(entry, "1.2.3").state == "refuse"
    assert reading_of(vary("mha_shape", 1).part("shape"), "2×3").text.endswith("[2, 3]")
    masked = vary("causal_row", 1).part("masked")
    assert (reading_of(masked, "-inf").state, reading_of(entry, "-inf").state) == ("value", "refuse")


def test_grid_shape_of_a_vector_is_one_row() -> None:
    assert grid_shape(vary("softmax_row", 1).required[0])[0] == 1
