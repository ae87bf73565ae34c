"""Overflow, soft caps, variance, dropout and counting."""

import math

import numpy as np
import pytest
import torch

from attention_core import attention, costs, layer_norm, modules, trace
from tests.core.examples import drawn
from tests.core.reports import Reports

REPORTS = Reports()


@REPORTS.row(11)
def evaluation_twice_gives_the_same_and_attention_itself_drops_nothing():
    tensors = [torch.tensor(a) for a in drawn(11, *[(2, 6, 8)] * 3)]
    assert torch.equal(attention(*tensors), attention(*tensors))
    layer = modules.EncoderLayer(8, 2, 16, dropout=0.5).double()
    layer.eval()
    assert torch.equal(layer(tensors[0]), layer(tensors[0]))
    layer.train()
    torch.manual_seed(0)
    assert not torch.equal(layer(tensors[0]), layer(tensors[0]))


@REPORTS.row(12)
def scores_beyond_float16_pick_the_value_of_the_positive_key():
    q = np.full((1, 64), 200.0, dtype=np.float16)
    k, v = np.stack([q[0], -q[0]]), np.array([[1.0], [2.0]], dtype=np.float16)
    assert attention(q, k, v).tolist() == [[1.0]]
    assert attention(q, k[::-1], v).tolist() == [[2.0]]
    for dtype in (torch.float16, torch.bfloat16):
        tensors = [torch.tensor(a.astype(np.float32)).to(dtype) for a in (q, k, v)]
        assert attention(*tensors).tolist() == [[1.0]]


@REPORTS.row(24)
def a_cap_before_the_mask_leaves_a_masked_key_at_exactly_nought():
    q, k = np.ones((1, 1)), np.array([[0.3], [0.9], [-0.2]])
    v = np.array([[1.0], [1e4], [1.0]])
    mask = np.array([[True, False, True]])
    for options in ({"mask": mask}, {"bias": np.where(mask, 0.0, -np.inf)}):
        t = trace(q, k, v, softcap=0.5, **options)
        assert t.weights[0, 1] == 0.0
        assert t.output == pytest.approx(1.0, abs=1e-15)


@REPORTS.row(25)
def a_cap_is_the_cap_times_tanh_and_bounds_the_scores():
    t = trace([[1.0]], [[124.0], [-124.0], [1.0]], np.eye(3), scale=1.0, softcap=30.0)
    assert t.capped[0].tolist() == pytest.approx([30 * math.tanh(x / 30) for x in (124, -124, 1)], rel=1e-15)
    assert np.abs(t.capped).max() < 30.0


@REPORTS.row(29)
def layer_norm_of_a_large_mean_keeps_its_digits_in_float32():
    x = (2000 + np.random.default_rng(29).standard_normal((256, 4))).astype(np.float32)
    wide = x.astype(np.float64)
    right = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    assert np.abs(layer_norm(x) - right).max() < 1e-3
    assert np.abs(layer_norm(torch.tensor(x)).numpy() - right).max() < 1e-3


@REPORTS.row(30)
def layer_norm_divides_by_the_root_of_the_biased_variance():
    assert layer_norm([1.0, 3.0], eps=0.0).tolist() == [-1.0, 1.0]  # n − 1 would give 0.71; no root, the same
    assert layer_norm([0.0, 4.0], eps=0.0).tolist() == [-1.0, 1.0]  # the variance itself would give 0.5


@REPORTS.row(38)
def flops_count_the_two_products_and_causal_pairs_are_exact():
    sizes = {"batch": 2, "heads": 3, "queries": 16, "keys": 16, "width": 8}
    assert costs.attention_flops(**sizes) == 4 * 2 * 3 * 16 * 16 * 8
    assert costs.visible_pairs(4, keys=10, causal="bottom_right") == 34
    assert costs.visible_pairs(4, keys=10, causal="top_left") == 10
    decode = {**sizes, "queries": 4, "keys": 10}
    assert costs.attention_flops(**decode, causal="bottom_right") == 4 * 2 * 3 * 34 * 8


@pytest.mark.parametrize("report", REPORTS)
def test_report(report):
    REPORTS[report]()
