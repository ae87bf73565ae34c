"""FLOPs and pairs. A multiply-add counts as 2 FLOPs; softmax, norms and activations are not counted.

Backward: each product Y = A B of the forward pass is followed by two of the same size, ∂A = ∂Y Bᵀ and
∂B = Aᵀ ∂Y, so a layer's backward pass is 2 × its forward. FlashAttention makes Q Kᵀ once more, because it
kept no weights: five products for two, the 2.5 × of its papers.
"""

from attention_core.costs.counting import product
from attention_core.masks import Window, check_window, offset_of


def visible_pairs(queries: int, *, keys: int, causal: str | None = None, window: Window | None = None) -> int:
    """How many (query, key) pairs may attend, exactly: T·S, or under a causal rule the sum over the queries i
    of clip(i + 1 + offset, 0, S). A window (left, right) bounds both sides and holds together with the rule.

    >>> visible_pairs(4, keys=10, causal="top_left"), visible_pairs(4, keys=10, causal="bottom_right")
    (10, 34)
    >>> visible_pairs(8, keys=8, causal="top_left", window=(2, 0))
    21
    """
    everything = product(queries=queries, keys=keys)
    if causal is None and window is None:
        return everything
    first = offset_of(causal, queries, keys)
    left, right = (None, None) if window is None else check_window(window)
    right = right if causal is None else 0
    ends = everything if right is None else _clipped(queries, first + right + 1, keys)
    starts = 0 if left is None else _clipped(queries, first - left, keys)
    return ends - starts


def _clipped(count: int, first: int, limit: int) -> int:
    """Σ clip(first + i, 0, limit) for i below `count`."""
    last = first + count - 1
    return _triangle(last) - _triangle(first - 1) - _triangle(last - limit) + _triangle(first - 1 - limit)


def _triangle(n: int) -> int:
    return n * (n + 1) // 2 if n > 0 else 0


def attention_flops(
    *, batch: int, heads: int, queries: int, keys: int, width: int, causal: str | None = None
) -> int:
    """Forward FLOPs of Q Kᵀ and A V: 4 · B · H · D for each pair that may attend (softmax not counted).

    With a causal rule only the visible pairs count, exactly, not "half the square".

    >>> attention_flops(batch=1, heads=8, queries=128, keys=128, width=64)
    33554432
    """
    pairs = visible_pairs(queries, keys=keys, causal=causal)
    return product(of=4, batch=batch, heads=heads, width=width, pairs=pairs)


def attention_backward_flops(
    *, batch: int, heads: int, queries: int, keys: int, width: int, causal: str | None = None
) -> int:
    """10 · B · H · D for each pair: Q Kᵀ made again, then ∂V, ∂A, ∂Q and ∂K; 2.5 × the forward pass.

    >>> attention_backward_flops(batch=1, heads=8, queries=128, keys=128, width=64)
    83886080
    """
    forward = attention_flops(
        batch=batch, heads=heads, queries=queries, keys=keys, width=width, causal=causal
    )
    return 5 * forward // 2


def projection_flops(*, queries: int, keys: int, d_model: int, kv_width: int | None = None) -> int:
    """Q and output for T tokens, K and V for S: 4 T E² + 4 S E · kv_width (E unless grouped: G · D).

    >>> projection_flops(queries=128, keys=128, d_model=512)
    268435456
    """
    kv_width = d_model if kv_width is None else kv_width
    own = product(of=4, queries=queries, d_model=d_model) * d_model
    return own + product(of=4, keys=keys, d_model=d_model, kv_width=kv_width)


def feed_forward_flops(*, tokens: int, d_model: int, d_ff: int) -> int:
    """Two matrices: 4 · n · E · F.

    >>> feed_forward_flops(tokens=128, d_model=512, d_ff=2048)
    536870912
    """
    return product(of=4, tokens=tokens, d_model=d_model, d_ff=d_ff)


def swiglu_flops(*, tokens: int, d_model: int, d_ff: int) -> int:
    """Three matrices: 6 · n · E · F.

    >>> swiglu_flops(tokens=128, d_model=512, d_ff=1408)
    553648128
    """
    return product(of=6, tokens=tokens, d_model=d_model, d_ff=d_ff)


def layer_flops(*, queries: int, keys: int, d_model: int, d_ff: int, causal: str | None = None) -> int:
    """One attention sublayer and its feed-forward: 4(T + S)E² + 4 T S E + 4 T E F, whatever the heads.

    Self-attention has T = S = n: 8nE² + 4n²E + 4nEF. With a causal rule only visible pairs count.

    >>> layer_flops(queries=1024, keys=1024, d_model=512, d_ff=2048) / 10**9
    8.589934592
    """
    projecting = projection_flops(queries=queries, keys=keys, d_model=d_model)
    mixing = attention_flops(batch=1, heads=1, queries=queries, keys=keys, width=d_model, causal=causal)
    return projecting + mixing + feed_forward_flops(tokens=queries, d_model=d_model, d_ff=d_ff)


def layer_backward_flops(
    *, queries: int, keys: int, d_model: int, d_ff: int, causal: str | None = None
) -> int:
    """Twice the forward pass: for every product one for each of its two factors (nothing made again).

    >>> layer_backward_flops(queries=128, keys=128, d_model=512, d_ff=2048)
    1677721600
    """
    return 2 * layer_flops(queries=queries, keys=keys, d_model=d_model, d_ff=d_ff, causal=causal)


def training_flops_per_token(*, parameters: int, layers: int, length: int, d_model: int) -> int:
    """6 P + 12 L S E: forward and backward through each weight, and the pairs (not halved for a causal rule).

    P leaves the embeddings out. Source: Kaplan et al. 2020, section 2.1; Chowdhery et al. 2022 (PaLM),
    appendix B.

    >>> training_flops_per_token(parameters=7 * 10**9, layers=32, length=4096, d_model=4096)
    48442450944
    """
    return product(of=6, parameters=parameters) + product(
        of=12, layers=layers, length=length, d_model=d_model
    )


def dot_score_flops(*, length: int, width: int, projected: bool = False) -> int:
    """Scores q·k of all pairs: 2 S² d; `projected` adds Q and K themselves, 4 S d².

    >>> dot_score_flops(length=512, width=64)
    33554432
    """
    projecting = product(of=4, length=length, width=width) * width if projected else 0
    return product(of=2, length=length, width=width) * length + projecting


def additive_score_flops(*, length: int, width: int, hoisted: bool = True) -> int:
    """Scores vᵀ tanh(W₁ q + W₂ k) of all pairs, with 1 FLOP for an addition or a tanh.

    A pair costs 4 d (add, tanh, and 2 d for v), and W₁ q, W₂ k are made once a token (`hoisted`): 4 S d² +
    4 S² d. Made anew for every pair it would be S² (4 d² + 4 d).

    >>> additive_score_flops(length=512, width=64)
    75497472
    """
    pairs = product(of=4, length=length, width=width) * length
    projecting = product(of=4, length=length, width=width) * width
    return pairs + (projecting if hoisted else length * projecting)
