"""faults: each mistake against its own formula, written out in plain NumPy on the contrast example."""

from itertools import combinations

import numpy as np
import pytest

from attention_core import faults, trace, trace_from_x
from attention_core.pipeline import RIGHT
from tests.core.examples import CONTRAST, arrays, drawn

X, W_Q, W_K, W_V = arrays(CONTRAST).values()
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
S = Q @ K.T
ROOT = np.sqrt(2)
LOWER = np.tri(3, dtype=bool)


def soft(x, axis=-1):
    """The bare formula, good enough for small numbers; 0/0 stays NaN."""
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def hidden(x, keep):
    return np.where(keep, x, -np.inf)


FULL = {
    "no_scale": soft(S) @ V,
    "scale_by_d_k": soft(S / 2) @ V,
    "scale_by_sqrt_d_model": soft(S / np.sqrt(3)) @ V,
    "softmax_over_columns": soft(S / ROOT, axis=0) @ V,
    "softmax_over_all": np.exp(S / ROOT) / np.exp(S / ROOT).sum() @ V,
    "transposed_scores": soft(K @ Q.T / ROOT) @ V,
    "mix_with_keys": soft(S / ROOT) @ K,
    "no_softmax": S / ROOT @ V,
    "uniform_weights": np.full((3, 3), 1 / 3) @ V,
    "transposed_weights": soft(S / ROOT).T @ V,
    "scaled_after_softmax": soft(S) @ V / ROOT,
    "swapped_keys_and_values": soft(Q @ V.T / ROOT) @ K,
    "unnormalised": np.exp(S / ROOT) @ V,
    "causal_applied": soft(hidden(S / ROOT, LOWER)) @ V,
}
CAUSAL = {
    "no_mask": soft(S / ROOT),
    "reversed_mask": soft(hidden(S / ROOT, LOWER.T)),
    "diagonal_hidden": np.vstack([np.zeros(3), soft(hidden(S / ROOT, np.tri(3, k=-1) > 0)[1:])]),
    "sees_one_ahead": soft(hidden(S / ROOT, np.tri(3, k=1) > 0)),
    "filled_with_zero": soft(np.where(LOWER, S / ROOT, 0)),
    "masked_after_softmax": soft(S / ROOT) * LOWER,
    "softmax_over_columns": soft(hidden(S / ROOT, LOWER), axis=0),
    "uniform_weights": LOWER / LOWER.sum(1, keepdims=True),
    "additive_01_mask": soft(S / ROOT + LOWER),
}
SEPARATE = 0.02  # four tolerances of an exercise


def run(*names, causal=None):
    return trace_from_x(X, W_Q, W_K, W_V, causal=causal, steps=faults.steps_with(*names))


def test_every_mistake_is_tested_here():
    assert set(FULL) | set(CAUSAL) <= set(faults.FAULTS)  # the others: test_fault_formulas
    assert set(faults.ATTENTION_ROW) == set(FULL) - {"causal_applied"}
    assert set(faults.FULL_OUTPUT) < set(FULL)
    assert set(faults.CAUSAL_ROW) == set(CAUSAL)


@pytest.mark.parametrize("name", FULL)
def test_a_mistake_without_a_mask_is_its_formula(name):
    np.testing.assert_allclose(run(name).output, FULL[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_mistake_with_the_causal_mask_is_its_formula(name):
    t = run(name, causal="top_left")
    np.testing.assert_allclose(t.weights, CAUSAL[name], rtol=0, atol=1e-12)
    np.testing.assert_allclose(t.output, CAUSAL[name] @ V, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "causal"),
    [(faults.ATTENTION_ROW, None), (faults.FULL_OUTPUT, None), (faults.CAUSAL_ROW, "top_left")],
)
def test_mistakes_differ_from_right_and_from_each_other(family, causal):
    outputs = {name: run(name, causal=causal).output for name in family} | {
        "right": run(causal=causal).output
    }
    for a, b in combinations(outputs, 2):
        assert np.abs(outputs[a] - outputs[b]).max() > SEPARATE, (a, b)


@pytest.mark.parametrize(
    ("family", "causal"),
    [(faults.ATTENTION_ROW, None), (faults.FULL_OUTPUT, None), (faults.CAUSAL_ROW, "top_left")],
)
def test_pairs_of_mistakes_differ_from_right(family, causal):
    right = run(causal=causal).output
    pairs = list(faults.pairs(family))
    assert pairs
    for pair in pairs:
        assert np.abs(run(*pair, causal=causal).output - right).max() > SEPARATE, pair


def test_a_pair_makes_both_mistakes():
    np.testing.assert_allclose(
        run("no_scale", "softmax_over_columns").output, soft(S, axis=0) @ V, atol=1e-12
    )
    np.testing.assert_allclose(
        run("softmax_over_columns", "no_scale").output, soft(S, axis=0) @ V, atol=1e-12
    )
    np.testing.assert_allclose(
        run("transposed_scores", "mix_with_keys").output, soft(K @ Q.T / ROOT) @ K, atol=1e-12
    )


def test_mistakes_at_one_step_do_not_compose():
    assert not faults.composes("no_scale", "scale_by_d_k")
    assert not faults.composes("no_scale", "scaled_after_softmax")
    assert faults.composes("no_scale", "no_mask", "mix_with_keys")
    assert ("no_scale", "scale_by_d_k") not in set(faults.pairs(faults.ATTENTION_ROW))
    with pytest.raises(ValueError, match=r"no_scale, scale_by_d_k cannot be combined: both change scale"):
        faults.steps_with("no_scale", "scale_by_d_k")
    with pytest.raises(ValueError, match=r"'typo' is unknown"):
        faults.steps_with("typo")


def test_no_mistake_is_the_right_pipeline():
    assert faults.steps_with() is RIGHT


def test_intermediates_are_those_of_somebody_making_the_mistake():
    late = run("scaled_after_softmax")
    assert (late.scaled == late.scores).all()
    np.testing.assert_allclose(late.weights, soft(S), rtol=0, atol=1e-12)
    after = run("masked_after_softmax", causal="top_left")
    assert np.isfinite(after.masked).all()
    filled = run("filled_with_zero", causal="top_left")
    assert (filled.masked[~LOWER] == 0).all()
    added = run("additive_01_mask", causal="top_left")
    np.testing.assert_allclose(added.masked, S / ROOT + LOWER, rtol=0, atol=1e-12)


CAUSAL_ONLY = [name for name in faults.CAUSAL_ROW if faults.FAULTS[name].step == "mask"]


@pytest.mark.parametrize("name", CAUSAL_ONLY)
def test_mistakes_of_the_mask_do_nothing_where_there_is_none(name):
    assert (run(name).output == run().output).all()


def test_a_mistake_of_the_causal_rule_leaves_padding_alone():
    q, k, v = drawn(1, (4, 2), (4, 2), (4, 2))
    real = np.array([False, True, True, True])
    for name in ("reversed_mask", "diagonal_hidden", "sees_one_ahead"):
        t = trace(q, k, v, mask=real, causal="top_left", window=(2, None), steps=faults.steps_with(name))
        assert (t.weights[:, 0] == 0).all()
        assert t.weights[3, 0] == 0
    ahead = trace(q, k, v, causal="top_left", window=(1, None), steps=faults.steps_with("sees_one_ahead"))
    assert (ahead.weights > 0).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 0, 1, 1],
    ]


def test_mistakes_follow_the_alignment():
    q, k, v = drawn(2, (2, 2), (4, 2), (4, 2))
    t = trace(q, k, v, causal="bottom_right", steps=faults.steps_with("diagonal_hidden"))
    assert (t.weights > 0).astype(int).tolist() == [[1, 1, 0, 0], [1, 1, 1, 0]]


def test_a_fault_says_what_it_changes():
    fault = faults.FAULTS["scaled_after_softmax"]
    assert fault.name == "scaled_after_softmax"
    assert list(fault.changes) == ["scale", "mix"]
    with pytest.raises(TypeError):
        faults.FAULTS["new"] = fault
