"""trace: every named intermediate, against the hand formulas of the two worked examples."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from attention_core import attention, pipeline, trace, trace_from_x
from attention_core.pipeline import RIGHT, follow, prepare
from tests.core.examples import CHAPTER, CONTRAST, arrays, by_hand, drawn

NAMES = ["scores", "scaled", "capped", "masked", "weights", "output"]


@pytest.mark.parametrize("example", [CHAPTER, CONTRAST], ids=["chapter", "contrast"])
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_the_worked_examples_agree_with_the_hand_formulas(example, causal):
    t = trace_from_x(**arrays(example), causal=causal)
    for name, expected in by_hand(example, causal=causal is not None).items():
        np.testing.assert_allclose(t[name], expected, rtol=0, atol=1e-12, err_msg=name)


def test_the_contrast_example_is_the_one_that_is_printed():
    """The figures of the chapter, to the digits printed there."""
    output = trace_from_x(**arrays(CONTRAST)).output.round(3)
    assert output.tolist() == [[-0.440, -0.704], [-0.287, -0.623], [1.935, -2.289]]
    causal = trace_from_x(**arrays(CONTRAST), causal="top_left").output.round(3)
    assert causal.tolist() == [[-1, 0], [-1, -0.107], [1.935, -2.289]]


def test_a_trace_is_a_mapping_and_has_attributes():
    t = trace(*drawn(1, (3, 2), (4, 2), (4, 5)))
    assert isinstance(t, Mapping)
    assert list(t) == NAMES
    assert len(t) == 6
    assert list(dict(t)) == NAMES
    for name in NAMES:
        assert t[name] is getattr(t, name)
    with pytest.raises(KeyError):
        t["q"]


def test_projecting_first_keeps_q_k_v():
    t = trace_from_x(**arrays(CHAPTER))
    assert list(t) == ["q", "k", "v", *NAMES]
    assert t.q.tolist() == [[1, 0], [1, 1], [2, 1]]
    assert t.k.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert t.d_model == 2


def test_masked_is_capped_plus_bias_with_minus_infinity_where_hidden():
    q, k, v = drawn(2, (3, 2), (3, 2), (3, 2))
    bias = np.arange(9.0).reshape(3, 3)
    t = trace(q, k, v, bias=bias, softcap=2.0, causal="top_left")
    expected = 2 * np.tanh(q @ k.T / np.sqrt(2) / 2) + bias
    expected[np.triu_indices(3, 1)] = -np.inf
    np.testing.assert_allclose(t.masked, expected, rtol=0, atol=1e-14)
    assert (t.weights[np.triu_indices(3, 1)] == 0).all()


def test_trace_and_attention_give_the_same():
    q, k, v = drawn(3, (2, 4, 3, 5), (2, 2, 6, 5), (2, 2, 6, 5))
    options = {"causal": "bottom_right", "window": (3, None), "softcap": 1.5, "scale": 0.7}
    assert (trace(q, k, v, **options)["output"] == attention(q, k, v, **options)).all()


def test_a_score_matrix_alone_is_traced_with_the_identity_as_keys():
    s, v = drawn(4, (5, 5), (5, 2))
    t = trace(s, np.eye(5), v, causal="top_left", scale=1.0)
    assert (t.scores == s).all()


def test_a_step_sees_every_earlier_value_and_what_was_given():
    def by_model_width(t):
        return t.scores / np.sqrt(t.d_model)

    def mixing_keys(t):
        assert t.masked.shape == (3, 3)
        return t.weights @ t.k

    changed = replace(RIGHT, scale=by_model_width, mix=mixing_keys)
    t = trace_from_x(**arrays(CONTRAST), steps=changed)
    np.testing.assert_allclose(t.scaled, t.q @ t.k.T / np.sqrt(3), rtol=0, atol=1e-15)
    assert (t.output == t.weights @ t.k).all()


def test_the_model_width_is_unknown_without_a_projection():
    steps = replace(RIGHT, scale=lambda t: t.scores / t.d_model)
    with pytest.raises(ValueError, match=r"^x: given no x; expected `trace_from_x`"):
        trace(*drawn(5, (2, 2), (2, 2), (2, 2)), steps=steps)


def test_inputs_checked_once_can_be_followed_often():
    inputs = prepare(*drawn(6, (3, 2), (3, 2), (3, 2)), causal="top_left")
    first, second = follow(inputs), follow(inputs, replace(RIGHT, scale=lambda t: t.scores))
    assert (second.scaled == first.scores).all()
    assert (follow(inputs).output == first.output).all()


def test_steps_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        pipeline.RIGHT.mix = None
