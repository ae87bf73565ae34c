"""Counts, bytes, FLOPs, paths: right values by formulas and enumerations written anew, mistakes by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tests.exercises.drawn import variants

COUNT = 60


def test_params_are_the_sizes_of_the_matrices() -> None:
    for variant in variants("params")[:COUNT]:
        d = variant.drawn
        width, inner, table = d["d_model"], d["d_model"] * d["multiple"], (d["vocabulary"], d["d_model"])
        layer = [(width, width)] * 4 + [(width, inner), (inner, width)]
        matrices = layer * d["layers"] + [table] * (1 if d["tied"] else 2)
        assert variant.right["layer"] == sum(math.prod(shape) for shape in layer)
        assert variant.right["model"] == sum(math.prod(shape) for shape in matrices)
        assert variant.right["attention"] + variant.right["feed_forward"] == variant.right["layer"]


def test_params_mistakes_are_the_layers_they_claim() -> None:
    drawn = {"d_model": 512, "multiple": 4, "heads": 8, "layers": 6, "vocabulary": 1000, "tied": True}
    values = variants("params")[0].family.mistakes(drawn)
    d, f = 512, 2048
    expected = {
        "no_output_projection": 3 * d * d + 2 * d * f,
        "times_heads": 32 * d * d + 2 * d * f,
        "attention_only": 4 * d * d,
        "one_inner_matrix": 4 * d * d + d * f,
        "three_inner_matrices": 4 * d * d + 3 * d * f,
        "one_head_counted": 3 * d * 64 + d * d + 2 * d * f,
        "biases_and_norms": 3152384,  # an encoder layer of the original Transformer
    }
    assert {slug: value["layer"] for slug, value in values.items()} == expected
    assert {slug: (value["model"] - 512000) // 6 for slug, value in values.items()} == expected


def test_doubling_is_the_closed_ratio() -> None:
    for variant in variants("doubling")[:COUNT]:
        n, d = variant.drawn["length"], variant.drawn["d_model"]
        assert variant.right["ratio"] == float(Fraction(2 * (6 * d + 2 * n), 6 * d + n))
    values = variants("doubling")[0].family.mistakes({"length": 1000, "d_model": 1000})
    assert {slug: value["ratio"] for slug, value in values.items()} == pytest.approx(
        {
            "quadratic": 4,
            "linear": 2,
            "no_feed_forward": 8 / 3,
            "only_scores": 28 / 13,
            "no_projections": 12 / 5,
        }
    )
