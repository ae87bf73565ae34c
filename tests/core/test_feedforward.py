"""Activations against the standard library's own functions, and the networks against sums by hand."""

import math
from statistics import NormalDist

import array_api_strict
import numpy as np
import pytest

from attention_core import feed_forward, gelu, relu, silu, swiglu
from attention_core.errors import NumericalError, ShapeError
from attention_core.feedforward import gate
from tests.core.examples import drawn, product

POINTS = np.array([-40.0, -6.0, -3.0, -1.0, -0.5, -1e-8, 0.0, 1e-8, 0.5, 1.0, 2.0, 6.0, 40.0])


def logistic(z):
    return 1 / (1 + math.exp(-z))


def test_relu_keeps_what_is_positive():
    assert relu(POINTS).tolist() == [max(0.0, x) for x in POINTS]


def test_gelu_is_x_times_the_normal_distribution_function():
    expected = [x * NormalDist().cdf(x) for x in POINTS]
    np.testing.assert_allclose(gelu(POINTS), expected, rtol=1e-14, atol=1e-15)


def test_gelu_by_tanh_is_near_and_not_the_same():
    x = np.linspace(-5, 5, 1001)
    apart = np.abs(gelu(x) - gelu(x, approximate=True)).max()
    assert 1e-4 < apart < 5e-4
    inner = [math.sqrt(2 / math.pi) * (y + 0.044715 * y**3) for y in POINTS]
    expected = [0.5 * y * (1 + math.tanh(z)) for y, z in zip(POINTS, inner, strict=True)]
    np.testing.assert_allclose(gelu(POINTS, approximate=True), expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("beta", [0.5, 1.0, 1.702, -2.0])
def test_silu_is_x_times_the_logistic_function(beta):
    expected = [x * logistic(beta * x) for x in POINTS]
    np.testing.assert_allclose(silu(POINTS, beta=beta), expected, rtol=1e-14, atol=0)


@pytest.mark.filterwarnings("error")
def test_far_values_neither_overflow_nor_warn():
    for function in (relu, gelu, silu, lambda x: gelu(x, approximate=True)):
        assert function(np.array([-1e4, 1e4])).tolist() == [0.0, 1e4]


def test_the_chapters_numbers():
    assert gelu(1.0) == pytest.approx(NormalDist().cdf(1.0), rel=1e-15)
    assert silu(1.0) == pytest.approx(logistic(1.0), rel=1e-15)


def test_scalars_and_empty_arrays_keep_their_shape():
    for function in (relu, gelu, silu):
        assert function(0.5).shape == ()
        assert function(np.ones((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_low_precision_is_kept_and_rounded_once(dtype):
    x = POINTS.astype(dtype)
    for function, right in ((gelu, lambda y: y * NormalDist().cdf(y)), (silu, lambda y: y * logistic(y))):
        result = function(x)
        assert result.dtype == dtype
        expected = np.array([right(float(y)) for y in x])
        np.testing.assert_allclose(result, expected, rtol=2 * np.finfo(dtype).eps, atol=1e-7)


def test_the_gate_is_swish_times_the_other():
    a, b = drawn(1, (3, 4), (3, 4))
    for beta in (1.0, 0.5):
        expected = [
            [x * logistic(beta * x) * y for x, y in zip(*rows, strict=True)]
            for rows in zip(a, b, strict=True)
        ]
        np.testing.assert_allclose(gate(a, b, beta=beta), expected, rtol=1e-14)


def test_swiglu_by_hand():
    x, w, v, w2 = drawn(2, (3, 4), (4, 5), (4, 5), (5, 4))
    up, across = product(x.tolist(), w.tolist()), product(x.tolist(), v.tolist())
    hidden = [
        [a * logistic(a) * b for a, b in zip(*rows, strict=True)] for rows in zip(up, across, strict=True)
    ]
    np.testing.assert_allclose(swiglu(x, w, v, w2), product(hidden, w2.tolist()), rtol=0, atol=1e-13)


def test_swiglu_applies_the_activation_to_w_and_not_to_v():
    """x W = −30 shuts the gate; x V = −30 does not."""
    assert abs(swiglu([[1.0]], [[-30.0]], [[5.0]], [[1.0]]).item()) < 1e-9
    assert swiglu([[1.0]], [[5.0]], [[-30.0]], [[1.0]]).item() == pytest.approx(-150 * logistic(5.0))


def test_the_network_of_the_chapter_and_what_it_is_without_its_bend():
    w1, b1, w2 = [[1, -1, 2], [0, 1, 1]], [0, 1, 0], [[1, 0], [2, 1], [0, -1]]
    assert feed_forward([[1, -1]], w1, w2, b1=b1).tolist() == [[1.0, -1.0]]
    assert feed_forward([[1, -1]], w1, w2, b1=b1, activation=lambda z: z).tolist() == [[-1.0, -2.0]]


def test_the_network_is_the_same_at_every_position():
    x, w1, w2, b1, b2 = drawn(3, (2, 3, 4), (4, 6), (6, 4), (6,), (4,))
    together = feed_forward(x, w1, w2, b1=b1, b2=b2, activation=gelu)
    for sample in range(2):
        for place in range(3):
            alone = feed_forward(x[sample, place], w1, w2, b1=b1, b2=b2, activation=gelu)
            np.testing.assert_allclose(together[sample, place], alone, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        feed_forward(x, w1, w2, b2=b2), np.maximum(x @ w1, 0) @ w2 + b2, rtol=0, atol=1e-14
    )


def test_the_same_on_any_array_library():
    x, w, v, w2 = drawn(4, (2, 3, 4), (4, 5), (4, 5), (5, 4))
    strict = [array_api_strict.asarray(a) for a in (x, w, v, w2)]
    for function in (relu, gelu, silu, lambda a: gelu(a, approximate=True)):
        np.testing.assert_allclose(np.asarray(function(strict[0])), function(x), rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.asarray(swiglu(*strict)), swiglu(x, w, v, w2), rtol=0, atol=1e-14)
    result = feed_forward(strict[0], strict[1], strict[3])
    np.testing.assert_allclose(np.asarray(result), feed_forward(x, w, w2), rtol=0, atol=1e-14)


X, W, W2 = np.ones((3, 4)), np.ones((4, 5)), np.ones((5, 4))
REFUSED = {
    "nan": (lambda: gelu([math.nan]), NumericalError, "x: given nan at [0]"),
    "infinite": (lambda: relu([1.0, math.inf]), NumericalError, "x: given inf at [1]"),
    "words": (lambda: silu(["a"]), NumericalError, "x: given values of dtype"),
    "beta": (lambda: silu(X, beta=math.inf), NumericalError, "beta: given inf"),
    "beta_true": (lambda: silu(X, beta=True), NumericalError, "beta: given True"),
    "gate": (lambda: gate(X, W), ShapeError, "b: given shape (4, 5)"),
    "w_turned": (lambda: swiglu(X, W2, W2, W), ShapeError, "w: given shape (5, 4)"),
    "v": (lambda: swiglu(X, W, np.ones((4, 6)), W2), ShapeError, "v: given shape (4, 6)"),
    "w2": (lambda: swiglu(X, W, W, W), ShapeError, "w2: given shape (4, 5)"),
    "w_vector": (lambda: swiglu(X, np.ones(4), W, W2), ShapeError, "w: given shape (4,)"),
    "w1": (lambda: feed_forward(X, W2, W2), ShapeError, "w1: given shape (5, 4)"),
    "second": (lambda: feed_forward(X, W, W), ShapeError, "w2: given shape (4, 5)"),
    "b1": (lambda: feed_forward(X, W, W2, b1=np.ones(4)), ShapeError, "b1: given shape (4,)"),
    "b2": (lambda: feed_forward(X, W, W2, b2=np.ones((1, 4))), ShapeError, "b2: given shape (1, 4)"),
    "scalar": (lambda: feed_forward(3.0, W, W2), ShapeError, "w1: given shape (4, 5)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_argument_is_named(case):
    call, error, start = REFUSED[case]
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(start)
