"""softmax: stable, in logarithms, and block by block."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import softmax
from attention_core.errors import ShapeError
from attention_core.softmax import log_softmax, log_sum_exp, online
from tests.core.examples import drawn, shares


def test_softmax_is_the_textbook_formula():
    row = [3.0, 2.0, 1.0]
    np.testing.assert_allclose(softmax(row), shares(row), rtol=0, atol=1e-15)


def test_softmax_shares_logarithms_in_their_proportion():
    np.testing.assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [1 / 8, 2 / 8, 5 / 8], rtol=0, atol=1e-15)


def test_large_and_small_numbers_do_not_overflow():
    for shift in (1e4, -1e4):
        np.testing.assert_allclose(
            softmax(np.array([0.0, 1.0]) + shift), shares([0.0, 1.0]), rtol=0, atol=1e-12
        )


def test_a_row_of_minus_infinity_gives_zeros_and_its_logarithm_minus_infinity():
    row = np.full(3, -np.inf)
    assert softmax(row).tolist() == [0, 0, 0]
    assert log_sum_exp(row) == -np.inf
    assert log_softmax(row).tolist() == [-np.inf] * 3


def test_the_axis_can_be_chosen():
    x = drawn(1, (2, 3, 4))[0]
    np.testing.assert_allclose(softmax(x, axis=1).sum(1), np.ones((2, 4)), rtol=0, atol=1e-15)
    assert log_sum_exp(x, axis=0).shape == (3, 4)


def test_log_softmax_keeps_what_its_logarithm_would_lose():
    assert log_softmax([0.0, -800.0])[1] == pytest.approx(-800.0, abs=1e-12)
    assert log_sum_exp([710.0, 710.0]) == pytest.approx(710 + math.log(2), abs=1e-12)


def test_the_running_state_is_what_the_chapter_prints():
    first, second = online([2.0, 1.0, 3.0, 2.0, 4.0, 5.0], block=3)
    assert (first.maximum.tolist(), second.maximum.tolist()) == ([3.0], [5.0])
    assert first.total[0] == pytest.approx(math.exp(-1) + math.exp(-2) + 1, abs=1e-15)
    whole = math.fsum(math.exp(x) for x in (2, 1, 3, 2, 4, 5))
    assert second.total[0] * math.exp(5) == pytest.approx(whole, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 11), st.floats(0, 1))
def test_online_ends_at_the_softmax_whatever_the_blocks(seed, keys, block, hidden):
    scores, values, chance = drawn(seed, (4, keys), (keys, 3), (4, keys))
    scores = np.where(chance < hidden, -np.inf, 20 * scores)
    *_, last = online(scores, block=block, values=values)
    np.testing.assert_allclose(last.output, softmax(scores) @ values, rtol=0, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            (last.maximum + np.log(last.total))[:, 0], log_sum_exp(scores), rtol=0, atol=1e-12
        )


def test_each_state_is_the_softmax_so_far():
    scores, values = drawn(2, (3, 7), (7, 2))
    for seen, state in zip((3, 6, 7), online(scores, block=3, values=values), strict=True):
        expected = softmax(scores[:, :seen]) @ values[:seen]
        np.testing.assert_allclose(state.output, expected, rtol=0, atol=1e-14)


def test_online_refuses_by_name():
    with pytest.raises(ShapeError, match=r"^block: given 0"):
        online([1.0], block=0)
    with pytest.raises(ShapeError, match=r"^values: given 2 rows; expected 3"):
        online([1.0, 2.0, 3.0], block=1, values=np.ones((2, 1)))


def test_an_empty_axis_shares_nothing_and_its_logarithm_is_minus_infinity():
    empty = np.ones((2, 0))
    assert softmax(empty).shape == log_softmax(empty).shape == (2, 0)
    assert log_sum_exp(empty).tolist() == [-math.inf, -math.inf]
    assert log_sum_exp(np.ones((0, 3)), axis=-1).shape == (0,)


@pytest.mark.parametrize("function", [softmax, log_softmax, log_sum_exp])
@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_that_is_not_there_is_refused_by_name(function, axis):
    with pytest.raises(ShapeError, match=rf"axis: given {axis}; expected an axis of x"):
        function(np.ones((2, 3)), axis=axis)
