"""multihead: head by head in NumPy, torch.nn.MultiheadAttention, and what no shape check can tell."""

import array_api_strict
import numpy as np
import pytest
import torch

from attention_core import attention, faults, multihead
from attention_core.errors import ShapeError
from attention_core.multihead import Projections
from tests.core.examples import drawn


def projections(seed, *, d_model=12, heads=4, kv_heads=4, width=3, context=None, biased=False):
    source = d_model if context is None else context
    shapes = [(d_model, heads * width), (source, kv_heads * width), (source, kv_heads * width)]
    shapes += [(heads * width, d_model)]
    biases = [(columns,) for _, columns in shapes] if biased else []
    return Projections(*drawn(seed, *shapes, *biases))


def head_by_head(x, weights, *, heads, kv_heads=None, context=None, **options):
    """Every head from its own columns of the matrices, its output times its own rows of W_O, summed."""
    kv_heads = heads if kv_heads is None else kv_heads
    context = x if context is None else context
    width = weights.w_q.shape[1] // heads
    total = 0.0 if weights.b_o is None else weights.b_o
    for head in range(heads):
        own, shared = (slice(i * width, (i + 1) * width) for i in (head, head * kv_heads // heads))
        q, k, v = (
            source @ w[:, columns] + (0 if b is None else b[columns])
            for source, w, b, columns in (
                (x, weights.w_q, weights.b_q, own),
                (context, weights.w_k, weights.b_k, shared),
                (context, weights.w_v, weights.b_v, shared),
            )
        )
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(width)
        if options.get("causal"):
            scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        total = total + e / e.sum(axis=-1, keepdims=True) @ v @ weights.w_o[own]
    return total


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_heads_are_independent_attentions(kv_heads, causal):
    x = drawn(1, (2, 5, 12))[0]
    weights = projections(2, kv_heads=kv_heads, biased=True)
    found = multihead.multi_head(x, weights, heads=4, kv_heads=kv_heads, causal=causal)
    expected = head_by_head(x, weights, heads=4, kv_heads=kv_heads, causal=causal)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_grouped_and_multi_query_are_special_cases():
    x = drawn(3, (2, 5, 12))[0]
    two, one = projections(4, kv_heads=2), projections(5, kv_heads=1)
    assert np.array_equal(
        multihead.grouped(x, two, heads=4, kv_heads=2), multihead.multi_head(x, two, heads=4, kv_heads=2)
    )
    assert np.array_equal(
        multihead.multi_query(x, one, heads=4), multihead.multi_head(x, one, heads=4, kv_heads=1)
    )


def test_cross_attention_takes_keys_and_values_from_the_context():
    x, context = drawn(6, (2, 3, 12), (2, 7, 5))
    weights = projections(7, context=5)
    found = multihead.cross(x, context, weights, heads=4)
    assert found.shape == (2, 3, 12)
    np.testing.assert_allclose(found, head_by_head(x, weights, heads=4, context=context), atol=1e-12)


@pytest.mark.parametrize("crossing", [False, True])
def test_torchs_own_multi_head_attention_agrees(crossing):
    x, context = drawn(8, (2, 3, 12), (2, 7, 12))
    weights = projections(9, biased=True)
    theirs = torch.nn.MultiheadAttention(12, 4, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        ends = [torch.tensor(getattr(weights, f"w_{end}").T.copy()) for end in "qkv"]
        theirs.in_proj_weight.copy_(torch.cat(ends))
        theirs.in_proj_bias.copy_(torch.cat([torch.tensor(getattr(weights, f"b_{end}")) for end in "qkv"]))
        theirs.out_proj.weight.copy_(torch.tensor(weights.w_o.T.copy()))
        theirs.out_proj.bias.copy_(torch.tensor(weights.b_o))
    source = context if crossing else x
    padded = np.arange(source.shape[1]) >= np.array([[2], [source.shape[1]]])
    expected, _ = theirs(
        *(torch.tensor(a) for a in (x, source, source)), key_padding_mask=torch.tensor(padded)
    )
    found = multihead.multi_head(
        x, weights, heads=4, context=source if crossing else None, mask=~padded[:, None, None, :]
    )
    np.testing.assert_allclose(found, expected.detach().numpy(), atol=1e-12)


def test_one_head_is_plain_attention_with_an_output_matrix():
    x = drawn(10, (5, 6))[0]
    w_q, w_k, w_v, w_o = drawn(11, (6, 6), (6, 6), (6, 6), (6, 6))
    found = multihead.multi_head(x, Projections(w_q, w_k, w_v, w_o), heads=1)
    np.testing.assert_allclose(found, attention(x @ w_q, x @ w_k, x @ w_v) @ w_o, atol=1e-12)


def test_heads_are_joined_in_order_and_w_o_stands_on_the_right():
    w_o = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0], [1.0, 1.0]])
    joined = multihead.join(np.array([[[0.6, 0.8]], [[0.2, 0.5]]]), w_o)
    np.testing.assert_allclose(joined, [[0.6 + 0.6 + 0.5, 1.2 + 0.8 + 0.5]])


def test_every_head_can_be_traced_with_a_mistake_in_it():
    x = drawn(12, (4, 5))[0]
    weights = projections(13, d_model=5, heads=2, kv_heads=2)
    right = multihead.trace_heads(x, weights, heads=2)
    assert list(right) == ["q", "k", "v", "scores", "scaled", "capped", "masked", "weights", "output"]
    assert right.weights.shape == (2, 4, 4)
    np.testing.assert_allclose(
        multihead.join(right.output, weights.w_o), multihead.multi_head(x, weights, heads=2), atol=1e-12
    )
    wrong = multihead.trace_heads(x, weights, heads=2, steps=faults.steps_with("scale_by_sqrt_d_model"))
    np.testing.assert_allclose(wrong.scaled, right.scores / np.sqrt(5), atol=1e-12)


def test_any_array_library():
    x = drawn(14, (2, 5, 12))[0]
    weights = projections(15, kv_heads=2, biased=True)
    strict = Projections(**{name: array_api_strict.asarray(w) for name, w in vars(weights).items()})
    found = multihead.multi_head(array_api_strict.asarray(x), strict, heads=4, kv_heads=2)
    expected = multihead.multi_head(x, weights, heads=4, kv_heads=2)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"w_q": np.ones((5, 12))}, "w_q"),
        ({"w_k": np.ones((5, 12))}, "w_k"),
        ({"w_o": np.ones((5, 12))}, "w_o"),
        ({"b_v": np.ones(5)}, "b_v"),
        ({"w_q": np.ones((12, 10))}, "heads"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(change, argument):
    weights = Projections(**vars(projections(16)) | change)
    with pytest.raises(ShapeError) as refusal:
        multihead.multi_head(np.ones((2, 5, 12)), weights, heads=4)
    assert refusal.value.argument == argument
