"""Heads: right values and mistakes by indices and sums written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from quiz.exercises.marking import mark_part
from tests.conftest import require
from tests.exercises.drawn import typed, variants

COUNT = 60


def test_concat_wo_is_the_sum_of_every_component_times_its_row() -> None:
    for variant in variants("concat_wo")[:COUNT]:
        (a, b), (c, d) = variant.drawn["heads"]
        rows = zip([a, b, c, d], variant.drawn["w_o"], strict=True)
        weighed = [[component * entry for entry in row] for component, row in rows]
        assert variant.right["output"] == [sum(column) for column in zip(*weighed, strict=True)]


def test_mistakes_about_joining_heads_have_their_written_out_values() -> None:
    w_o = [[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]]
    family = variants("concat_wo")[0].family
    values = family.mistakes({"heads": [[1, 2], [3, -1]], "w_o": w_o})
    assert {slug: value["output"] for slug, value in values.items()} == {
        "no_output_projection": [1, 2, 3, -1],
        "transposed_projection": [1 + 6, 2, 3, 1 - 1],
        "heads_averaged": [0, 1, 2.5, -0.5],
        "heads_exchanged": [3 + 2, -1, 6 + 1, 2],
        "interleaved": [1 - 1, 3, 2 + 2, -1],
    }


def test_head_slice_is_a_run_of_neighbours() -> None:
    for variant in variants("head_slice")[:COUNT]:
        row, head = variant.drawn["q"][variant.drawn["token"]], variant.drawn["head"]
        assert variant.right["slice"] == (row[2:] if head else row[:2])
    q = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    family = variants("head_slice")[0].family
    assert family.mistakes({"q": q, "token": 1, "head": 0}) == {
        "view_without_transpose": {"slice": [3, 4]},
        "interleaved": {"slice": [5, 7]},
        "other_head": {"slice": [7, 8]},
    }


def test_two_heads_agree_with_torch() -> None:
    require("torch")
    import torch

    for variant in variants("two_heads")[:COUNT]:
        q, k, v = (
            torch.tensor(variant.drawn[name], dtype=torch.float64).reshape(-1, 2, 3).transpose(0, 1)[None]
            for name in ("q", "k", "v")
        )
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            output = torch.nn.functional.scaled_dot_product_attention(q, k, v)[0, :, 0]
        weights = torch.softmax(q @ k.mT / math.sqrt(3), dim=-1)[0, :, 0]
        for head in range(2):
            wanted = {"weights": weights[head], "head": output[head]}
            for name, value in wanted.items():
                given = variant.right[f"{name}_{head + 1}"]
                np.testing.assert_allclose(given, value.numpy(), rtol=0, atol=1e-12)
        np.testing.assert_allclose(variant.right["output"], output.reshape(-1).numpy(), rtol=0, atol=1e-12)


def attended(d: dict[str, Any], columns: slice, scale: float) -> list[float]:
    """One head by plain sums."""
    scores = [sum(a * b for a, b in zip(d["q"][columns], k[columns], strict=True)) * scale for k in d["k"]]
    total = sum(math.exp(score) for score in scores)
    rows = [[math.exp(s) / total * x for x in v[columns]] for s, v in zip(scores, d["v"], strict=True)]
    return [sum(column) for column in zip(*rows, strict=True)]


def test_mistakes_about_two_heads_have_their_written_out_values() -> None:
    one, other = slice(0, 3), slice(3, 6)
    for variant in variants("two_heads")[:20]:
        d = dict(variant.drawn)
        values = {slug: value["output"] for slug, value in variant.raw_mistakes.items()}
        for slug, scale in (
            ("scale_by_sqrt_d_model", 1 / math.sqrt(6)),
            ("no_scale", 1.0),
            ("scale_by_head_width", 1 / 3),
        ):
            assert values[slug] == pytest.approx(attended(d, one, scale) + attended(d, other, scale))
        assert values["one_big_head"] == pytest.approx(attended(d, slice(0, 6), 1 / math.sqrt(6)))


def test_two_heads_worked_with_three_decimals_are_right() -> None:
    for variant in variants("two_heads"):
        d = variant.drawn
        for factor in (None, round(1 / math.sqrt(3), 3)):
            for shift in (False, True):
                answer: list[float] = []
                for columns in (slice(0, 3), slice(3, 6)):
                    scores = [
                        sum(a * b for a, b in zip(d["q"][columns], k[columns], strict=True)) for k in d["k"]
                    ]
                    scaled = [round(s / math.sqrt(3) if factor is None else s * factor, 3) for s in scores]
                    top = max(scaled) if shift else 0.0
                    exponentials = [round(math.exp(s - top), 3) for s in scaled]
                    weights = [round(e / round(sum(exponentials), 3), 3) for e in exponentials]
                    values = zip(*(v[columns] for v in d["v"]), strict=True)
                    answer += [
                        round(sum(w * x for w, x in zip(weights, column, strict=True)), 3)
                        for column in values
                    ]
                assert mark_part(variant, "output", typed(answer)).key == "right", variant.seed
