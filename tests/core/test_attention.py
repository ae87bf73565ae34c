"""attention against closed forms and against the public bug reports of its field."""

import math

import numpy as np
import pytest
import torch

from attention_core import attention, kernels, masks
from attention_core.errors import MaskError
from tests.core.examples import drawn

VALUES = np.array([[0.0], [1.0], [2.0], [3.0]])
LEVEL = np.zeros((4, 1))  # keys that score alike, so that outputs are plain means of what is seen


def test_equal_scores_give_the_mean_of_the_values():
    assert attention(np.ones((1, 1)), LEVEL, VALUES).tolist() == [[1.5]]


def test_two_keys_are_shared_by_the_logistic_function():
    output = attention([[1.0]], [[3.0], [1.0]], [[1.0], [0.0]])
    assert output[0, 0] == pytest.approx(1 / (1 + math.exp(-2.0)), abs=1e-15)


def test_a_huge_score_takes_all_without_overflow():
    assert attention([[1e4]], [[1.0], [-1.0]], [[7.0], [9.0]]).tolist() == [[7.0]]


def test_scale_replaces_the_root_of_the_width():
    output = attention([[1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0], [0.0]], scale=3.0)
    assert output[0, 0] == pytest.approx(1 / (1 + math.exp(-3.0)), abs=1e-15)


@pytest.mark.parametrize(("alignment", "expected"), [("top_left", [0, 0.5]), ("bottom_right", [1, 1.5])])
def test_causal_alignments_differ_with_more_keys_than_queries(alignment, expected):
    assert attention(np.ones((2, 1)), LEVEL, VALUES, causal=alignment)[:, 0].tolist() == expected


def test_one_decoding_query_sees_every_cached_key_when_aligned_bottom_right():
    q, k, v = np.ones((1, 1)), np.zeros((5, 1)), np.arange(5.0)[:, None]
    assert attention(q, k, v, causal="bottom_right").tolist() == [[2.0]]
    assert attention(q, k, v, causal="top_left").tolist() == [[0.0]]


def test_more_queries_than_keys_bottom_right_leaves_the_first_rows_zero():
    output = attention(np.ones((5, 1)), np.zeros((2, 1)), [[1.0], [3.0]], causal="bottom_right")
    assert output[:, 0].tolist() == [0, 0, 0, 1, 2]


def test_a_row_that_sees_nothing_is_zero_and_the_others_are_unchanged():
    q, k, v = drawn(1, (3, 4), (5, 4), (5, 2))
    mask = np.ones((3, 5), dtype=bool)
    mask[1] = False
    output = attention(q, k, v, mask=mask)
    right = attention(q, k, v)
    assert output[1].tolist() == [0.0, 0.0]
    assert output[[0, 2]].tolist() == right[[0, 2]].tolist()


def test_a_bias_of_minus_infinity_hides_and_a_finite_fill_does_not():
    q, k, v = np.ones((1, 1)), LEVEL, VALUES
    assert attention(q, k, v, bias=np.full((1, 4), -np.inf)).tolist() == [[0.0]]
    assert attention(q, k, v, bias=np.full((1, 4), np.finfo(float).min)).tolist() == [[1.5]]


def test_mask_and_causal_hold_together_on_every_path():
    mask = np.array([True, False, True, True])
    expected = [0.0, 0.0, 1.0, 5 / 3]
    q = np.ones((4, 1))
    assert attention(q, LEVEL, VALUES, mask=mask, causal="top_left")[:, 0].tolist() == pytest.approx(expected)
    tensors = [torch.tensor(a) for a in (q, LEVEL, VALUES)]
    for backend in kernels.BACKENDS:
        for shape in ((4, 1), (1, 1, 4, 1)):
            output, _ = kernels.run(
                backend, *(t.reshape(shape) for t in tensors), mask=torch.tensor(mask), causal="top_left"
            )
            assert output.flatten().tolist() == pytest.approx(expected, abs=1e-12)


def test_sixteen_bit_scores_do_not_overflow():
    """q = k = 200 over 64 columns is 2,560,000, beyond float16: the value of the positive key comes out."""
    q = np.full((1, 64), 200, dtype=np.float16)
    k = np.stack([q[0], -q[0]])
    v = np.array([[1], [2]], dtype=np.float16)
    output = attention(q, k, v)
    assert output.dtype == np.float16
    assert output.tolist() == [[1.0]]
    assert attention(*(torch.tensor(a) for a in (q, k, v))).tolist() == [[1.0]]


def test_grouped_heads_are_repeated_side_by_side():
    v = np.stack([np.full((3, 1), 1.0), np.full((3, 1), 2.0)])
    output = attention(np.ones((4, 2, 1)), np.zeros((2, 3, 1)), v)
    assert output[:, 0, 0].tolist() == [1, 1, 2, 2]


def test_one_key_value_head_serves_all():
    q, k, v = drawn(2, (6, 2, 3), (1, 4, 3), (1, 4, 3))
    each = np.stack([attention(head, k[0], v[0]) for head in q])
    np.testing.assert_allclose(attention(q, k, v), each, rtol=0, atol=1e-15)


def test_values_may_have_another_width():
    q, k, v = drawn(3, (2, 3, 4), (2, 5, 4), (2, 5, 7))
    assert attention(q, k, v).shape == (2, 3, 7)


def test_batch_axes_are_broadcast():
    q, k, v = drawn(4, (2, 1, 3, 4, 5), (6, 3, 4, 5), (6, 3, 4, 5))
    assert attention(q, k, v).shape == (2, 6, 3, 4, 5)


def test_soft_cap_comes_before_the_mask():
    """A cap after the mask would turn −∞ into −c, and the poison at the hidden key would show."""
    v = [[1.0], [1e4]]
    hidden = attention([[1.0]], [[0.3], [0.9]], v, softcap=0.5, mask=np.array([[True, False]]))
    added = attention([[1.0]], [[0.3], [0.9]], v, softcap=0.5, bias=np.array([[0.0, -np.inf]]))
    assert hidden.tolist() == added.tolist() == [[1.0]]


def test_soft_cap_is_the_cap_times_tanh():
    output = attention([[1.0]], [[124.0], [-124.0]], [[1.0], [0.0]], softcap=30.0)
    gap = 2 * 30 * math.tanh(124 / 30)
    assert output[0, 0] == pytest.approx(1 / (1 + math.exp(-gap)), abs=1e-15)


def test_a_window_includes_both_ends():
    output = attention(np.ones((6, 1)), np.zeros((6, 1)), np.eye(6), window=(2, 0))
    assert (output[5] > 0).tolist() == [False, False, False, True, True, True]
    assert (output[0] > 0).tolist() == [True] + [False] * 5


def test_a_window_of_nought_sees_its_own_position_only():
    assert (
        attention(np.ones((3, 1)), np.zeros((3, 1)), np.eye(3), window=(0, 0)).tolist() == np.eye(3).tolist()
    )


def test_a_window_follows_the_causal_alignment():
    q, k, v = np.ones((2, 1)), np.zeros((4, 1)), np.eye(4)
    assert (attention(q, k, v, window=(1, 0)) > 0).astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]
    seen = attention(q, k, v, window=(1, None), causal="bottom_right") > 0
    assert seen.astype(int).tolist() == [[0, 1, 1, 0], [0, 0, 1, 1]]
    assert (attention(q, k, v, window=(None, 1)) > 0).astype(int).tolist() == [[1, 1, 0, 0], [1, 1, 1, 0]]


def test_a_bare_number_is_no_window_because_libraries_disagree_about_it():
    for number in (0, 3):
        with pytest.raises(MaskError, match=r"window: given"):
            attention(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), window=number)


def test_a_float_bias_is_cast_and_never_widens_the_output():
    q = torch.ones(1, 2, dtype=torch.bfloat16)
    k, v = torch.zeros(2, 2, dtype=torch.bfloat16), torch.tensor([[0.0], [4.0]], dtype=torch.bfloat16)
    output = attention(q, k, v, bias=torch.zeros(1, 2, dtype=torch.float32))
    assert output.dtype == torch.bfloat16
    assert output.tolist() == [[2.0]]
    single = [a.astype(np.float32) for a in drawn(5, (2, 3), (2, 3), (2, 3))]
    assert attention(*single, bias=np.zeros((2, 2))).dtype == np.float32


def test_no_keys_give_zeros_and_no_queries_nothing():
    for make in (np.ones, torch.ones):
        assert (
            attention(make((2, 3, 4)), make((2, 0, 4)), make((2, 0, 5))).tolist()
            == np.zeros((2, 3, 5)).tolist()
        )
        assert tuple(attention(make((2, 0, 4)), make((2, 3, 4)), make((2, 3, 5))).shape) == (2, 0, 5)


def test_a_sample_without_real_keys_gives_zeros_beside_one_with():
    mask = masks.padding([0, 2], keys=4)
    output = attention(
        np.ones((2, 1, 1, 1)), np.zeros((2, 1, 4, 1)), np.stack([VALUES, VALUES])[:, None], mask=mask
    )
    assert output[:, 0, 0, 0].tolist() == [0.0, 0.5]


def test_whole_numbers_are_read_as_float64():
    output = attention([[1, 0]], [[1, 0], [1, 0]], np.array([[2], [4]], dtype=np.int8))
    assert output.dtype == np.float64
    assert output.tolist() == [[3.0]]


def test_arguments_are_left_as_they_were():
    q, k, v = drawn(6, (3, 2), (3, 2), (3, 2))
    before = [a.copy() for a in (q, k, v)]
    attention(q, k, v, causal="top_left", softcap=1.0)
    assert all((a == b).all() for a, b in zip((q, k, v), before, strict=True))
