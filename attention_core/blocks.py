"""Transformer layers: attention and a feed-forward network, each inside a residual with a norm.

    Post-LN   y = norm(x + F(x))       Vaswani et al. 2017
    Pre-LN    y = x + F(norm(x))       the stream itself is never normalised, so the stack needs a final norm

An encoder layer has two such sublayers (self-attention, feed-forward), a decoder layer three: causal
self-attention, cross-attention to the encoder's output, feed-forward. Every sublayer keeps the shape (..., n,
E), or x + F(x) would have no meaning. A residual adds x_i to row i only, so it opens no way round the mask.

Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020, "On Layer Normalization in the Transformer
Architecture".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

from attention_core.arrays import Array
from attention_core.errors import ShapeError
from attention_core.feedforward import feed_forward, relu
from attention_core.inputs import Options
from attention_core.multihead import Projections, multi_head
from attention_core.norms import layer_norm

ORDERS = ("post", "pre")
Layer = Callable[[Array], Array]


@dataclass(frozen=True)
class Norm:
    """LayerNorm's weight γ and bias β, each (E,) or None for 1 and 0, and ε."""

    weight: Array = None
    bias: Array = None
    eps: float = 1e-5

    def __call__(self, x: Array) -> Array:
        return layer_norm(x, self.weight, self.bias, eps=self.eps)


@dataclass(frozen=True)
class FeedForward:
    """activation(x W₁ + b₁) W₂ + b₂, the same at each position; w1 (E, F), w2 (F, E)."""

    w1: Array
    w2: Array
    b1: Array = None
    b2: Array = None
    activation: Layer = relu

    def __call__(self, x: Array) -> Array:
        return feed_forward(x, self.w1, self.w2, b1=self.b1, b2=self.b2, activation=self.activation)


@dataclass(frozen=True)
class EncoderLayer:
    """The weights of an encoder layer. A norm is any function (..., E) → (..., E): `Norm()`, an RMSNorm."""

    attention: Projections
    feed_forward: Layer
    norm_1: Layer
    norm_2: Layer


@dataclass(frozen=True)
class DecoderLayer:
    """The weights of a decoder layer: self-attention, cross-attention, feed-forward, and a norm for each."""

    attention: Projections
    cross: Projections
    feed_forward: Layer
    norm_1: Layer
    norm_2: Layer
    norm_3: Layer


def residual(x: Array, sublayer: Layer, *, norm: Layer, order: str) -> Array:
    """norm(x + F(x)) when `order` is "post", x + F(norm(x)) when it is "pre".

    >>> residual(2.0, lambda x: 3 * x, norm=lambda x: x / 2, order="post")
    4.0
    >>> residual(2.0, lambda x: 3 * x, norm=lambda x: x / 2, order="pre")
    5.0
    """
    if order not in ORDERS:
        raise ShapeError("order", repr(order), "'post' or 'pre'")
    return norm(x + sublayer(x)) if order == "post" else x + sublayer(norm(x))


def encoder_layer(
    x: Array, layer: EncoderLayer, *, heads: int, order: str = "post", **options: Unpack[Options]
) -> Array:
    """One encoder layer: x (..., n, E) → (..., n, E). `options` (a padding mask, …) go to its attention.

    >>> one = [[1.0]]
    >>> plain = EncoderLayer(Projections(one, one, one, one), lambda x: 2 * x, lambda x: x, lambda x: x)
    >>> encoder_layer([[3.0]], plain, heads=1).tolist()  # 3 + 3, and twice that more
    [[18.0]]
    """
    x = residual(
        x,
        lambda h: multi_head(h, layer.attention, heads=heads, **options),
        norm=layer.norm_1,
        order=order,
    )
    return residual(x, layer.feed_forward, norm=layer.norm_2, order=order)


def decoder_layer(
    x: Array,
    memory: Array,
    layer: DecoderLayer,
    *,
    heads: int,
    order: str = "post",
    masks: tuple[Array, Array] = (None, None),
) -> Array:
    """One decoder layer: x (..., T, E) over the encoder's output `memory` (..., S, E) → (..., T, E).

    Its self-attention is causal. `masks`: (for the self-attention, for the cross-attention), True = may
    attend, each spreading over (..., H, T, keys); None hides nothing more. `memory` is not normalised here:
    the encoder's last norm did that.

    >>> one, same = Projections([[1.0]], [[1.0]], [[1.0]], [[1.0]]), lambda x: x
    >>> plain = DecoderLayer(one, one, same, same, same, same)
    >>> decoder_layer([[3.0]], [[10.0]], plain, heads=1).tolist()  # (3 + 3 + 10) · 2
    [[32.0]]
    """
    own, other = masks
    x = residual(
        x,
        lambda h: multi_head(h, layer.attention, heads=heads, causal="top_left", mask=own),
        norm=layer.norm_1,
        order=order,
    )
    x = residual(
        x,
        lambda h: multi_head(h, layer.cross, heads=heads, context=memory, mask=other),
        norm=layer.norm_2,
        order=order,
    )
    return residual(x, layer.feed_forward, norm=layer.norm_3, order=order)
