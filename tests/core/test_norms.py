"""LayerNorm and RMSNorm against exact fractions, and where a worse formula would lose every digit."""

import math
from fractions import Fraction

import array_api_strict
import numpy as np
import pytest

from attention_core import layer_norm, rms_norm
from attention_core.errors import NumericalError, ShapeError
from attention_core.norms import moments
from tests.core.examples import drawn


def exactly(row, *, eps=0.0, centre=True):
    """The normalised row from exact sums; only the final root is rounded."""
    row = [Fraction(float(x)) for x in row]
    mean = sum(row) / len(row) if centre else Fraction(0)
    spread = sum((x - mean) ** 2 for x in row) / len(row) + Fraction(eps)
    return [float(x - mean) / math.sqrt(spread) for x in row]


@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.1])
def test_layer_norm_is_the_formula_with_the_population_variance(eps):
    (x,) = drawn(1, (4, 7))
    np.testing.assert_allclose(layer_norm(x, eps=eps), [exactly(row, eps=eps) for row in x], rtol=1e-13)


@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
def test_rms_norm_is_the_formula_and_does_not_centre(eps):
    (x,) = drawn(2, (4, 7))
    expected = [exactly(row, eps=eps, centre=False) for row in x]
    np.testing.assert_allclose(rms_norm(x, eps=eps), expected, rtol=1e-13)


def test_the_defaults_of_eps_are_those_of_the_papers_code():
    x = np.array([[1.0, -1.0]]) * 1e-3  # variance 1e-6, so that ε decides
    assert layer_norm(x)[0, 0] == pytest.approx(1e-3 / math.sqrt(1e-6 + 1e-5), rel=1e-14)
    assert rms_norm(x)[0, 0] == pytest.approx(1e-3 / math.sqrt(1e-6 + 1e-6), rel=1e-14)


def test_the_chapters_row():
    assert layer_norm([1, 2, 3, 4], eps=0.0) == pytest.approx(
        [x / math.sqrt(1.25) for x in (-1.5, -0.5, 0.5, 1.5)]
    )
    assert rms_norm([1, 2, 3, 4], eps=0.0) == pytest.approx([x / math.sqrt(7.5) for x in (1, 2, 3, 4)])


def test_weight_and_bias_come_last_and_in_this_order():
    x, weight, bias = drawn(3, (3, 5), (5,), (5,))
    plain = layer_norm(x)
    np.testing.assert_allclose(layer_norm(x, weight, bias), plain * weight + bias, rtol=0, atol=1e-15)
    np.testing.assert_allclose(layer_norm(x, bias=bias), plain + bias, rtol=0, atol=1e-15)
    np.testing.assert_allclose(rms_norm(x, weight), rms_norm(x) * weight, rtol=0, atol=1e-15)


def test_a_large_mean_costs_no_digits():
    """N(2000, 1) in float32: the one-pass variance E[x²] − E[x]² has no right digit left there."""
    rng = np.random.default_rng(4)
    x = (2000 + rng.standard_normal((64, 4))).astype(np.float32)
    expected = np.array([exactly(row, eps=1e-5) for row in x])
    assert np.abs(layer_norm(x) - expected).max() < 1e-3
    one_pass = np.mean(x * x, axis=-1, dtype=np.float32) - np.mean(x, axis=-1, dtype=np.float32) ** 2
    with np.errstate(invalid="ignore"):
        lost = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(one_pass + np.float32(1e-5))[:, None]
    assert not np.abs(lost - expected).max() < 0.1


def test_a_shift_or_a_scale_of_the_row_changes_nothing_it_should_not():
    (x,) = drawn(5, (3, 6))
    np.testing.assert_allclose(layer_norm(3 * x + 7, eps=0.0), layer_norm(x, eps=0.0), rtol=0, atol=1e-13)
    np.testing.assert_allclose(rms_norm(3 * x, eps=0.0), rms_norm(x, eps=0.0), rtol=0, atol=1e-13)
    assert np.abs(rms_norm(x + 7, eps=0.0) - rms_norm(x, eps=0.0)).max() > 0.5


def test_a_row_without_spread_gives_the_bias_and_no_nan():
    for eps in (0.0, 1e-5):
        assert layer_norm(np.full((1, 3), 4.0), bias=np.array([1.0, 2.0, 3.0]), eps=eps).tolist() == [
            [1, 2, 3]
        ]
        assert rms_norm(np.zeros((1, 3)), eps=eps).tolist() == [[0, 0, 0]]
    assert layer_norm([[5.0]]).tolist() == [[0.0]]  # a width of 1


def test_rows_do_not_touch_each_other():
    (x,) = drawn(6, (2, 4, 5))
    together = layer_norm(x)
    for sample in range(2):
        for place in range(4):
            assert together[sample, place].tolist() == layer_norm(x[sample, place]).tolist()


def test_sixteen_bits_are_computed_in_thirty_two_and_rounded_once():
    x = np.array([[300.0, -300.0, 200.0, 0.0]], dtype=np.float16)  # squares are beyond float16
    for norm, centre, eps in ((layer_norm, True, 1e-5), (rms_norm, False, 1e-6)):
        result = norm(x)
        assert result.dtype == np.float16
        np.testing.assert_array_equal(
            result, np.array([exactly(x[0], eps=eps, centre=centre)], dtype=np.float16)
        )


def test_moments_are_the_mean_and_the_inverse_deviation():
    (x,) = drawn(7, (3, 5))
    mean, inverse = moments(x)
    np.testing.assert_allclose(mean[:, 0], [math.fsum(row) / 5 for row in x], rtol=0, atol=1e-15)
    np.testing.assert_allclose((x - mean) * inverse, layer_norm(x), rtol=0, atol=1e-15)
    assert mean.shape == inverse.shape == (3, 1)


def test_an_empty_batch_stays_empty():
    assert layer_norm(np.ones((0, 3))).shape == (0, 3)


def test_the_same_on_any_array_library():
    x, weight, bias = drawn(8, (2, 3, 5), (5,), (5,))
    strict = [array_api_strict.asarray(a) for a in (x, weight, bias)]
    np.testing.assert_allclose(
        np.asarray(layer_norm(*strict)), layer_norm(x, weight, bias), rtol=0, atol=1e-14
    )
    np.testing.assert_allclose(np.asarray(rms_norm(*strict[:2])), rms_norm(x, weight), rtol=0, atol=1e-14)


X = np.ones((2, 3))
REFUSED = {
    "weight": (lambda: layer_norm(X, np.ones(2)), ShapeError, "weight: given shape (2,)"),
    "weight_axes": (lambda: rms_norm(X, np.ones((1, 3))), ShapeError, "weight: given shape (1, 3)"),
    "bias": (lambda: layer_norm(X, None, np.ones(4)), ShapeError, "bias: given shape (4,)"),
    "x_nan": (lambda: layer_norm([[math.nan, 1.0]]), NumericalError, "x: given nan at [0, 0]"),
    "weight_inf": (lambda: rms_norm(X, [1.0, math.inf, 1.0]), NumericalError, "weight: given inf at [1]"),
    "no_width": (lambda: layer_norm(np.ones((2, 0))), ShapeError, "x: given shape (2, 0)"),
    "number": (lambda: layer_norm(3.0), ShapeError, "x: given shape ()"),
    "eps": (lambda: layer_norm(X, eps=-1e-5), NumericalError, "eps: given -1e-05"),
    "eps_true": (lambda: rms_norm(X, eps=True), NumericalError, "eps: given True"),
    "squares": (lambda: rms_norm(np.full((1, 2), 1e200)), NumericalError, "x: given squares beyond float64"),
    "squares_layer": (
        lambda: layer_norm([[1e200, -1e200]]),
        NumericalError,
        "x: given squares beyond float64",
    ),
}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_argument_is_named(case):
    call, error, start = REFUSED[case]
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(start)
