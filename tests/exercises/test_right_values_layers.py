"""Norms, feed-forward networks and residuals: right values against torch, mistakes and hand work written
out.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from quiz.exercises.marking import mark_part
from tests.conftest import require
from tests.exercises.drawn import typed, variants

COUNT = 60


def r3(value: float) -> float:
    return round(value, 3)


def test_norms_agree_with_torch() -> None:
    require("torch")
    import torch

    for variant in variants("layernorm")[:COUNT]:
        x, gamma, beta = (torch.tensor(variant.drawn[n], dtype=torch.float64) for n in ("x", "gamma", "beta"))
        expected = torch.nn.functional.layer_norm(x, (4,), gamma, beta, eps=1e-5)
        np.testing.assert_allclose(variant.right["output"], expected.numpy(), rtol=0, atol=1e-12)
        assert variant.right["mean"] == pytest.approx(float(x.mean()))
        assert variant.right["variance"] == pytest.approx(float(x.var(correction=0)))
    for variant in variants("rmsnorm")[:COUNT]:
        x, gamma = (torch.tensor(variant.drawn[n], dtype=torch.float64) for n in ("x", "gamma"))
        expected = torch.nn.functional.rms_norm(x, (4,), gamma, eps=1e-6)
        np.testing.assert_allclose(variant.right["output"], expected.numpy(), rtol=0, atol=1e-12)


def test_norm_mistakes_have_their_written_out_values() -> None:
    drawn = {"x": [1, 2, 3, 6], "gamma": [2.0, 0.5, 1.5, -1.0], "beta": [1.0, -1.0, 0.5, 2.0]}
    mistakes = variants("layernorm")[0].family.mistakes(drawn)
    centred, root = [-2, -1, 0, 3], math.sqrt(3.5)
    normal = [c / root for c in centred]
    affine = list(zip(drawn["gamma"], drawn["beta"], strict=True))
    changed = [3.0, 0.0, 5.0, -4.0]  # γx + β, mean 1, variance 11.5
    expected = {
        "sample_variance": [g * c / math.sqrt(14 / 3) + b for c, (g, b) in zip(centred, affine, strict=True)],
        "divided_by_variance": [g * c / 3.5 + b for c, (g, b) in zip(centred, affine, strict=True)],
        "not_centred": [g * x / math.sqrt(12.5) + b for x, (g, b) in zip(drawn["x"], affine, strict=True)],
        "no_affine": normal,
        "no_shift": [g * n for n, (g, _) in zip(normal, affine, strict=True)],
        "swapped_affine": [b * n + g for n, (g, b) in zip(normal, affine, strict=True)],
        "affine_first": [(c - 1) / math.sqrt(11.5) for c in changed],
        "min_max": [g * (x - 1) / 5 + b for x, (g, b) in zip(drawn["x"], affine, strict=True)],
    }
    assert list(mistakes) == list(expected)
    for slug, output in expected.items():
        assert mistakes[slug]["output"] == pytest.approx(output, abs=1e-4), slug
    assert mistakes["sample_variance"]["variance"] == pytest.approx(14 / 3)
    assert mistakes["not_centred"]["variance"] == 12.5
    assert (mistakes["affine_first"]["mean"], mistakes["affine_first"]["variance"]) == pytest.approx(
        (1, 11.5)
    )
    mistakes = variants("rmsnorm")[0].family.mistakes(drawn)
    gamma = drawn["gamma"]
    for slug, divisor in (("unit_length", 50**0.5), ("standard_deviation", 3.5**0.5), ("no_root", 12.5)):
        wanted = [x / divisor * g for x, g in zip(drawn["x"], gamma, strict=True)]
        assert mistakes[slug]["output"] == pytest.approx(wanted, abs=1e-5)
    wanted = [n * g for n, g in zip(normal, gamma, strict=True)]
    assert mistakes["layer_norm"]["output"] == pytest.approx(wanted, abs=1e-5)


def test_norms_worked_with_three_decimals_are_right() -> None:
    for variant in variants("layernorm"):
        x, gamma, beta = (variant.drawn[name] for name in ("x", "gamma", "beta"))
        mean = r3(sum(x) / 4)
        root = r3(math.sqrt(r3(sum(r3((v - mean) ** 2) for v in x) / 4)))
        answer = [r3(g * r3((v - mean) / root) + b) for v, g, b in zip(x, gamma, beta, strict=True)]
        assert mark_part(variant, "output", typed(answer)).key == "right", (variant.seed, answer)
    for variant in variants("rmsnorm"):
        x, gamma = variant.drawn["x"], variant.drawn["gamma"]
        root = r3(math.sqrt(r3(sum(v * v for v in x) / 4)))
        answer = [r3(g * r3(v / root)) for v, g in zip(x, gamma, strict=True)]
        assert mark_part(variant, "output", typed(answer)).key == "right", (variant.seed, answer)


def test_ffn_agrees_with_torch_and_its_mistakes_are_written_out() -> None:
    require("torch")
    import torch

    for variant in variants("ffn")[:COUNT]:
        x, w1, b1, w2, b2 = (
            torch.tensor(variant.drawn[n], dtype=torch.float64) for n in ("x", "w1", "b1", "w2", "b2")
        )
        before = torch.nn.functional.linear(x, w1.T, b1)
        hidden = torch.relu(before)
        output = torch.nn.functional.linear(hidden, w2.T, b2)
        expected = {"pre_activation": before, "hidden": hidden, "output": output}
        assert variant.right == {name: value.tolist() for name, value in expected.items()}
    drawn = {"x": [1, -1], "w1": [[1, -1, 2], [0, 1, 1]], "b1": [0, 1, 0], "w2": [[1, 0], [2, 1], [0, -1]]}
    values = variants("ffn")[0].family.mistakes({**drawn, "b2": [0, -1]})
    assert {slug: value["output"] for slug, value in values.items()} == {
        "no_relu": [-1, -3],
        "relu_last": [0, 0],
        "no_first_bias": [1, -2],
        "relu_on_input": [1, -3],
    }
    assert values["no_first_bias"]["pre_activation"] == [1, -2, 1]
    assert values["relu_on_input"]["hidden"] == [1, 0, 2]


def test_swiglu_agrees_with_torch_and_its_mistakes_are_written_out() -> None:
    require("torch")
    import torch

    for variant in variants("swiglu"):
        a, b = (torch.tensor(variant.drawn[name], dtype=torch.float64) for name in ("a", "b"))
        gate = torch.nn.functional.silu(a)
        assert variant.right["gate"] == pytest.approx(float(gate), abs=1e-14)
        assert variant.right["hidden"] == pytest.approx(float(gate * b), abs=1e-14)
        share = r3(float(torch.sigmoid(a)))
        for answer in (share * float(a * b), r3(float(gate)) * float(b)):
            assert mark_part(variant, "hidden", typed(r3(answer))).key == "right", variant.seed
    values = variants("swiglu")[0].family.mistakes({"a": -1.0, "b": 2.0})
    assert {slug: value["hidden"] for slug, value in values.items()} == pytest.approx(
        {
            "sigmoid_gate": 2 / (1 + math.e),
            "swapped": -2 / (1 + math.exp(-2)),
            "relu_gate": 0,
            "no_value": -1 / (1 + math.e),
        }
    )


def test_residual_grad_is_the_derivative_of_the_stack() -> None:
    require("torch")
    import torch

    for variant in variants("residual_grad"):
        a, layers = variant.drawn["slope"], variant.drawn["layers"]
        x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
        y = x
        for _ in range(layers):
            y = y + a * y
        y.backward()
        assert variant.right["gradient"] == pytest.approx(float(x.grad), rel=1e-12)
        by_hand = 1.0
        for _ in range(layers):
            by_hand = r3(by_hand * (1 + a))
        assert mark_part(variant, "gradient", typed(by_hand)).key == "right", variant.seed
    values = variants("residual_grad")[0].family.mistakes({"slope": 0.1, "layers": 12})
    assert {slug: value["gradient"] for slug, value in values.items()} == pytest.approx(
        {"no_identity": 1e-12, "linearised": 2.2, "one_identity": 1 + 1e-12, "summed": 13.2}
    )


def test_pre_post_agrees_with_torch() -> None:
    require("torch")
    import torch

    def norm(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (3,))

    for variant in variants("pre_post")[:COUNT]:
        x, w = (torch.tensor(variant.drawn[name], dtype=torch.float64) for name in ("x", "w"))
        expected = {
            "post_norm": norm(x + x @ w),
            "no_residual": norm(x) @ w,
            "normalised_stream": norm(x) + norm(x) @ w,
            "norm_after_branch": x + norm(x @ w),
        }
        for slug, output in expected.items():
            found = variant.raw_mistakes[slug]["output"]
            np.testing.assert_allclose(found, output.numpy(), rtol=0, atol=1e-12)
        right = {"normalised": norm(x), "branch": norm(x) @ w, "output": x + norm(x) @ w}
        for name, value in right.items():
            np.testing.assert_allclose(variant.right[name], value.numpy(), rtol=0, atol=1e-12)


def test_pre_post_worked_with_three_decimals_is_right() -> None:
    for variant in variants("pre_post"):
        x, w = variant.drawn["x"], variant.drawn["w"]
        mean = r3(sum(x) / 3)
        root = r3(math.sqrt(r3(sum((v - mean) ** 2 for v in x) / 3)))
        normal = [r3((v - mean) / root) for v in x]
        answer = [r3(x[c] + r3(sum(n * row[c] for n, row in zip(normal, w, strict=True)))) for c in range(3)]
        assert mark_part(variant, "output", typed(answer)).key == "right", (variant.seed, answer)


def test_ln_vs_bn_takes_the_row_and_its_mistakes_other_numbers() -> None:
    def normal(value: float, seen: list[float], *, less: int = 0) -> float:
        mean = sum(seen) / len(seen)
        variance = sum((s - mean) ** 2 for s in seen) / (len(seen) - less)
        return (value - mean) / math.sqrt(variance + 1e-5)

    for variant in variants("ln_vs_bn"):
        x, i, j = (variant.drawn[name] for name in ("x", "row", "column"))
        value, row = x[i][j], x[i]
        mean = sum(row) / 4
        assert variant.right["entry"] == pytest.approx(normal(value, row), abs=1e-12)
        assert {slug: v["entry"] for slug, v in variant.raw_mistakes.items()} == pytest.approx(
            {
                "batch_axis": normal(value, [token[j] for token in x]),
                "whole_tensor": normal(value, [v for token in x for v in token]),
                "sample_variance": normal(value, row, less=1),
                "not_centred": normal(value + mean, row),
            },
            abs=1e-12,
        )
        root = r3(math.sqrt(r3(sum((v - mean) ** 2 for v in row) / 4)))
        assert mark_part(variant, "entry", typed(r3(r3(value - mean) / root))).key == "right", variant.seed
