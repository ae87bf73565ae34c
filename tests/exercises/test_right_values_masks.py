"""Right values of the families on masks against oracles that share no code with the core, and honest work."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quiz.exercises.marking import mark_part
from tests.conftest import require
from tests.exercises.drawn import typed, variants
from tests.exercises.test_honest_work import mixed, softmaxes

COUNT = 60


def test_padding_row_agrees_with_torch() -> None:
    require("torch")
    import torch

    for variant in variants("padding_row")[:COUNT]:
        d = variant.drawn
        hidden = torch.arange(5) >= d["real"]
        scores = torch.tensor(d["scaled"], dtype=torch.float64).masked_fill(hidden, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        output = weights @ torch.tensor(d["v"], dtype=torch.float64)
        assert variant.right["masked"] == scores.tolist()
        assert variant.right["weights"] == pytest.approx(weights.tolist(), abs=1e-13)
        assert variant.right["output"] == pytest.approx(output.tolist(), abs=1e-12)


def test_padding_row_mistakes_are_what_they_claim() -> None:
    family = variants("padding_row")[0].family
    drawn = {"scaled": [0.0, 1.0, 2.0, 2.5, 3.0], "v": [[1, 0], [0, 1], [2, 2], [-1, 3], [3, -2]]}
    mistakes = family.mistakes({**drawn, "real": 3, "row": 4})
    e = [math.exp(score) for score in drawn["scaled"]]
    assert mistakes["no_mask"]["weights"] == pytest.approx([x / sum(e) for x in e])
    assert mistakes["masked_after_softmax"]["weights"] == pytest.approx([x / sum(e) for x in e[:3]] + [0, 0])
    assert mistakes["filled_with_zero"]["weights"] == pytest.approx(
        [x / (sum(e[:3]) + 2) for x in (*e[:3], 1, 1)]
    )
    assert mistakes["inverted_polarity"]["weights"] == pytest.approx(
        [0, 0, 0] + [x / sum(e[3:]) for x in e[3:]]
    )
    assert mistakes["uniform_weights"]["weights"] == pytest.approx([1 / 3] * 3 + [0, 0])
    total = math.e * sum(e[:3]) + sum(e[3:])
    assert mistakes["additive_01_mask"]["weights"] == pytest.approx(
        [math.e * x / total for x in e[:3]] + [x / total for x in e[3:]]
    )
    assert mistakes["query_rows_masked"]["masked"] == [-math.inf] * 5
    assert mistakes["query_rows_masked"]["weights"] == pytest.approx([0.2] * 5)


def test_padding_row_worked_with_three_decimals_is_right() -> None:
    for variant in variants("padding_row"):
        d = variant.drawn
        masked = [s if j < d["real"] else -math.inf for j, s in enumerate(d["scaled"])]
        for weights in softmaxes(masked):
            answer = mixed(weights, d["v"])
            assert mark_part(variant, "output", typed(answer)).key == "right", (variant.seed, answer)


def test_visible_pairs_are_counted_pair_by_pair() -> None:
    for variant in variants("visible_pairs")[:COUNT]:
        n, w = variant.drawn["tokens"], variant.drawn["window"]
        pairs = [(i, j) for i in range(n) for j in range(n)]
        expected = {
            "window_ignored": sum(j <= i for i, j in pairs),
            "every_row_full": sum(0 <= j < w for i, j in pairs),
            "window_without_itself": sum(i - w < j < i for i, j in pairs),
            "no_mask": len(pairs),
            "window_two_sided": sum(abs(i - j) < w for i, j in pairs),
            "window_one_wider": sum(i - w <= j <= i for i, j in pairs),
        }
        assert variant.right["pairs"] == sum(i - w < j <= i for i, j in pairs)
        assert {slug: values["pairs"] for slug, values in variant.raw_mistakes.items()} == expected


def test_both_masks_are_exponentials_of_what_is_seen_and_its_mistakes_with_sets_of_columns() -> None:
    for variant in variants("both_masks")[:COUNT]:
        d = variant.drawn
        pads, row = d["pads"], d["row"]
        seen = {
            "right": range(pads, row + 1),
            "only_causal": range(row + 1),
            "only_padding": range(pads, 6),
            "hidden_by_both": range(6),
        }
        for slug, columns in seen.items():
            values = variant.right if slug == "right" else variant.raw_mistakes[slug]
            e = [math.exp(s) if j in columns else 0.0 for j, s in enumerate(d["scaled"])]
            assert values["masked"] == [s if j in columns else -math.inf for j, s in enumerate(d["scaled"])]
            assert values["weights"] == pytest.approx([x / sum(e) for x in e], abs=1e-13), slug


def test_both_masks_worked_with_three_decimals_is_right() -> None:
    for variant in variants("both_masks"):
        d = variant.drawn
        masked = [s if d["pads"] <= j <= d["row"] else -math.inf for j, s in enumerate(d["scaled"])]
        for weights in softmaxes(masked):
            assert mark_part(variant, "weights", typed(weights)).key == "right", (variant.seed, weights)


def test_receptive_field_is_what_reaches_the_top() -> None:
    for variant in variants("receptive_field")[:COUNT]:
        layers, window = variant.drawn["layers"], variant.drawn["window"]
        length = layers * window + 5
        reached = {length - 1}
        for _ in range(layers):
            reached = {j for i in reached for j in range(max(0, i - window + 1), i + 1)}
        assert variant.right["tokens"] == len(reached)
        assert {slug: values["tokens"] for slug, values in variant.raw_mistakes.items()} == {
            "layers_times_window": layers * window,
            "one_layer": window,
            "window_to_the_layers": window**layers,
            "itself_left_out": layers * (window - 1),
        }


def test_nan_rows_are_those_where_torch_gives_nan() -> None:
    require("torch")
    import torch

    for variant in variants("nan_rows")[:COUNT]:
        n, pads = variant.drawn["tokens"], variant.drawn["pads"]
        scores = torch.zeros(n, n, dtype=torch.float64)
        scores[:, :pads] = -math.inf
        scores[torch.ones(n, n, dtype=torch.bool).triu(1)] = -math.inf
        empty = torch.softmax(scores, dim=-1).isnan().any(dim=-1)
        rows = int(empty.sum())
        assert variant.right["rows"] == rows
        assert {slug: values["rows"] for slug, values in variant.mistakes.items() if "rows" in values} == {
            "none": 0,
            "cells": int(torch.softmax(scores, dim=-1).isnan().sum()),
            "all_rows": n,
            "real_rows": n - rows,
        }


def test_cross_shape_is_the_shape_of_a_real_product() -> None:
    for variant in variants("cross_shape")[:COUNT]:
        d = variant.drawn
        q = np.empty((d["batch"], d["target"], d["heads"], d["head_width"]), dtype=np.int8)
        k = np.empty((d["batch"], d["source"], d["heads"], d["head_width"]), dtype=np.int8)

        def shape(one: np.ndarray, other: np.ndarray) -> list[int]:
            return list((one.transpose(0, 2, 1, 3)[..., :1] @ other.transpose(0, 2, 3, 1)[..., :1, :]).shape)

        assert variant.right["shape"] == shape(q, k)
        assert {slug: values["shape"] for slug, values in variant.mistakes.items() if "shape" in values} == {
            "lengths_swapped": shape(k, q),
            "square_of_target": shape(q, q),
            "square_of_source": shape(k, k),
        }


def test_leak_is_the_gradient_of_two_layers() -> None:
    require("torch")
    import torch

    for variant in variants("leak")[:COUNT]:
        weights, row = torch.tensor(variant.drawn["weights"], dtype=torch.float64), variant.drawn["row"]

        def output(x: torch.Tensor) -> torch.Tensor:
            for _ in range(2):
                x = x + weights @ x  # noqa: B023
            return x

        jacobian = torch.autograd.functional.jacobian(output, torch.ones(3, dtype=torch.float64))
        factor = float(jacobian[row, row])
        assert variant.right["factor"] == pytest.approx(factor, abs=1e-12)
        assert variant.right["two_hops"] == pytest.approx(factor - 1, abs=1e-12)
        found = {slug: values["factor"] for slug, values in variant.raw_mistakes.items()}
        assert found == pytest.approx({"nothing": 0, "residual_only": 1, "two_hops_only": factor - 1})
