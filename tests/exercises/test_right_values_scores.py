"""Projections, scores and softmax: right values and mistakes by formulas written out, and rounded work."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from quiz.exercises.marking import mark_part
from quiz.exercises.types import Drawn, Value, Values
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


def mistakes_of(slug: str, drawn: Drawn) -> dict[str, Values]:
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


def test_stable_is_what_exact_exponentials_give() -> None:
    """Integers leave no error in the differences: e to them, worked out one by one."""
    for variant in variants("stable"):
        scores = variant.drawn["scores"]
        exponentials = [math.exp(score - max(scores)) for score in scores]
        assert variant.right["total"] == pytest.approx(sum(exponentials), abs=1e-12)
        expected = [value / sum(exponentials) for value in exponentials]
        assert variant.right["weights"] == pytest.approx(expected, abs=1e-12)
        rounded = [round(value, 3) for value in exponentials]
        assert_right(variant, [round(sum(rounded), 3)])
        for answer in rounded_shares([score - max(scores) for score in scores]):
            assert mark_part(variant, "weights", typed(answer)).key == "right"
    values = mistakes_of("stable", {"scores": [100, 101, 103]})
    mean = 304 / 3
    assert {slug: value["total"] for slug, value in values.items()} == pytest.approx(
        {
            "minimum_subtracted": 1 + math.e + math.e**3,
            "mean_subtracted": sum(math.exp(score - mean) for score in (100, 101, 103)),
            "divided_by_maximum": math.exp(100 / 103) + math.exp(101 / 103) + math.e,
        }
    )
    assert values["minimum_subtracted"]["weights"] == pytest.approx(shares([0, 1, 3]))
    assert values["divided_by_maximum"]["weights"] == pytest.approx(shares([100 / 103, 101 / 103, 1]))


def test_entropy_is_the_mean_of_the_logarithms() -> None:
    """ln Σeˢ − Σ p s is the same number by another way."""
    for variant in variants("entropy"):
        scores = variant.drawn["scores"]
        p = shares(scores)
        expected = math.log(sum(math.exp(score) for score in scores)) - dot(p, scores)
        assert variant.right["entropy"] == pytest.approx(expected, abs=1e-12)
        for weights in rounded_shares(scores):
            answer = round(sum(round(-weight * math.log(weight), 3) for weight in weights), 3)
            assert mark_part(variant, "entropy", typed(answer)).key == "right", variant.seed
    p = shares([0, 1, 2])
    values = mistakes_of("entropy", {"scores": [0, 1, 2]})
    assert {slug: value["entropy"] for slug, value in values.items()} == pytest.approx(
        {
            "base_two": -sum(weight * math.log2(weight) for weight in p),
            "sign_lost": sum(weight * math.log(weight) for weight in p),
            "not_weighed": -math.log(math.prod(p)),
            "uniform_entropy": math.log(3),
        }
    )


def test_saturation_divides_before_the_softmax() -> None:
    for variant in variants("saturation"):
        root = math.sqrt(variant.drawn["d_k"])
        scaled = [score / root for score in variant.drawn["scores"]]
        assert variant.right["weights"] == pytest.approx(shares(scaled), abs=1e-12)
        assert_right(variant, list(rounded_shares(scaled)))
    values = mistakes_of("saturation", {"scores": [0.0, 4.0, 6.0], "d_k": 16})
    assert values["no_scale"]["weights"] == pytest.approx(shares([0, 4, 6]))
    assert values["scale_by_d_k"]["weights"] == pytest.approx(shares([0, 1 / 4, 3 / 8]))
    assert values["scaled_after_softmax"]["weights"] == pytest.approx([w / 4 for w in shares([0, 4, 6])])


def test_dot_variance_is_what_many_dot_products_show() -> None:
    drawn = {"d_k": 16, "sigma_q": 2.0, "sigma_k": 0.25}
    rng = np.random.default_rng(7)
    q, k = (sigma * rng.standard_normal((200_000, 16)) for sigma in (2.0, 0.25))
    family = variants("dot_variance")[0].family
    measured = float(((q * k).sum(axis=1) / 4).var())
    assert family.right(drawn)["variance"] == pytest.approx(measured, rel=0.02)
    for variant in variants("dot_variance")[:COUNT]:
        sigmas = variant.drawn["sigma_q"], variant.drawn["sigma_k"]
        assert variant.right["variance"] == pytest.approx(math.prod(sigmas) ** 2, rel=1e-12)
    assert mistakes_of("dot_variance", drawn) == {
        "standard_deviation": {"variance": 0.5},
        "unscaled": {"variance": 4.0},
        "divided_by_root": {"variance": 1.0},
        "taken_for_one": {"variance": 1.0},
    }


def test_qkv_shape_is_that_of_the_product() -> None:
    for variant in variants("qkv_shape")[:20]:
        d = variant.drawn
        q, v = (np.zeros((d["batch"], d["length"], d[name]), dtype=np.int8) for name in ("d_k", "d_v"))
        assert variant.right["shape"] == list((q @ q.transpose(0, 2, 1)).shape)
        values = {slug: value["shape"] for slug, value in variant.raw_mistakes.items()}
        assert values == {
            "width_kept": list(q.shape),
            "product_the_other_way": list((q.transpose(0, 2, 1) @ q).shape),
            "value_width": list(v.shape),
        }


def test_recover_w_is_the_least_squares_solution_of_all_rows() -> None:
    for variant in variants("recover_w")[:COUNT]:
        x, q = (np.array(given.value) for given in variant.prompt.givens)
        solved, residual, rank, _ = np.linalg.lstsq(x, q, rcond=None)
        assert rank == 2
        assert residual == pytest.approx([0, 0], abs=1e-12)
        np.testing.assert_allclose(variant.right["w_q"], solved, rtol=0, atol=1e-12)
        assert variant.right["w_q"] == variant.drawn["w"]
    assert mistakes_of("recover_w", {"x": [[1, 2], [1, 1], [2, 1]], "w": [[1, 2], [0, 3]]}) == {
        "transposed": {"w_q": [[1, 0], [2, 3]]},
        "rows_of_q": {"w_q": [[1, 8], [1, 5]]},
        "rows_swapped": {"w_q": [[0, 3], [1, 2]]},
        "product_not_solved": {"w_q": [[1 + 1 + 4, 8 + 5 + 14 + 0], [2 + 1 + 2, 16 + 5 + 7]]},
    }
