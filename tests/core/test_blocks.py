"""blocks: the layers of torch, both orders of norm and residual, and that no residual bypasses a mask."""

import array_api_strict
import numpy as np
import pytest
import torch

from attention_core import blocks
from attention_core.blocks import DecoderLayer, EncoderLayer, FeedForward, Norm
from attention_core.errors import ShapeError
from attention_core.norms import rms_norm
from tests.core.examples import drawn
from tests.core.test_multihead import projections

WIDTH, HEADS, INNER = 12, 4, 20


def network(seed):
    return FeedForward(*drawn(seed, (WIDTH, INNER), (INNER, WIDTH), (INNER,), (WIDTH,)))


def norm(seed):
    return Norm(*drawn(seed, (WIDTH,), (WIDTH,)))


def encoder(seed=1):
    return EncoderLayer(projections(seed, biased=True), network(seed + 1), norm(seed + 2), norm(seed + 3))


def decoder(seed=5):
    return DecoderLayer(
        projections(seed, biased=True),
        projections(seed + 1, biased=True),
        network(seed + 2),
        norm(seed + 3),
        norm(seed + 4),
        norm(seed + 5),
    )


def copy_attention(theirs, weights):
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([torch.tensor(getattr(weights, f"w_{e}").T.copy()) for e in "qkv"])
        )
        theirs.in_proj_bias.copy_(torch.cat([torch.tensor(getattr(weights, f"b_{e}")) for e in "qkv"]))
        theirs.out_proj.weight.copy_(torch.tensor(weights.w_o.T.copy()))
        theirs.out_proj.bias.copy_(torch.tensor(weights.b_o))


def copy_rest(theirs, layer, norms):
    with torch.no_grad():
        for linear, w, b in (
            (theirs.linear1, layer.feed_forward.w1, layer.feed_forward.b1),
            (theirs.linear2, layer.feed_forward.w2, layer.feed_forward.b2),
        ):
            linear.weight.copy_(torch.tensor(w.T.copy()))
            linear.bias.copy_(torch.tensor(b))
        for name in norms:
            getattr(theirs, name.replace("_", "")).weight.copy_(torch.tensor(getattr(layer, name).weight))
            getattr(theirs, name.replace("_", "")).bias.copy_(torch.tensor(getattr(layer, name).bias))


@pytest.mark.parametrize("order", blocks.ORDERS)
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_torchs_encoder_layer_agrees(order, causal):
    layer, x = encoder(), drawn(11, (2, 5, WIDTH))[0]
    theirs = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=order == "pre", dtype=torch.float64
    )
    copy_attention(theirs.self_attn, layer.attention)
    copy_rest(theirs, layer, ("norm_1", "norm_2"))
    mask = None if causal is None else torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
    expected = theirs(torch.tensor(x), src_mask=mask).detach().numpy()
    found = blocks.encoder_layer(x, layer, heads=HEADS, order=order, causal=causal)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", blocks.ORDERS)
def test_torchs_decoder_layer_agrees(order):
    layer = decoder()
    x, memory = drawn(12, (2, 5, WIDTH), (2, 7, WIDTH))
    theirs = torch.nn.TransformerDecoderLayer(
        WIDTH, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=order == "pre", dtype=torch.float64
    )
    copy_attention(theirs.self_attn, layer.attention)
    copy_attention(theirs.multihead_attn, layer.cross)
    copy_rest(theirs, layer, ("norm_1", "norm_2", "norm_3"))
    padded = np.arange(7) >= np.array([[4], [7]])
    expected = theirs(
        torch.tensor(x),
        torch.tensor(memory),
        tgt_mask=torch.triu(torch.ones(5, 5, dtype=torch.bool), 1),
        memory_key_padding_mask=torch.tensor(padded),
    )
    found = blocks.decoder_layer(
        x, memory, layer, heads=HEADS, order=order, masks=(None, ~padded[:, None, None, :])
    )
    np.testing.assert_allclose(found, expected.detach().numpy(), rtol=0, atol=1e-12)


def test_post_normalises_the_stream_and_pre_only_the_branch():
    x = np.array([[1.0, 2.0, 3.0, 6.0]])
    post = blocks.residual(x, lambda h: 2 * h, norm=Norm(), order="post")
    pre = blocks.residual(x, lambda h: 2 * h, norm=Norm(), order="pre")
    np.testing.assert_allclose(post.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(post.std(), 1, atol=1e-5)
    np.testing.assert_allclose(pre - x, 2 * (x - x.mean()) / x.std(), atol=1e-4)
    with pytest.raises(ShapeError, match=r"^order: given 'middle'"):
        blocks.residual(x, lambda h: h, norm=Norm(), order="middle")


def test_a_residual_does_not_bypass_the_causal_mask():
    """Two layers: another last token changes no earlier row, by exactly 0."""
    x = drawn(13, (4, WIDTH))[0]
    other = x.copy()
    other[-1] += 1

    def stack(h):
        for seed in (1, 30):
            h = blocks.encoder_layer(h, encoder(seed), heads=HEADS, order="pre", causal="top_left")
        return h

    assert np.array_equal(stack(x)[:-1], stack(other)[:-1])
    assert np.abs(stack(x)[-1] - stack(other)[-1]).max() > 0.1


def test_hiding_the_diagonal_does_not_hide_a_token_from_itself():
    """A token that may not attend to itself still reaches its own output: its query sets the weights."""
    x = drawn(14, (3, WIDTH))[0]
    other = x.copy()
    other[1] += 1
    mask = ~np.eye(3, dtype=bool)
    one = [blocks.multi_head(h, encoder().attention, heads=HEADS, mask=mask) for h in (x, other)]
    assert np.abs(one[0][1] - one[1][1]).max() > 1e-3


def test_an_rms_norm_and_any_activation_fit():
    x = drawn(15, (2, 5, WIDTH))[0]
    weight = np.linspace(0.5, 1.5, WIDTH)
    layer = EncoderLayer(projections(2), lambda h: h * 0.5, lambda h: rms_norm(h, weight), Norm())
    y = x + blocks.multi_head(rms_norm(x, weight), layer.attention, heads=HEADS)
    expected = y + Norm()(y) * 0.5
    np.testing.assert_allclose(blocks.encoder_layer(x, layer, heads=HEADS, order="pre"), expected, atol=1e-12)


def test_any_array_library():
    x = drawn(16, (2, 5, WIDTH))[0]

    def convert(value):
        if hasattr(value, "__dataclass_fields__"):
            return type(value)(**{name: convert(part) for name, part in vars(value).items()})
        return array_api_strict.asarray(value) if isinstance(value, np.ndarray) else value

    strict = blocks.encoder_layer(array_api_strict.asarray(x), convert(encoder()), heads=HEADS)
    np.testing.assert_allclose(
        np.asarray(strict), blocks.encoder_layer(x, encoder(), heads=HEADS), atol=1e-12
    )
