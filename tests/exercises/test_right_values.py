"""Right values against oracles that share no code with the core: torch in float64, formulas written out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.conftest import require
from tests.exercises.drawn import variants

COUNT = 60


def test_attention_row_and_full_output_agree_with_torch() -> None:
    require("torch")
    import torch

    for slug in ("attention_row", "full_output"):
        for variant in variants(slug)[:COUNT]:
            x, w_q, w_k, w_v = (
                torch.tensor(variant.drawn[name], dtype=torch.float64) for name in ("x", "w_q", "w_k", "w_v")
            )
            q, k, v = x @ w_q, x @ w_k, x @ w_v
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                output = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
            expected = {
                "q": q,
                "k": k,
                "v": v,
                "scores": q @ k.T,
                "scaled": q @ k.T / math.sqrt(2),
                "weights": torch.softmax(q @ k.T / math.sqrt(2), dim=-1),
                "output": output,
            }
            for name, value in expected.items():
                whole = slug == "full_output" or name in ("k", "v")
                wanted = value if whole else value[variant.drawn["row"]]
                np.testing.assert_allclose(variant.right[name], wanted.numpy(), rtol=0, atol=1e-12)


def test_causal_row_agrees_with_torch() -> None:
    require("torch")
    import torch

    for variant in variants("causal_row")[:COUNT]:
        scores = torch.tensor(variant.drawn["scaled"], dtype=torch.float64)
        hidden = scores.masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), -math.inf)
        weights = torch.softmax(hidden, dim=-1)
        output = weights @ torch.tensor(variant.drawn["v"], dtype=torch.float64)
        row = variant.drawn["row"]
        assert variant.right["masked"] == hidden[row].tolist()
        np.testing.assert_allclose(variant.right["weights"], weights[row].numpy(), rtol=0, atol=1e-12)
        np.testing.assert_allclose(variant.right["output"], output[row].numpy(), rtol=0, atol=1e-12)


def test_softmax_row_is_exponentials_over_their_sum() -> None:
    for variant in variants("softmax_row")[:COUNT]:
        exponentials = [math.exp(score) for score in variant.drawn["scores"]]
        expected = [value / sum(exponentials) for value in exponentials]
        assert variant.right["weights"] == pytest.approx(expected, abs=1e-13)


def test_scaled_entry_is_the_dot_product_over_the_root_of_d_k() -> None:
    for variant in variants("scaled_entry")[:COUNT]:
        q, k = variant.drawn["q"], variant.drawn["k"]
        expected = sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))
        assert variant.right["scaled"] == pytest.approx(expected, abs=1e-13)


def test_kv_cache_is_the_formula_in_exact_fractions() -> None:
    for variant in variants("kv_cache")[:COUNT]:
        d = variant.drawn
        token = 2 * d["layers"] * d["kv_heads"] * d["head_width"] * 2
        sequence = token * (d["prompt"] + d["output"])
        assert variant.right["per_token"] == token
        assert variant.right["per_sequence"] == float(Fraction(sequence, 2**20))
        assert variant.right["batch"] == float(Fraction(sequence * d["batch"], 2**30))


def test_mha_shape_is_what_view_and_transpose_give() -> None:
    for variant in variants("mha_shape")[:COUNT]:
        d = variant.drawn
        width = d["heads"] * d["head_width"]
        q = np.empty((d["batch"], d["length"], width), dtype=np.int8)
        split = q.reshape(d["batch"], d["length"], d["heads"], -1).transpose(0, 2, 1, 3)
        assert variant.right["shape"] == list(split.shape)


def test_mistakes_that_are_no_changed_step_have_their_written_out_values() -> None:
    """A hand-made draw of each family whose mistakes are plain formulas."""
    scaled = variants("scaled_entry")[0].family
    drawn = {"q": [1, 2], "k": [3, -1], "heads": 4, "tokens": 9}
    values = {slug: value["scaled"] for slug, value in scaled.mistakes(drawn).items()}
    assert values == pytest.approx(
        {
            "no_scale": 1.0,
            "scale_by_d_k": 1 / 2,
            "scale_by_sqrt_d_model": 1 / math.sqrt(8),
            "multiplied_by_sqrt_d_k": math.sqrt(2),
            "scale_by_sqrt_n": 1 / 3,
            "scale_by_sqrt_heads": 1 / 2,
            "cosine": 1 / math.sqrt(50),
        }
    )
    softmax = variants("softmax_row")[0].family
    values = {slug: value["weights"] for slug, value in softmax.mistakes({"scores": [0, 1, 2, -1]}).items()}
    total = 1 + math.e + math.e**2 + 1 / math.e
    assert values["linear_shares"] == [0, 0.5, 1, -0.5]
    assert values["base_two"] == pytest.approx([2 / 15, 4 / 15, 8 / 15, 1 / 15])
    assert values["unnormalised"] == pytest.approx([1, math.e, math.e**2, 1 / math.e])
    assert values["shifted_unnormalised"] == pytest.approx([math.e**-2, 1 / math.e, 1, math.e**-3])
    assert values["log_softmax"] == pytest.approx([s - math.log(total) for s in (0, 1, 2, -1)])
    assert values["unit_length"] == pytest.approx([s / math.sqrt(6) for s in (0, 1, 2, -1)])
    assert values["argmax"] == [0, 0, 1, 0]
    assert values["sigmoid"] == pytest.approx([1 / (1 + math.exp(-s)) for s in (0, 1, 2, -1)])


def test_kv_cache_mistakes_are_the_factors_they_claim() -> None:
    family = variants("kv_cache")[0].family
    drawn = {
        "layers": 32,
        "kv_heads": 8,
        "group": 5,
        "head_width": 128,
        "batch": 10,
        "prompt": 3000,
        "output": 1000,
    }
    right = family.right(drawn)["batch"]
    factors = {slug: values["batch"] / right for slug, values in family.mistakes(drawn).items()}
    assert factors == pytest.approx(
        {
            "forgot_factor_two": 1 / 2,
            "query_heads": 5,
            "ratio_inverted": 25,
            "bits": 8,
            "no_layers": 1 / 32,
            "no_batch": 1 / 10,
            "decimal_units": 1.024**3,
            "queries_cached": 3 / 2,
            "group_as_heads": 5 / 8,
            "prompt_only": 3 / 4,
            "output_only": 1 / 4,
            "four_bytes": 2,
            "model_width": 40,
        }
    )
