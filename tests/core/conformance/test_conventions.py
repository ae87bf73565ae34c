"""Where public libraries disagree: one test for each line of the table in attention_core/README.md."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention_core import alibi_bias, attention, heads, kernels, layer_norm, masks, rope, trace
from attention_core.errors import MaskError, NumericalError
from tests.core.conformance.counting import README
from tests.core.examples import drawn

LEVEL, VALUES = np.zeros((4, 1)), np.arange(4.0)[:, None]  # equal scores: outputs are means of what is seen
CONVENTIONS = {}


def convention(question):
    def keep(function):
        CONVENTIONS[question] = function
        return function

    return keep


def means(queries, **options):
    return attention(np.ones((queries, 1)), LEVEL, VALUES, **options)[:, 0].tolist()


@convention("A query that sees no key")
def blind_rows():
    q, k, v = drawn(1, (3, 4), (3, 4), (3, 4))
    mask = np.ones((3, 3), dtype=bool)
    mask[1] = False
    t = trace(q, k, v, mask=mask)
    assert t.weights[1].tolist() == [0.0] * 3
    assert t.output[1].tolist() == [0.0] * 4
    tensors = [torch.tensor(a)[None, None] for a in (q, k, v)]
    theirs = scaled_dot_product_attention(*tensors, attn_mask=torch.tensor(mask))
    np.testing.assert_allclose(t.output, theirs[0, 0].numpy(), rtol=0, atol=1e-14)
    module = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    x = torch.ones(1, 3, 4)
    output, _ = module(x, x, x, attn_mask=torch.tensor(~mask), need_weights=True)
    assert output[0, 1].isnan().all()


@convention("Causal with T ≠ S")
def alignments():
    assert means(2, causal="top_left") == [0.0, 0.5]
    assert means(2, causal="bottom_right") == [1.0, 1.5]
    for careless in (True, "causal"):
        with pytest.raises(MaskError, match="causal: given"):
            means(2, causal=careless)
    tensors = [torch.tensor(a)[None, None] for a in (np.ones((2, 1)), LEVEL, VALUES)]
    assert scaled_dot_product_attention(*tensors, is_causal=True).flatten().tolist() == [0.0, 0.5]


@convention("Mask and causal rule together")
def intersection():
    mask = np.array([True, False, True, True])
    expected = pytest.approx([0.0, 0.0, 1.0, 5 / 3])
    assert means(4, mask=mask, causal="top_left") == expected
    tensors = [torch.tensor(a)[None, None] for a in (np.ones((4, 1)), LEVEL, VALUES)]
    for backend in kernels.BACKENDS:
        output, _ = kernels.run(backend, *tensors, mask=torch.tensor(mask), causal="top_left")
        assert output.flatten().tolist() == expected


@convention("NaN or ±∞ in q, k, v")
def not_finite():
    hidden = np.array([True, True, False])
    for name in ("q", "k", "v"):
        for bad in (math.nan, math.inf, -math.inf):
            arrays = dict(zip("qkv", drawn(2, (3, 2), (3, 2), (3, 2)), strict=True))
            arrays[name][2, 0] = bad
            tensors = {key: torch.tensor(value)[None, None] for key, value in arrays.items()}
            with pytest.raises(NumericalError, match=rf"{name}: given {bad}"):
                attention(**arrays, mask=hidden)
            for backend in kernels.BACKENDS:
                with pytest.raises(NumericalError, match=rf"{name}: given {bad}"):
                    kernels.run(backend, **tensors, mask=torch.tensor(hidden))


@convention("A large negative bias")
def finite_fill():
    assert means(1, bias=np.full((1, 4), np.finfo(float).min)) == [1.5]
    assert means(1, bias=np.full((1, 4), -np.inf)) == [0.0]
    assert means(1, bias=np.array([[0.0, -np.inf, -np.inf, 0.0]])) == [1.5]
    with pytest.raises(MaskError, match="bias: given"):
        masks.from_additive(np.array([0.0, np.finfo(float).min]))


@convention("True in a boolean mask")
def polarity():
    assert means(1, mask=np.array([False, False, True, True])) == [2.5]


@convention("Soft cap and mask")
def cap_order():
    t = trace(
        [[1.0]], [[0.3], [0.9], [0.9]], [[1.0], [1e4], [5.0]], scale=1.0, softcap=0.5,
        mask=np.array([True, False, True]), bias=np.array([[0.0, 0.0, 7.0]]),
    )  # fmt: skip
    capped = [0.5 * math.tanh(x / 0.5) for x in (0.3, 0.9, 0.9)]
    np.testing.assert_allclose(t.capped, [capped], rtol=1e-15)
    np.testing.assert_allclose(t.masked, [[capped[0], -np.inf, capped[2] + 7.0]], rtol=1e-15)
    assert t.weights[0, 1] == 0.0


@convention("Window")
def window_width():
    seen = attention(np.ones((6, 1)), np.zeros((6, 1)), np.eye(6), window=(2, 0)) > 0
    assert seen[5].tolist() == [False, False, False, True, True, True]
    assert seen.sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3]
    with pytest.raises(MaskError, match="window: given 3"):
        attention(np.ones((6, 1)), np.zeros((6, 1)), np.eye(6), window=3)


@convention("Window with T ≠ S")
def window_place():
    seen = attention(np.ones((2, 1)), LEVEL, np.eye(4), window=(1, 0), causal="bottom_right") > 0
    assert seen.astype(int).tolist() == [[0, 1, 1, 0], [0, 0, 1, 1]]
    seen = attention(np.ones((2, 1)), LEVEL, np.eye(4), window=(1, 0), causal="top_left") > 0
    assert seen.astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]


@convention("Key/value heads for more query heads")
def group_order():
    v = np.stack([np.full((3, 1), 1.0), np.full((3, 1), 2.0)])
    assert attention(np.ones((4, 1, 1)), np.zeros((2, 3, 1)), v).flatten().tolist() == [1, 1, 2, 2]
    tensors = [torch.tensor(a)[None] for a in (np.ones((4, 1, 1)), np.zeros((2, 3, 1)), v)]
    assert scaled_dot_product_attention(*tensors, enable_gqa=True).flatten().tolist() == [1, 1, 2, 2]


@convention("Heads in one width")
def head_cut():
    x = np.arange(12.0).reshape(1, 3, 4)
    assert heads.split(x, heads=2)[0, 1].tolist() == [[2, 3], [6, 7], [10, 11]]


@convention("16-bit floats")
def half_precision():
    q = np.full((1, 64), 200, dtype=np.float16)
    output = attention(q, np.stack([q[0], -q[0]]), np.array([[1], [2]], dtype=np.float16))
    assert output.dtype == np.float16
    assert output.tolist() == [[1.0]]
    with np.errstate(over="ignore"):
        assert np.isinf((q * q).sum(dtype=np.float16))


@convention("No keys, no queries")
def nothing():
    assert attention(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 5))).tolist() == np.zeros((2, 5)).tolist()
    assert attention(np.ones((0, 3)), np.ones((2, 3)), np.ones((2, 5))).shape == (0, 5)


@convention("Rotary layout")
def rotary_layout():
    x = np.array([[1.0, 0.0, 0.0, 0.0]])
    half, interleaved = rope(x, [3])[0], rope(x, [3], interleaved=True)[0]
    assert half.tolist() == [math.cos(3), 0.0, math.sin(3), 0.0]
    assert interleaved.tolist() == [math.cos(3), math.sin(3), 0.0, 0.0]


@convention("ALiBi ahead of the query")
def penalty_ahead():
    assert alibi_bias(1, 3, 3)[0].tolist() == [[-abs(i - j) / 256 + 0.0 for j in range(3)] for i in range(3)]


@convention("Variance in LayerNorm")
def variance():
    assert layer_norm([0.0, 2.0], eps=0.0).tolist() == [-1.0, 1.0]
    assert layer_norm([0.0, 2.0], eps=3.0).tolist() == [-0.5, 0.5]  # 1/√(1 + 3), and not 1/(1 + 3)


@pytest.mark.parametrize("question", CONVENTIONS)
def test_the_choice_that_the_readme_states(question):
    CONVENTIONS[question]()


def test_every_line_of_the_table_is_tested():
    table = README.read_text().split("## Conventions")[1].split("## Conformance")[0]
    questions = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert questions[2:] == list(CONVENTIONS)
