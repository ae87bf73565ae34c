"""modules: the torch classes give the functions' numbers, and no matrix can come in the wrong way round."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_core import blocks, modules, multihead, trace_from_x
from attention_core.blocks import EncoderLayer, FeedForward, Norm
from attention_core.errors import ShapeError
from tests.core.examples import CHAPTER, CONTRAST, arrays, by_hand, drawn
from tests.core.test_blocks import HEADS, INNER, WIDTH, decoder, encoder
from tests.core.test_multihead import projections


@pytest.mark.parametrize("example", [CHAPTER, CONTRAST], ids=["chapter", "contrast"])
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_self_attention_gives_the_numbers_of_the_textbook(example, causal):
    x, w_q, w_k, w_v = arrays(example).values()
    module = modules.SelfAttention(*w_q.shape, w_v.shape[1]).double().load(w_q, w_k, w_v)
    found = module(torch.tensor(x), causal=causal).detach().numpy()
    expected = by_hand(example, causal=causal is not None)["output"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_a_matrix_copied_as_it_stands_gives_other_numbers():
    """What `load` is for: nn.Linear keeps (outputs, inputs), and a square matrix fits both ways round."""
    x, w_q, w_k, w_v = arrays(CHAPTER).values()
    module = modules.SelfAttention(2, 2).double()
    with torch.no_grad():
        for linear, w in ((module.w_q, w_q), (module.w_k, w_k), (module.w_v, w_v)):
            linear.weight.copy_(torch.tensor(w))
    wrong = module(torch.tensor(x)).detach().numpy()
    assert np.abs(wrong - trace_from_x(x, w_q, w_k, w_v).output).max() > 0.1
    # and on the contrast example, whose matrices are not square, it cannot even be tried
    contrast = arrays(CONTRAST)["w_q"]
    linear = nn.Linear(3, 2, bias=False).double()
    modules.load_matrix(linear, contrast)
    assert np.array_equal(linear.weight.detach().numpy(), contrast.T)
    with pytest.raises(ShapeError, match=r"^w: given shape \(2, 3\); expected \(3, 2\): \(inputs, outputs\)"):
        modules.load_matrix(linear, contrast.T)


def test_a_square_linear_computes_x_times_w():
    x, w, b = drawn(1, (4, 3), (3, 3), (3,))
    linear = nn.Linear(3, 3).double()
    modules.load_matrix(linear, w, b)
    np.testing.assert_allclose(linear(torch.tensor(x)).detach().numpy(), x @ w + b, atol=1e-15)
    modules.load_matrix(linear, w)
    assert (linear.bias == 0).all()
    with pytest.raises(ShapeError, match=r"^b: given a bias"):
        modules.load_matrix(nn.Linear(3, 3, bias=False), w, b)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_multi_head_attention_is_the_function(kv_heads):
    x, context = drawn(2, (2, 5, 12), (2, 7, 12))
    weights = projections(3, kv_heads=kv_heads, biased=True)
    module = modules.MultiHeadAttention(12, 4, kv_heads=kv_heads, bias=True).double().load(weights)
    for other, options in ((None, {"causal": "top_left"}), (context, {})):
        found = module(torch.tensor(x), None if other is None else torch.tensor(other), **options)
        expected = multihead.multi_head(x, weights, heads=4, kv_heads=kv_heads, context=other, **options)
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", blocks.ORDERS)
def test_layers_are_the_functions(order):
    x, memory = drawn(4, (2, 5, WIDTH), (2, 7, WIDTH))
    ours = modules.EncoderLayer(WIDTH, HEADS, INNER, order=order).double().load(encoder())
    mask = np.arange(5) < np.array([[3], [5]])[:, :, None, None]
    np.testing.assert_allclose(
        ours(torch.tensor(x), mask=torch.tensor(mask)).detach().numpy(),
        blocks.encoder_layer(x, encoder(), heads=HEADS, order=order, mask=mask),
        atol=1e-12,
    )
    ours = modules.DecoderLayer(WIDTH, HEADS, INNER, order=order).double().load(decoder())
    seen = np.arange(7) < np.array([[3], [7]])[:, :, None, None]
    np.testing.assert_allclose(
        ours(torch.tensor(x), torch.tensor(memory), memory_mask=torch.tensor(seen)).detach().numpy(),
        blocks.decoder_layer(x, memory, decoder(), heads=HEADS, order=order, masks=(None, seen)),
        atol=1e-12,
    )


def test_layers_can_be_trained():
    """A copy task: a few steps of Adam bring the loss down, and every weight has a gradient."""
    torch.manual_seed(0)
    layer = modules.EncoderLayer(16, 4, 32)
    x = torch.randn(8, 6, 16)
    wanted = x.flip(1)
    adam = torch.optim.Adam(layer.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        loss = ((layer(x) - wanted) ** 2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    assert all(weight.grad.abs().max() > 0 for weight in layer.parameters() if weight.ndim > 1)
    assert losses[-1] < 0.8 * losses[0]


def test_dropout_is_off_at_evaluation():
    layer = modules.EncoderLayer(16, 4, 32, dropout=0.5)
    x = torch.randn(2, 6, 16, generator=torch.Generator().manual_seed(1))
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))


def test_what_a_module_cannot_hold_is_refused():
    layer = modules.EncoderLayer(WIDTH, HEADS, INNER)
    given = encoder()
    odd = EncoderLayer(given.attention, lambda h: h, given.norm_1, given.norm_2)
    with pytest.raises(ShapeError, match=r"^feed_forward: given"):
        layer.load(odd)
    gelu = FeedForward(np.ones((WIDTH, INNER)), np.ones((INNER, WIDTH)), activation=np.tanh)
    with pytest.raises(ShapeError, match=r"^feed_forward: given"):
        layer.load(EncoderLayer(given.attention, gelu, given.norm_1, given.norm_2))
    with pytest.raises(ShapeError, match=r"^norm: given a function"):
        layer.load(EncoderLayer(given.attention, given.feed_forward, lambda h: h, given.norm_2))
    plain = modules.EncoderLayer(WIDTH, HEADS, INNER).double()
    plain.load(EncoderLayer(given.attention, given.feed_forward, Norm(eps=0.1), Norm()))
    assert (plain.norm_1.eps, plain.norm_1.weight.tolist()) == (0.1, [1.0] * WIDTH)
    with pytest.raises(ShapeError, match=r"^heads: given 5"):
        modules.MultiHeadAttention(12, 5)
    with pytest.raises(ShapeError, match=r"^kv_heads: given 3"):
        modules.MultiHeadAttention(12, 4, kv_heads=3)
