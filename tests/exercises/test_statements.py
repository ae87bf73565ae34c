"""Every statement whose truth can be computed is computed: the claim, and the way it is mended."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import attention, costs, faults, rope, tiling, trace
from attention_core.heads import score_shape, split
from attention_core.multihead import Projections, multi_head
from attention_core.norms import layer_norm
from attention_core.positions import sinusoidal
from attention_core.training import dropout
from quiz.exercises.drills.statement import TRUE
from quiz.exercises.drills.statements import STATEMENTS, right_fix
from quiz.exercises.families import true_or_false
from tests.conftest import require
from tests.exercises.drawn import variants

# What no number decides: what training may do, and what stands in a paper.
NOT_COMPUTED = {"named_heads", "original_pre_ln"}

Proof = Callable[[], tuple[bool, bool]]  # whether the claim holds, and whether its mending does
PROOFS: dict[str, Proof] = {}


def proves(proof: Proof) -> Proof:
    PROOFS[proof.__name__] = proof
    return proof


def drawn(*shapes: tuple[int, ...], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def qkv(seed: int = 0, n: int = 5, d: int = 4) -> list[Any]:
    return drawn((n, d), (n, d), (n, d), seed=seed)


def same(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, atol=1e-12))


# ---- ideas ----


@proves
def fixed_roles() -> tuple[bool, bool]:
    x, first, second = drawn((5, 4), (4, 4), (4, 4))
    return same(x @ first, x @ second), not same(x @ first, x @ second)


@proves
def weights_explain() -> tuple[bool, bool]:
    """With equal values any weights give the same output: the weights alone explain nothing."""
    q, k, v = qkv()
    v[:] = v[0]
    sharp, flat = attention(10 * q, k, v), attention(0 * q, k, v)
    return not same(sharp, flat), same(sharp, flat)


@proves
def attention_only() -> tuple[bool, bool]:
    d = 512
    of_attention = costs.attention_parameters(d_model=d, heads=8)
    of_network = costs.feed_forward_parameters(d_model=d, d_ff=4 * d)
    return of_attention > 0.9 * (of_attention + of_network), 3 * of_network == 2 * (of_attention + of_network)


@proves
def heads_repeat() -> tuple[bool, bool]:
    """Heads of their own projections differ; side by side through W_O they are the layer."""
    x, *w = drawn((5, 8), *[(8, 8)] * 4)
    weights = Projections(*w)
    heads = attention(*(split(x @ m, heads=2) for m in w[:3]))
    joined = np.concatenate(list(heads), axis=-1) @ w[3]
    return same(heads[0], heads[1]), same(joined, multi_head(x, weights, heads=2))


@proves
def always_square() -> tuple[bool, bool]:
    shapes = [score_shape(batch=1, heads=1, queries=t, keys=s)[-2:] for t, s in ((5, 5), (3, 7), (1, 9))]
    return all(t == s for t, s in shapes), shapes == [(5, 5), (3, 7), (1, 9)]


@proves
def symmetric_weights() -> tuple[bool, bool]:
    (x,) = drawn((4, 3))
    t = trace(x, x, x)
    return same(t.weights, t.weights.T), same(t.scores, t.scores.T)


@proves
def never_symmetric() -> tuple[bool, bool]:
    """The chapter's matrices, and random ones."""
    (x,) = drawn((4, 2))
    w_q, w_k = np.array([[1, 0], [1, 1]]), np.array([[0, 1], [1, 0]])
    chapter = x @ w_q @ w_k.T @ x.T
    first, second = drawn((2, 2), (2, 2), seed=5)
    other = x @ first @ second.T @ x.T
    assert same(w_q @ w_k.T, (w_q @ w_k.T).T)
    return not same(chapter, chapter.T), same(chapter, chapter.T) and not same(other, other.T)


def causal_layers(x: Any, layers: int, mask: Any = None) -> Any:
    for w in drawn(*[(4, 4)] * layers, seed=9):
        x = x + attention(x, x, x @ w, causal="top_left", mask=mask)
    return x


@proves
def residual_leaks() -> tuple[bool, bool]:
    (x,) = drawn((5, 4))
    other = x.copy()
    other[3] += 1.0
    before, after = causal_layers(x, 3), causal_layers(other, 3)
    return not same(before[:3], after[:3]), same(before[:3], after[:3]) and not same(before[3], after[3])


@proves
def mask_own_key() -> tuple[bool, bool]:
    """With the diagonal hidden in both layers, token 2 still reaches row 2: over two hops even without a
    residual, through its own query in one, through the residual at once."""
    x, w = drawn((4, 4), (4, 4))
    other = x.copy()
    other[2] += 1.0
    hidden = ~np.eye(4, dtype=bool)

    def layer(x: Any) -> Any:
        return attention(x, x, x @ w, mask=hidden)

    one_hop = attention(x[[2]], x, x @ w, mask=hidden[[2]]), attention(other[[2]], x, x @ w, mask=hidden[[2]])
    two_hops = layer(layer(x))[2], layer(layer(other))[2]
    straight = (x + layer(x))[2], (other + layer(x))[2]
    ways = [not same(*pair) for pair in (one_hop, two_hops, straight)]
    return not any(ways), all(ways)


# ---- numbers ----


@proves
def additive_cost() -> tuple[bool, bool]:
    """Doubling the length of a long sequence: n² in both; per pair, the projections would be d times more."""
    n, d = 2**14, 64
    dot, additive = (f(length=n, width=d) for f in (costs.dot_score_flops, costs.additive_score_flops))
    per_pair = costs.additive_score_flops(length=n, width=d, hoisted=False)
    return additive > d / 2 * dot, additive < 3 * dot and per_pair > d / 2 * dot


@proves
def scale_by_model() -> tuple[bool, bool]:
    """Variance of dot products within heads of width 16 in a model of width 128."""
    q, k = drawn((8, 4000, 16), (8, 4000, 16))
    variance = float((q * k).sum(-1).var())
    return abs(variance / 128 - 1) < 0.1, abs(variance / 16 - 1) < 0.1


@proves
def scaled_into_range() -> tuple[bool, bool]:
    q, k = drawn((4000, 64), (4000, 64))
    scaled = (q * k).sum(-1) / 8
    return bool(((scaled >= 0) & (scaled <= 1)).all()), abs(float(scaled.var()) - 1) < 0.1


@proves
def quadratic_only() -> tuple[bool, bool]:
    def ratio(n: int, d: int) -> float:
        cost = [costs.layer_flops(queries=m, keys=m, d_model=d, d_ff=4 * d) for m in (n, 2 * n)]
        return cost[1] / cost[0]

    ratios = [ratio(n, 4096) for n in (16, 4096, 2**20)]
    return all(r == 4 for r in ratios), 2 < ratios[0] < 2.01 < ratios[1] < 3.9 < ratios[2] < 4


@proves
def flash_linear() -> tuple[bool, bool]:
    q, k, v = qkv(n=32)
    tiled, _ = tiling.flash(q, k, v, rows=8, columns=8)
    flops = [costs.attention_flops(queries=n, keys=n, width=64, heads=1, batch=1) for n in (1024, 2048)]
    peaks = [
        costs.flash_peak_bytes(batch=1, heads=1, queries=n, keys=n, width=64, itemsize=2)
        for n in (4096, 8192)
    ]
    exact = same(tiled, attention(q, k, v))
    return flops[1] == 2 * flops[0], exact and flops[1] == 4 * flops[0] and peaks[1] == 2 * peaks[0]


@proves
def cache_constant() -> tuple[bool, bool]:
    steps = [costs.attention_flops(queries=1, keys=n, width=64, heads=1, batch=1) for n in (100, 200, 400)]
    again = [costs.projections_with_cache(prompt=n, steps=1) for n in (100, 200)]
    return steps[0] == steps[1], steps[1] == 2 * steps[0] and steps[2] == 4 * steps[0] and again[1] <= 200


@proves
def minus_a_billion() -> tuple[bool, bool]:
    with np.errstate(over="ignore"):
        fits = bool(np.isfinite(np.float16(-1e9)))
    q, k, v = qkv()
    blind = faults.broken("finite_fill")(q, k, v, mask=np.zeros((5, 5), dtype=bool))
    hidden = faults.broken("finite_fill")(q, k, v, mask=np.arange(5) < 3)
    assert same(hidden, attention(q, k, v, mask=np.arange(5) < 3))  # no weight is left that could be seen
    return fits, not fits and same(blind, v.mean(axis=0))


@proves
def embedding_root() -> tuple[bool, bool]:
    d, rng = 512, np.random.default_rng(0)
    position = float(np.sqrt((sinusoidal(np.arange(64), d) ** 2).mean()))
    small = float(np.sqrt(((math.sqrt(d) * rng.normal(0, d**-0.5, (200, d))) ** 2).mean()))
    unit = float(np.sqrt(((math.sqrt(d) * rng.normal(0, 1, (200, d))) ** 2).mean()))
    return unit < 2 * position, 1 / 2 < small / position < 2 and unit > 20 * position


@proves
def sample_variance() -> tuple[bool, bool]:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    normal = layer_norm(x, eps=0.0)
    return same(normal, (x - x.mean()) / x.std(ddof=1)), same(normal, (x - x.mean()) / x.std(ddof=0))


@proves
def convex_with_dropout() -> tuple[bool, bool]:
    weights = trace(*qkv()).weights
    dropped = dropout(weights, p=0.5, rng=np.random.default_rng(1))
    return same(dropped.sum(-1), 1), same(weights.sum(-1), 1) and not same(dropped.sum(-1), 1)


# ---- masks and interfaces ----


@proves
def mask_removes() -> tuple[bool, bool]:
    """One pass under the mask is every prefix by itself; zeroed values are something else."""
    q, k, v = qkv()
    whole = attention(q, k, v, causal="top_left")
    prefixes = np.stack([attention(q[i : i + 1], k[: i + 1], v[: i + 1])[0] for i in range(5)])
    zeroed = attention(q[1:2], k, np.where(np.arange(5)[:, None] <= 1, v, 0.0))
    return same(zeroed, whole[1:2]), same(whole, prefixes) and whole.shape == v.shape


@proves
def rows_always_one() -> tuple[bool, bool]:
    mask = np.tril(np.ones((5, 5), dtype=bool)) & (np.arange(5) >= 2)
    weights = trace(*qkv(), mask=mask).weights
    plain = faults.broken("nan_rows")(*qkv(), mask=mask)
    seeing = same(weights[2:].sum(-1), 1)
    return same(weights.sum(-1), 1), seeing and same(weights[:2], 0) and bool(np.isnan(plain[:2]).all())


@proves
def broadcast_mask() -> tuple[bool, bool]:
    """B = h = 2: nothing is raised, and sample 0's second head gets sample 1's mask."""
    mask = np.array([[True, True, False], [True, False, False]])
    scores = np.zeros((2, 2, 3, 3))
    wrong = np.broadcast_to(mask[:, None, :], scores.shape)
    right = np.broadcast_to(mask[:, None, None, :], scores.shape)
    crossed = bool((wrong[0, 1] == mask[1]).all())
    with pytest.raises(ValueError, match="broadcast"):
        np.broadcast_to(mask[:, None, :], (2, 4, 3, 3))
    return same(wrong, right), crossed and bool((right[0] == mask[0]).all())


@proves
def linear_as_it_is() -> tuple[bool, bool]:
    require("torch")
    import torch

    x, w = drawn((3, 4), (4, 4))
    layer = torch.nn.Linear(4, 4, bias=False, dtype=torch.float64)

    def loaded(matrix: Any) -> Any:
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(matrix))
            return layer(torch.tensor(x)).numpy()

    return same(loaded(w), x @ w), same(loaded(w.T), x @ w)


@proves
def is_causal_alone() -> tuple[bool, bool]:
    require("torch")
    import torch

    layer, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.randn(1, 3, 4)
    raised = 0
    for need_weights in (True, False):
        try:
            layer(x, x, x, is_causal=True, need_weights=need_weights)
        except RuntimeError as error:
            raised += "attn_mask" in str(error)
    return raised == 0, raised == 2


@proves
def is_causal_decode() -> tuple[bool, bool]:
    require("torch")
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = (torch.tensor(x)[None] for x in drawn((1, 4), (5, 4), (5, 4)))
    output = scaled_dot_product_attention(q, k, v, is_causal=True)
    decoded = attention(q[0].numpy(), k[0].numpy(), v[0].numpy(), causal="bottom_right")
    return same(output[0], decoded), same(output[0, 0], v[0, 0])


# ---- true ones: the second value is that the wrong mendings are wrong ----


@proves
def common_key_shift() -> tuple[bool, bool]:
    q, k, v = qkv()
    moved = k + np.array([1.0, -2.0, 0.5, 3.0])
    return same(attention(q, moved, v), attention(q, k, v)), not same(q @ moved.T, q @ k.T)


@proves
def heads_keep_parameters() -> tuple[bool, bool]:
    counts = {costs.attention_parameters(d_model=512, heads=heads) for heads in (1, 8, 16)}
    return len(counts) == 1, counts == {4 * 512**2}


@proves
def causal_stays_causal() -> tuple[bool, bool]:
    (x,) = drawn((6, 4))
    other = x.copy()
    other[4] += 2.0
    unmoved = [same(causal_layers(x, depth)[:4], causal_layers(other, depth)[:4]) for depth in (1, 2, 6)]
    moved = [not same(causal_layers(x, depth)[4:], causal_layers(other, depth)[4:]) for depth in (1, 2, 6)]
    return all(unmoved), all(moved)


@proves
def right_padding_is_free() -> tuple[bool, bool]:
    q, k, v = qkv(n=6)
    real = np.arange(6) < 4
    with_mask, without = (attention(q, k, v, causal="top_left", mask=m) for m in (real, None))
    left = np.arange(6) >= 2
    on_the_left = [attention(q, k, v, causal="top_left", mask=m)[2:] for m in (left, None)]
    return same(with_mask[:4], without[:4]), not same(*on_the_left)


@proves
def renormalised_mask() -> tuple[bool, bool]:
    q, k, v = qkv()
    mask = np.arange(5) < 3
    weights = np.where(mask, trace(q, k, v).weights, 0.0)
    renormalised = weights / weights.sum(-1, keepdims=True)
    return same(renormalised @ v, attention(q, k, v, mask=mask)), not same(weights.sum(-1), 1)


@proves
def opposite_booleans() -> tuple[bool, bool]:
    require("torch")
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    mask = torch.tensor([[True, True, False]])
    values = torch.eye(3)[None]
    sdpa = scaled_dot_product_attention(torch.ones(1, 1, 4), torch.ones(1, 3, 4), values, attn_mask=mask)[0]
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    keys = torch.randn(1, 3, 4)
    weights = layer(torch.ones(1, 1, 4), keys, keys, attn_mask=mask)[1][0]
    seen, kept = (sdpa > 0).tolist(), (weights > 0).tolist()
    return seen == mask.tolist() and kept == (~mask).tolist(), seen != kept


@proves
def rope_is_relative() -> tuple[bool, bool]:
    q, k = drawn((1, 4), (1, 4))

    def product(m: int, n: int) -> float:
        return float((rope(q, np.array([m])) @ rope(k, np.array([n])).T)[0, 0])

    relative = math.isclose(product(3, 7), product(13, 17), abs_tol=1e-12)
    return relative, not math.isclose(product(3, 7), product(7, 3), abs_tol=1e-6)


@proves
def one_query_needs_no_mask() -> tuple[bool, bool]:
    q, k, v = qkv()
    last = attention(q, k, v, causal="top_left")[-1]
    top_left = attention(q[-1:], k, v, causal="top_left")[0]
    return same(attention(q[-1:], k, v)[0], last), same(top_left, v[0]) and not same(top_left, last)


@proves
def quarter_of_the_cache() -> tuple[bool, bool]:
    sizes = [
        costs.kv_bytes_per_token(layers=32, kv_heads=heads, head_width=128, itemsize=2) for heads in (32, 8)
    ]
    return 4 * sizes[1] == sizes[0], 16 * sizes[1] != sizes[0]


@pytest.mark.parametrize("slug", [slug for slug in STATEMENTS if slug not in NOT_COMPUTED])
def test_the_statement_is_as_true_as_it_is_marked(slug: str) -> None:
    claim, mended = PROOFS[slug]()
    assert claim == STATEMENTS[slug].is_true
    assert mended


def test_every_statement_is_proved_or_said_to_be_beyond_computing() -> None:
    assert set(PROOFS) == set(STATEMENTS) - NOT_COMPUTED
    assert len(STATEMENTS) >= 24


def test_statements_offer_one_right_answer_and_two_fixes() -> None:
    for slug, statement in STATEMENTS.items():
        assert len(statement.fixes) == 2
        right = [fix for fix in statement.fixes if fix.told is None]
        assert len(right) == (0 if statement.is_true else 1)
        assert (right_fix(slug) is None) == statement.is_true == (statement.right == TRUE)
    assert len({statement.name.zh for statement in STATEMENTS.values()}) == len(STATEMENTS)


def test_true_and_false_ones_are_mixed_and_all_are_asked() -> None:
    asked: set[str] = set()
    for variant in variants("true_or_false"):
        slugs = variant.drawn["statements"]
        assert len(set(slugs)) == true_or_false.ASKED
        assert 1 <= sum(STATEMENTS[slug].is_true for slug in slugs) <= 3
        asked |= set(slugs)
        for part, slug in zip(variant.parts, slugs, strict=True):
            assert part.stem == STATEMENTS[slug].claim
            assert part.options[0].slug == TRUE
    assert asked == set(STATEMENTS)
