"""The words of layers, positions, training and matrices, against closed forms and NumPy written out here."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quiz.expressions import ExpressionError, define, evaluate, is_word


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("gelu(1)", 0.5 * (1 + math.erf(1 / math.sqrt(2)))),
        ("gelu(1, approximate=True)", 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715))),
        ("silu(1)", sigmoid(1)),
        ("relu(-1) + relu(2)", 2),
        ("erf(1)", math.erf(1)),
        ("norm([3, 4])", 5),
        ("norm([[1, 2], [3, 4]])", math.sqrt(30)),
        ("trace_of([[1, 2], [3, 4]])", 5),
        ("norm(sinusoidal(7, 512))", 16),
        ("sinusoidal(3, 4) @ sinusoidal(5, 4)", math.cos(2) + math.cos(0.02)),
        ("rope([1, 2], 3) @ rope([3, -1], 5) - rope([1, 2], 10) @ rope([3, -1], 12)", 0),
        ("alibi_slopes(8)[0]", 0.5),
        ("entropy([0.5, 0.5])", math.log(2)),
        ("norm(softmax_jacobian(softmax([0, 0])))", 0.5),
        ("training.noam_rate(4000, d_model=512, warmup=4000)", 512**-0.5 * 4000**-0.5),
        ("training.perplexity(log([0.5, 0.25, 0.125]))", 4),
        ("training.cross_entropy([[0, 0], [0, 0]], [1, 0])", math.log(2)),
        ("training.cross_entropy([[0, 0, 0], [0, 0, 9]], [2, 0], ignore=0)", math.log(3)),
        ("tile_count(8, keys=8, rows=4, columns=2)", 8),
        ("tile_count(8, keys=8, rows=4, columns=2, causal='top_left')", 6),
        ("training.supervised_positions([5, 3, 1])", 6),
    ],
)  # fmt: skip
def test_a_word_gives_the_number(source: str, value: float) -> None:
    assert evaluate(source) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("layer_norm([1, 3], eps=0)", [-1, 1]),
        ("layer_norm([1, 3], [2, 2], [1, 1], eps=0)", [-1, 3]),
        ("rms_norm([3, 4], eps=0)", np.array([3, 4]) / math.sqrt(12.5)),
        ("swiglu([[0, 1]], [[1], [2]], [[2], [2]], [[3, 3]])", [[2 * sigmoid(2) * 2 * 3] * 2]),
        ("feed_forward([1, -1], [[1, -1, 2], [0, 1, 1]], [[1, 0], [2, 1], [0, -1]], b1=[0, 1, 0])", [1, -1]),
        ("feed_forward([[1]], [[-1]], [[2]], activation='none')", [[-2]]),
        ("feed_forward([[1]], [[1]], [[1]], activation='silu')", [[sigmoid(1)]]),
        ("sinusoidal([0, 1], 2)", [[0, 1], [math.sin(1), math.cos(1)]]),
        ("rope([[1, 0], [1, 0]], [0, 1])", [[1, 0], [math.cos(1), math.sin(1)]]),
        ("alibi_bias(1, 2, 2)[0] * 256", [[0, -1], [-1, 0]]),
        ("log_softmax([0, 0])", [-math.log(2)] * 2),
        ("dot_scores([[1, 2]], [[3, 1], [0, 1]])", [[5, 2]]),
        ("additive_scores([[0]], [[0], [1]], w_q=[[1]], w_k=[[1]], v=[3])", [[0, 3 * math.tanh(1)]]),
        ("split_heads([[1, 2, 3, 4]], heads=2)", [[[1, 2]], [[3, 4]]]),
        ("merge_heads(split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], heads=2))", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ("training.smooth_targets([1], classes=5, epsilon=0.1)", [[0.02, 0.92, 0.02, 0.02, 0.02]]),
        ("training.smooth_targets([1], classes=3, epsilon=0.1, form='others')", [[0.05, 0.9, 0.05]]),
        ("training.dropout([3, 3], p=0.25, keep=[1, 0])", [4, 0]),
        ("training.dropout([3, 3], p=0.25)", [3, 3]),
        ("online([2, 1, 3, 2, 4, 5], block=3).m", [3, 5]),
        ("online([2, 1, 3, 2], block=2).l", [1 + math.exp(-1), 1 + 2 * math.exp(-1) + math.exp(-2)]),
        ("online([0, 0], block=1, values=[[1, 0], [0, 1]]).o", [[1, 0], [0.5, 0.5]]),
        ("outer([1, 2], [3, 4])", [[3, 4], [6, 8]]),
        ("diag([1, 2])", [[1, 0], [0, 2]]),
        ("diag([[1, 2], [3, 4]])", [1, 4]),
        ("concat([[1], [2]], [[3], [4]])", [[1, 3], [2, 4]]),
        ("concat([[1, 2]], [[3, 4]], axis=0)", [[1, 2], [3, 4]]),
        ("eigenvalues([[2, 1], [1, 2]])", [1, 3]),
        ("row([[1, 2], [3, 4]], 1)", [3, 4]),
        ("column([[1, 2], [3, 4]], 0)", [1, 3]),
        ("rows([[1, 2], [3, 4], [5, 6]], 1, 2)", [[3, 4], [5, 6]]),
        ("columns([[1, 2, 3]], 0, 1)", [[1, 2]]),
        ("erf([0, 1])", [0, math.erf(1)]),
    ],
)  # fmt: skip
def test_a_word_gives_the_array(source: str, value: object) -> None:
    np.testing.assert_allclose(evaluate(source), value, atol=1e-12)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("row([1, 2], 0)", "only a matrix has rows and columns"),
        ("row([[1, 2]], 1)", "there is no row 1; expected 0 to 0"),
        ("row([[1, 2]], -1)", "there is no row -1"),
        ("row([[1, 2]], 0.0)", "there is no row 0.0"),
        ("rows([[1], [2]], 1, 0)", "1 to 0 runs backwards"),
        ("eigenvalues([[1, 2], [3, 4]])", "the matrix is not symmetric"),
        ("eigenvalues([1, 2])", "the matrix is not square"),
        ("outer([[1]], [1])", "an outer product takes two vectors"),
        ("concat(1, 2)", "only arrays can be put together"),
        ("concat([1], [[2]])", "concat: "),
        ("online([[1, 2]], block=1)", "online softmax takes one row of scores here"),
        ("feed_forward([[1]], [[1]], [[1]], activation='tanh')", "the activation 'tanh' is not known"),
        ("training.smooth_targets([0.5], classes=2, epsilon=0.1)", "the labels are not whole numbers"),
        ("training.cross_entropy([[0, 0]], [2])", "training.cross_entropy: "),
        ("training.noam_rate(0, d_model=1, warmup=1)", "training.noam_rate: "),
        ("split_heads([[1, 2, 3]], heads=2)", "split_heads: "),
    ],
)
def test_what_a_word_refuses_is_told(source: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate(source)
    assert message in str(caught.value)


def test_a_group_can_be_named_but_is_no_number() -> None:
    group = define("trace(chapter.Q, chapter.K, chapter.V)")
    np.testing.assert_array_equal(evaluate("t.weights", {"t": group}), evaluate("chapter.A"))
    with pytest.raises(ExpressionError, match="this names no number"):
        evaluate("t", {"t": group})
    with pytest.raises(ExpressionError, match="this names no number"):
        define("sqrt")


def test_words_are_known_as_words() -> None:
    assert all(is_word(name) for name in ("row", "layer_norm", "training", "e", "chapter"))
    assert not any(is_word(name) for name in ("n", "weights", "W_O"))
