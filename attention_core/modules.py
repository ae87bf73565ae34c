"""The same layers as torch modules, and loading the textbook's matrices into them.

`nn.Linear` keeps its weight as (outputs, inputs) and computes x Wᵀ; the textbook writes x W with W (inputs,
outputs). Copying a square W as it stands raises nothing and gives wrong numbers, so matrices come in through
`load_matrix` and `load`, which transpose. Attention itself is `attention_core.attention`: it is written once.

This module imports torch; importing `attention_core` does not import this module.
"""

from typing import Unpack

import torch
from torch import Tensor, nn

from attention_core import blocks
from attention_core.attention import attention
from attention_core.blocks import FeedForward, Layer, Norm, residual
from attention_core.errors import ShapeError
from attention_core.feedforward import relu
from attention_core.heads import merge, split
from attention_core.inputs import Options
from attention_core.multihead import Projections


def load_matrix(linear: nn.Linear, w: object, b: object = None) -> None:
    """Make `linear` compute x W + b, with w (inputs, outputs) and b (outputs,) as the textbook writes them.

    Raises ShapeError when they do not fit; a missing b becomes zeros where the layer has a bias.

    >>> linear = nn.Linear(2, 1, bias=False)
    >>> load_matrix(linear, [[3.0], [4.0]])
    >>> linear(torch.tensor([1.0, 10.0])).tolist()
    [43.0]
    """
    matrix = torch.as_tensor(w, dtype=linear.weight.dtype, device=linear.weight.device)
    wanted = (linear.in_features, linear.out_features)
    if tuple(matrix.shape) != wanted:
        raise ShapeError("w", f"shape {tuple(matrix.shape)}", f"{wanted}: (inputs, outputs)")
    if b is not None and linear.bias is None:
        raise ShapeError("b", "a bias", "None: this layer was made without one")
    with torch.no_grad():
        linear.weight.copy_(matrix.T)
        if linear.bias is not None:
            linear.bias.copy_(torch.zeros_like(linear.bias) if b is None else torch.as_tensor(b))


class SelfAttention(nn.Module):
    """One head: attention(x W_Q, x W_K, x W_V), x (..., n, d_model) → (..., n, d_v). No biases."""

    def __init__(self, d_model: int, d_k: int, d_v: int | None = None) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_k, bias=False)
        self.w_k = nn.Linear(d_model, d_k, bias=False)
        self.w_v = nn.Linear(d_model, d_k if d_v is None else d_v, bias=False)

    def load(self, w_q: object, w_k: object, w_v: object) -> "SelfAttention":
        """Take row-vector matrices (d_model, width); returns the module."""
        for linear, matrix in ((self.w_q, w_q), (self.w_k, w_k), (self.w_v, w_v)):
            load_matrix(linear, matrix)
        return self

    def forward(self, x: Tensor, **options: Unpack[Options]) -> Tensor:
        return attention(self.w_q(x), self.w_k(x), self.w_v(x), **options)


class MultiHeadAttention(nn.Module):
    """Multi-head, grouped (`kv_heads`), causal or cross-attention of width d_model = heads · head width.

    forward(x, context=None, **options of `attention`): x (..., T, d_model) → (..., T, d_model).
    """

    def __init__(self, d_model: int, heads: int, *, kv_heads: int | None = None, bias: bool = False) -> None:
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ShapeError("heads", str(heads), f"a divisor of d_model {d_model}")
        self.heads, self.kv_heads = heads, heads if kv_heads is None else kv_heads
        if self.kv_heads < 1 or heads % self.kv_heads:
            raise ShapeError("kv_heads", str(kv_heads), f"a divisor of the {heads} heads")
        kv_width = d_model // heads * self.kv_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, kv_width, bias=bias)
        self.w_v = nn.Linear(d_model, kv_width, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def load(self, weights: Projections) -> "MultiHeadAttention":
        """Take the matrices of `multihead.multi_head`; returns the module."""
        for end in "qkvo":
            linear = getattr(self, f"w_{end}")
            load_matrix(linear, getattr(weights, f"w_{end}"), getattr(weights, f"b_{end}"))
        return self

    def forward(self, x: Tensor, context: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
        context = x if context is None else context
        q = split(self.w_q(x), heads=self.heads)
        k, v = (split(w(context), heads=self.kv_heads) for w in (self.w_k, self.w_v))
        return self.w_o(merge(attention(q, k, v, **options)))


def _load_norm(norm: nn.LayerNorm, given: Layer) -> None:
    if not isinstance(given, Norm):
        raise ShapeError("norm", f"a {type(given).__name__}", "a Norm: this module's norms are LayerNorms")
    for parameter, value, neutral in ((norm.weight, given.weight, 1.0), (norm.bias, given.bias, 0.0)):
        with torch.no_grad():
            parameter.fill_(neutral) if value is None else parameter.copy_(torch.as_tensor(value))
    norm.eps = given.eps


def _load_feed_forward(network: nn.Sequential, given: Layer) -> None:
    if not isinstance(given, FeedForward) or given.activation is not relu:
        raise ShapeError("feed_forward", repr(given), "a FeedForward with relu, as this module has")
    load_matrix(network[0], given.w1, given.b1)
    load_matrix(network[2], given.w2, given.b2)


def _feed_forward(d_model: int, d_ff: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each with a residual and a LayerNorm; `order` "post" or "pre"."""

    def __init__(self, d_model: int, heads: int, d_ff: int, *, order: str = "post", dropout: float = 0.0):
        super().__init__()
        self.order = order
        self.attention = MultiHeadAttention(d_model, heads, bias=True)
        self.feed_forward = _feed_forward(d_model, d_ff)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)  # on each sublayer's output, before the addition

    def load(self, weights: blocks.EncoderLayer) -> "EncoderLayer":
        """Take the weights of `blocks.encoder_layer` (ReLU, LayerNorm); returns the module."""
        self.attention.load(weights.attention)
        for name in ("norm_1", "norm_2"):
            _load_norm(getattr(self, name), getattr(weights, name))
        _load_feed_forward(self.feed_forward, weights.feed_forward)
        return self

    def forward(self, x: Tensor, **options: Unpack[Options]) -> Tensor:
        x = residual(
            x,
            lambda h: self.dropout(self.attention(h, **options)),
            norm=self.norm_1,
            order=self.order,
        )
        return residual(x, lambda h: self.dropout(self.feed_forward(h)), norm=self.norm_2, order=self.order)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to the encoder's output, feed-forward, each with a residual."""

    def __init__(self, d_model: int, heads: int, d_ff: int, *, order: str = "post", dropout: float = 0.0):
        super().__init__()
        self.order = order
        self.attention = MultiHeadAttention(d_model, heads, bias=True)
        self.cross = MultiHeadAttention(d_model, heads, bias=True)
        self.feed_forward = _feed_forward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def load(self, weights: blocks.DecoderLayer) -> "DecoderLayer":
        """Take the weights of `blocks.decoder_layer` (ReLU, LayerNorm); returns the module."""
        self.attention.load(weights.attention)
        self.cross.load(weights.cross)
        for name in ("norm_1", "norm_2", "norm_3"):
            _load_norm(getattr(self, name), getattr(weights, name))
        _load_feed_forward(self.feed_forward, weights.feed_forward)
        return self

    def forward(
        self, x: Tensor, memory: Tensor, *, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        def attend(h: Tensor) -> Tensor:
            return self.dropout(self.attention(h, causal="top_left", mask=mask))

        def look(h: Tensor) -> Tensor:
            return self.dropout(self.cross(h, memory, mask=memory_mask))

        x = residual(x, attend, norm=self.norm_1, order=self.order)
        x = residual(x, look, norm=self.norm_2, order=self.order)
        return residual(x, lambda h: self.dropout(self.feed_forward(h)), norm=self.norm_3, order=self.order)
