"""similarity: each score pair by pair, and what tells them apart."""

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import similarity, softmax
from attention_core.errors import ShapeError
from attention_core.softmax import entropy
from tests.core.examples import drawn

Q, K, W, W_Q, W_K, V = drawn(1, (2, 3, 4), (2, 5, 6), (4, 6), (4, 7), (6, 7), (7,))
WEIGHTS = {"w_q": W_Q, "w_k": W_K, "v": V}


def test_every_pair_has_its_own_score():
    dots = similarity.dot_scores(Q, K[..., :4])
    generals, additives = similarity.general_scores(Q, K, W), similarity.additive_scores(Q, K, **WEIGHTS)
    assert dots.shape == generals.shape == additives.shape == (2, 3, 5)
    for b, i, j in np.ndindex(2, 3, 5):
        q, k = Q[b, i], K[b, j]
        assert dots[b, i, j] == pytest.approx(q @ k[:4])
        assert generals[b, i, j] == pytest.approx(q @ W @ k)
        assert additives[b, i, j] == pytest.approx(np.tanh(q @ W_Q + k @ W_K) @ V)


def test_additive_scores_are_bounded_and_dot_products_are_not():
    assert np.abs(similarity.additive_scores(1e6 * Q, 1e6 * K, **WEIGHTS)).max() <= np.abs(V).sum()
    assert np.abs(similarity.general_scores(1e6 * Q, 1e6 * K, W)).max() > 1e9


def test_the_identity_makes_the_general_score_the_dot_product():
    assert np.array_equal(similarity.general_scores(Q, Q, np.eye(4)), similarity.dot_scores(Q, Q))


def test_other_libraries():
    strict = {name: array_api_strict.asarray(w) for name, w in WEIGHTS.items()}
    found = similarity.additive_scores(array_api_strict.asarray(Q), array_api_strict.asarray(K), **strict)
    np.testing.assert_allclose(np.asarray(found), similarity.additive_scores(Q, K, **WEIGHTS), atol=1e-12)
    leaves = {name: torch.tensor(w, requires_grad=True) for name, w in WEIGHTS.items()}
    similarity.additive_scores(torch.tensor(Q), torch.tensor(K), **leaves).sum().backward()
    assert all(leaf.grad.abs().max() > 0 for leaf in leaves.values())


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"w_q": W_K}, "w_q"),
        ({"w_k": W_Q}, "w_k"),
        ({"w_k": W_K[:, :5]}, "w_k"),
        ({"v": V[:5]}, "v"),
        ({"v": V[:, None]}, "v"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(change, argument):
    with pytest.raises(ShapeError) as refusal:
        similarity.additive_scores(Q, K, **WEIGHTS | change)
    assert refusal.value.argument == argument


def test_widths_that_differ_are_refused():
    with pytest.raises(ShapeError, match=r"^k: given shape \(2, 5, 6\); expected width 4"):
        similarity.dot_scores(Q, K)
    with pytest.raises(ShapeError, match=r"^w: given shape \(6, 7\)"):
        similarity.general_scores(Q, K, W_K)
    with pytest.raises(ShapeError, match=r"^q: given shape \(4,\)"):
        similarity.dot_scores(Q[0, 0], K)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=8))
def test_entropy_lies_between_one_choice_and_all_alike(scores):
    weights = softmax(np.array(scores))
    found = float(entropy(weights))
    assert -1e-12 <= found <= np.log(len(scores)) + 1e-12
    assert found == pytest.approx(-sum(w * np.log(w) for w in weights if w > 0), abs=1e-12)


def test_entropy_of_the_ends():
    assert float(entropy([1.0, 0.0, 0.0])) == 0.0
    assert float(entropy(np.full(5, 0.2))) == pytest.approx(np.log(5))
    assert entropy(np.full((2, 3), 1 / 3), axis=0).shape == (3,)
