"""Projections, scores and softmax: right values and mistakes by formulas written out, and rounded work."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from quiz.exercises.marking import mark_part
from quiz.exercises.types import Value, Values
from quiz.exercises.variants import Variant
from tests.exercises.drawn import typed, variants

COUNT = 60
Row = list[float]


def dot(a: Row, b: Row) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def columns(matrix: list[Row]) -> list[Row]:
    return [list(column) for column in zip(*matrix, strict=True)]


def shares(row: Row) -> Row:
    exponentials = [math.exp(score) for score in row]
    return [value / sum(exponentials) for value in exponentials]


def rounded_shares(row: Row) -> Iterator[Row]:
    """A softmax worked out with three decimals at every step, by both usual ways."""
    for shift in (0.0, max(row)):
        exponentials = [round(math.exp(round(score, 3) - shift), 3) for score in row]
        yield [round(value / round(sum(exponentials), 3), 3) for value in exponentials]


def mistakes_of(slug: str, drawn: dict[str, object]) -> dict[str, Values]:
    return variants(slug)[0].family.mistakes(drawn)


def assert_right(variant: Variant, answers: list[Value]) -> None:
    for answer in answers:
        verdict = mark_part(variant, variant.required[0].name, typed(answer))
        assert verdict.key == "right", (variant.seed, answer)


def test_score_entry_is_the_query_of_the_row_times_the_key_of_the_column() -> None:
    for variant in variants("score_entry")[:COUNT]:
        d = variant.drawn
        assert variant.right["score"] == dot(d["q"][d["row"]], d["k"][d["column"]])
    drawn = {"q": [[1, 2], [3, -1], [1, 1]], "k": [[2, 1], [1, 4], [-2, 3]], "row": 0, "column": 1}
    assert mistakes_of("score_entry", drawn) == {
        "indices_swapped": {"score": 3 * 2 - 1},
        "keys_only": {"score": 2 + 4},
        "queries_only": {"score": 3 - 2},
    }


def test_proj_row_is_a_row_times_the_columns() -> None:
    for variant in variants("proj_row")[:COUNT]:
        x, w = variant.drawn["x"], variant.drawn["w"]
        assert variant.right["q"] == [dot(x, column) for column in columns(w)]
    assert mistakes_of("proj_row", {"x": [2, -1], "w": [[1, 3], [-2, 2]]}) == {
        "transposed_weight": {"q": [-1, -6]},
        "elementwise": {"q": [2, -2]},
        "inputs_swapped": {"q": [-1 - 4, -3 + 4]},
        "dropped_term": {"q": [2, 6]},
    }


def test_weighted_sum_is_the_values_weighed() -> None:
    for variant in variants("weighted_sum")[:COUNT]:
        tenths, v = variant.drawn["tenths"], variant.drawn["v"]
        expected = [dot(tenths, column) / 10 for column in columns(v)]
        assert variant.right["output"] == pytest.approx(expected, abs=1e-12)
    drawn = {
        "tenths": [2, 5, 3],
        "k": [[1, 0, 0], [0, 1, 0], [0, 0, 2]],
        "v": [[1, 2, 3], [4, 0, 1], [2, 2, 1]],
    }
    values = {slug: value["output"] for slug, value in mistakes_of("weighted_sum", drawn).items()}
    assert values["mix_with_keys"] == pytest.approx([0.2, 0.5, 0.6])
    assert values["strongest_only"] == [4, 0, 1]
    assert values["plain_mean"] == pytest.approx([7 / 3, 4 / 3, 5 / 3])
    assert values["transposed_values"] == pytest.approx([0.2 + 1 + 0.9, 0.8 + 0.3, 0.4 + 1 + 0.3])
    assert values["unweighted_sum"] == [7, 4, 5]


def test_softmax_dim_normalises_every_row() -> None:
    for variant in variants("softmax_dim"):
        scores = variant.drawn["scores"]
        expected = [shares(row) for row in scores]
        for row, wanted in zip(variant.right["weights"], expected, strict=True):
            assert row == pytest.approx(wanted, abs=1e-12)
        assert_right(variant, [list(rows) for rows in zip(*map(rounded_shares, scores), strict=True)])
    scores = [[0, 1, 2], [3, 4, 5], [-1, -2, -3]]
    values = {
        slug: value["weights"] for slug, value in mistakes_of("softmax_dim", {"scores": scores}).items()
    }
    down = [shares(column) for column in columns(scores)]
    everything = sum(math.exp(score) for row in scores for score in row)
    assert values["softmax_over_columns"][0] == pytest.approx([column[0] for column in down])
    assert values["columns_transposed"][0] == pytest.approx(down[0])
    assert values["softmax_over_all"][1] == pytest.approx([math.exp(s) / everything for s in scores[1]])


def test_temperature_divides_the_scores() -> None:
    for variant in variants("temperature"):
        scaled = [score / variant.drawn["temperature"] for score in variant.drawn["scores"]]
        assert variant.right["weights"] == pytest.approx(shares(scaled), abs=1e-12)
        assert_right(variant, list(rounded_shares(scaled)))
    values = {
        slug: value["weights"]
        for slug, value in mistakes_of("temperature", {"scores": [0, 1, 2], "temperature": 2.0}).items()
    }
    plain = shares([0, 1, 2])
    assert values["multiplied_by_temperature"] == pytest.approx(shares([0, 2, 4]))
    assert values["weights_divided"] == pytest.approx([weight / 2 for weight in plain])
    assert values["temperature_ignored"] == pytest.approx(plain)
    assert values["weights_to_the_power"] == pytest.approx([weight**2 for weight in plain])
