"""Additive scores and their cost: right values against torch and counted one by one."""

from __future__ import annotations

import math

import pytest

from quiz.exercises.marking import mark_part
from tests.conftest import require
from tests.exercises.drawn import typed, variants

COUNT = 60


def test_additive_agrees_with_linear_layers() -> None:
    require("torch")
    import torch

    for variant in variants("additive")[:COUNT]:
        q, k, w_1, w_2, v = (
            torch.tensor(variant.drawn[name], dtype=torch.float64) for name in ("q", "k", "w_1", "w_2", "v")
        )
        linear = torch.nn.functional.linear
        hidden = torch.tanh(linear(q, w_1.T) + linear(k, w_2.T))
        assert variant.right["score"] == pytest.approx(float(hidden @ v), abs=1e-12)


def test_additive_work_rounded_at_every_step_is_right() -> None:
    for variant in variants("additive"):
        q, k, w_1, w_2, v = (variant.drawn[name] for name in ("q", "k", "w_1", "w_2", "v"))
        answer = 0.0
        for c in range(2):
            inner = sum(q[r] * w_1[r][c] + k[r] * w_2[r][c] for r in range(2))
            answer += round(math.tanh(inner), 3) * v[c]
        assert mark_part(variant, "score", typed(round(answer, 3))).key == "right"


def test_additive_mistakes_have_their_written_out_values() -> None:
    family = variants("additive")[0].family
    drawn = {
        "q": [1.0, 0.5],
        "k": [-0.5, 1.0],
        "w_1": [[1, 0], [0, 2]],
        "w_2": [[0, 1], [1, 1]],
        "v": [2, -1],
    }
    one, other = (1.0, 1.0), (1.0, 0.5)
    values = {slug: value["score"] for slug, value in family.mistakes(drawn).items()}
    assert values == pytest.approx(
        {
            "no_tanh": 2 * 2.0 - 1.5,
            "tanh_outside": math.tanh(2.5),
            "product_inside": 2 * math.tanh(one[0] * other[0]) - math.tanh(one[1] * other[1]),
            "dot_product": 0.0,
            "weights_swapped": 2 * math.tanh(0.5 - 0.5) - math.tanh(1.5 + 2.0),
        }
    )


def test_additive_cost_counts_operations_one_by_one() -> None:
    """The loops of an implementation, counted: a dot product of width d is 2 d."""
    family = variants("additive_cost")[0].family
    length, d = 7, 3
    projecting = sum(2 * d for _ in range(2 * length) for _ in range(d))
    pairing = sum(d + d + 2 * d for _ in range(length) for _ in range(length))
    drawn = {"length": length, "width": d}
    assert family.right(drawn) == {"flops": projecting + pairing}
    assert family.mistakes(drawn) == {
        "projected_per_pair": {"flops": length**2 * (2 * 2 * d**2 + 4 * d)},
        "dot_product_cost": {"flops": sum(2 * d for _ in range(length**2))},
        "projections_only": {"flops": projecting},
    }
    for variant in variants("additive_cost")[:COUNT]:
        s, d = variant.drawn["length"], variant.drawn["width"]
        assert variant.right["flops"] == 4 * s * d * (d + s)
