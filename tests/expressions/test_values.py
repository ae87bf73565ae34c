"""What expressions compute, against NumPy and closed forms written out here."""

import math

import numpy as np
import pytest

from attention_core import costs
from quiz.expressions import ExpressionError, evaluate


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2 * 3", 7),
        ("-2 ** 2", -4),
        ("7 // 2 + 7 % 4", 6),
        ("2 ** 100", 2**100),
        ("1e3 + 2.5e-1 + 1_000 + .5", 2000.75),
        ("sqrt(2)", math.sqrt(2)),
        ("1 < 2", True),
        ("(2, 3 * 4)", (2, 12)),
        ("(2, 3)[1]", 3),
        ("shape([[1, 2, 3], [4, 5, 6]])", (2, 3)),
        ("sum([1, 2, 3])", 6.0),
        ("sum(1, 2, 3)", 6),
        ("max(1, 2.5)", 2.5),
        ("var([1, 2, 3, 4])", 1.25),
        ("round(2.71828, 2)", 2.72),
        ("floor(2.9) + ceil(2.1)", 5),
        ("-inf", -math.inf),
        ("GiB", 2**30),
        ("  1 +\n 1 ", 2),
        ("argmax([1, 5, 2])", 1),
        ("log_sum_exp([0, 0])", math.log(2)),
    ],
)
def test_evaluate_gives_the_number(source, value):
    given = evaluate(source)
    assert given == pytest.approx(value)
    assert type(given) is type(value)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("[[1, 2], [3, 4]] @ [[0, 1], [1, 0]]", [[2, 1], [4, 3]]),
        ("[[1, 2], [3, 4]] @ [1, 1]", [3, 7]),
        ("transpose([[1, 2], [3, 4]])", [[1, 3], [2, 4]]),
        ("[1, 2] + 1", [2, 3]),
        ("where([1, 2] > 1.5, 10, 20)", [20, 10]),
        ("[[1, 2], [3, 4]][1]", [3, 4]),
        ("eye(2) - ones(2, 2)", [[0, -1], [-1, 0]]),
        ("softmax([[0, 0]], axis=-1)", [[0.5, 0.5]]),
        ("sum([[1, 2], [3, 4]], axis=0)", [4, 6]),
        ("masks.causal(2)", [[True, False], [True, True]]),
        ("masks.window(3, span=(1, 0))", [[1, 0, 0], [1, 1, 0], [0, 1, 1]]),
    ],
)
def test_evaluate_gives_the_array(source, value):
    np.testing.assert_allclose(evaluate(source), value, atol=1e-12)


def _softmax(scores):
    shares = np.exp(scores)
    return shares / shares.sum(axis=-1, keepdims=True)


CHAPTER = ([[1, 0], [0, 1], [1, 1]], [[1, 0], [1, 1]], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
CONTRAST = (
    [[0, 0, 1], [1, 0, 2], [2, 1, 0]],
    [[1, 0], [-1, 0], [0, 1]],
    [[0, -1], [1, 0], [-1, 0]],
    [[1, -1], [1, -1], [-1, 0]],
)


@pytest.mark.parametrize(("name", "inputs"), [("chapter", CHAPTER), ("contrast", CONTRAST)])
def test_examples_hold_every_matrix_of_the_walk(name, inputs):
    x, w_q, w_k, w_v = (np.array(rows, dtype=float) for rows in inputs)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T
    scaled = scores / math.sqrt(2)
    seen = np.tril(np.ones((3, 3), dtype=bool))
    causal = _softmax(np.where(seen, scaled, -np.inf))
    expected = {
        "X": x, "W_Q": w_q, "W_K": w_k, "W_V": w_v, "Q": q, "K": k, "V": v, "S": scores, "scaled": scaled,
        "A": _softmax(scaled), "out": _softmax(scaled) @ v, "causal.A": causal, "causal.out": causal @ v,
        "causal.masked": np.where(seen, scaled, -np.inf),
    }  # fmt: skip
    for entry, matrix in expected.items():
        np.testing.assert_allclose(evaluate(f"{name}.{entry}"), matrix, atol=1e-12, err_msg=entry)


def test_cross_example_is_not_square():
    q, k, v = evaluate("cross.Q"), evaluate("cross.K"), evaluate("cross.V")
    np.testing.assert_allclose(evaluate("cross.out"), _softmax(q @ k.T / math.sqrt(2)) @ v, atol=1e-12)
    assert evaluate("shape(cross.A)") == (2, 3)
    with pytest.raises(ExpressionError, match="'causal' is not known"):
        evaluate("cross.causal")


def test_trace_shows_the_fault_asked_for():
    q, k, v = (evaluate(f"contrast.{letter}") for letter in "QKV")
    wrong = evaluate("trace(contrast.Q, contrast.K, contrast.V, fault='no_scale').output")
    np.testing.assert_allclose(wrong, _softmax(q @ k.T) @ v, atol=1e-12)


def test_costs_are_exact_integers():
    counts = {"layers": 32, "batch": 1, "length": 4096, "kv_heads": 32, "head_width": 128, "itemsize": 2}
    words = ", ".join(f"{name}={count}" for name, count in counts.items())
    assert evaluate(f"costs.kv_cache_bytes({words})") == costs.kv_cache_bytes(**counts)
    assert evaluate(f"costs.kv_cache_bytes({words}) / GiB") == 2.0


def test_names_of_the_caller_come_before_the_words():
    assert evaluate("e + a.b", {"e": 1, "a": {"b": 2}}) == 3
    np.testing.assert_array_equal(evaluate("X[1]", {"X": [[1, 2], [3, 4]]}), [3.0, 4.0])


def test_texts_serve_as_arguments_only():
    names = {"Q": [[1, 0]], "rule": "bottom_right"}
    assert evaluate("attention(Q, Q, Q, causal=rule)", names).tolist() == [[1.0, 0.0]]
    with pytest.raises(ExpressionError, match="names no number"):
        evaluate("rule", names)
