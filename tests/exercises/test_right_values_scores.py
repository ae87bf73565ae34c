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


def test_score_matrix_holds_every_query_against_every_key() -> None:
    for variant in variants("score_matrix")[:COUNT]:
        q, k = variant.drawn["q"], variant.drawn["k"]
        assert variant.right["scores"] == [[dot(a, b) for b in k] for a in q]
    q, k = [[1, 2], [3, -1], [1, 1]], [[2, 1], [1, 3], [-2, 3]]
    assert mistakes_of("score_matrix", {"q": q, "k": k}) == {
        "transposed_scores": {"scores": [[4, 5, 3], [7, 0, 4], [4, -9, 1]]},
        "queries_only": {"scores": [[5, 1, 3], [1, 10, 2], [3, 2, 2]]},
        "keys_only": {"scores": [[5, 5, -1], [5, 10, 7], [-1, 7, 13]]},
    }


def test_asymmetry_is_one_dot_product_less_another() -> None:
    for variant in variants("asymmetry")[:COUNT]:
        x, w_q, w_k = (variant.drawn[name] for name in ("x", "w_q", "w_k"))
        q = [[dot(token, column) for column in columns(w_q)] for token in x]
        k = [[dot(token, column) for column in columns(w_k)] for token in x]
        assert variant.right["difference"] == dot(q[0], k[2]) - dot(q[2], k[0]) != 0
    drawn = {"x": [[1, 2], [0, 1], [3, -1]], "w_q": [[1, 0], [1, 2]], "w_k": [[0, 1], [1, 0]]}
    forth, back = 3 * -1 + 4 * 3, 2 * 2 - 2 * 1
    assert mistakes_of("asymmetry", drawn) == {
        "taken_for_symmetric": {"difference": 0},
        "opposite_sign": {"difference": back - forth},
        "added": {"difference": forth + back},
    }


def test_jacobian_is_the_slope_of_the_softmax() -> None:
    step = 1e-5
    for variant in variants("jacobian"):
        scores, i, j = variant.drawn["scores"], variant.drawn["row"], variant.drawn["column"]
        up, down = ([s + (sign * step if n == j else 0) for n, s in enumerate(scores)] for sign in (1, -1))
        slope = (shares(up)[i] - shares(down)[i]) / (2 * step)
        assert variant.right["derivative"] == pytest.approx(slope, abs=1e-9)
        assert_right(variant, [round(-p[i] * p[j], 3) for p in rounded_shares(scores)])
    values = mistakes_of("jacobian", {"scores": [0, 1, 2], "row": 0, "column": 2})
    p = shares([0, 1, 2])
    assert {slug: value["derivative"] for slug, value in values.items()} == pytest.approx(
        {
            "sign_lost": p[0] * p[2],
            "diagonal_formula": p[0] * (1 - p[0]),
            "mixed_formula": p[0] * (1 - p[2]),
            "no_influence": 0,
        }
    )
