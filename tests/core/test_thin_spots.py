"""Where public suites are thin: large logits, long rows, overflow, poison, short masks, nothing at all.

The operator suite's logits are small and its rows at most 18 long, so that a softmax without its maximum or a
mask padded with nought would pass it. These cases would not.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_core import attention, kernels, masks, softmax, tiling, trace
from attention_core.errors import MaskError, NumericalError, ShapeError
from attention_core.softmax import log_sum_exp, online
from tests.core.conformance.attending import attend
from tests.core.conformance.cases import Case
from tests.core.conformance.libraries import LIBRARIES
from tests.core.examples import drawn


@pytest.mark.parametrize("size", [1e2, 1e3, 1e4, 1e15])
@pytest.mark.parametrize("sign", [1, -1])
def test_large_logits_shift_nothing(size, sign):
    """All scores raised by the same amount give the same weights: exactly, for sums that are exact."""
    scores = np.array([[0.0, 1.0, 2.0, -3.0]])
    values = np.arange(4.0)[:, None]
    right = trace(scores, np.eye(4), values, scale=1.0)
    t = trace(scores + sign * size, np.eye(4), values, scale=1.0)
    assert t.weights == pytest.approx(right.weights, abs=1e-12)
    assert t.output == pytest.approx(right.output, abs=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_gap_wider_than_the_exponents_is_a_choice(dtype):
    """e^−2000 is nought in every dtype, and e^2000 infinite: the winner takes all, a tie is shared."""
    rows = np.array([[2000.0, -2000.0, 0.0], [-2000.0, -2000.0, -2000.0], [0.0, 2000.0, 2000.0]], dtype=dtype)
    expected = [[1, 0, 0], pytest.approx([1 / 3] * 3, rel=1e-3), [0, 0.5, 0.5]]
    assert softmax(rows).tolist() == expected
    assert softmax(torch.tensor(rows)).tolist() == expected
    assert [state.total.tolist() for state in online(rows.astype(np.float64), block=1)][-1] == [[1], [3], [2]]
    assert np.isfinite(log_sum_exp(rows)).all()


@pytest.mark.parametrize("causal", [None, "top_left", "bottom_right"])
@pytest.mark.parametrize("keys", [4095, 4096, 4097])
def test_long_rows_agree_with_exact_sums(keys, causal):
    """Several blocks of any kernel, and one key less or more; each weight is a fraction of an exact sum."""
    rng = np.random.default_rng(keys)
    q, k, v = (rng.standard_normal((length, 8)) for length in (3, keys, keys))
    output = attention(q, k, v, causal=causal)
    blockwise, _ = tiling.flash(q, k, v, causal=causal)
    for i in range(3):
        seen = {None: keys, "top_left": i + 1, "bottom_right": keys - 2 + i}[causal]
        scores = (k[:seen] @ q[i] / math.sqrt(8)).tolist()
        exponentials = [math.exp(s - max(scores)) for s in scores]
        total = math.fsum(exponentials)
        right = [
            math.fsum(e * x for e, x in zip(exponentials, column, strict=True)) / total
            for column in v[:seen].T
        ]
        assert output[i].tolist() == pytest.approx(right, abs=1e-13)
        assert blockwise[i].tolist() == pytest.approx(right, abs=1e-13)


def test_a_long_row_of_equal_scores_is_the_mean_to_the_last_digit():
    v = np.arange(8192.0)[:, None]
    mean = float(Fraction(8191, 2))
    assert attention(np.ones((1, 4)), np.zeros((8192, 4)), v).tolist() == [[mean]]
    narrow = attention(*(a.astype(np.float32) for a in (np.ones((1, 4)), np.zeros((8192, 4)), v)))
    assert narrow.item() == pytest.approx(mean, rel=1e-6)


def test_float16_sums_beyond_its_range_do_not_overflow():
    """Scores of 2,560,000 and a sum of values of 120,000, both beyond 65,504; the results are inside."""
    q = np.full((1, 64), 200.0, dtype=np.float16)
    k = np.stack([q[0], q[0]])
    v = np.array([[60000.0], [60000.0]], dtype=np.float16)
    for arrays in ((q, k, v), [torch.tensor(a) for a in (q, k, v)]):
        assert attention(*arrays).tolist() == [[60000.0]]


def test_what_the_working_dtype_cannot_hold_is_refused_and_not_returned():
    q = np.full((1, 2), 1e200)
    with np.errstate(over="ignore"), pytest.raises(NumericalError, match="q, k: given scores beyond float64"):
        attention(q, q, q)
    narrow = torch.full((1, 2), 1e30)
    with pytest.raises(NumericalError, match=r"q, k: given scores beyond torch\.float32"):
        attention(narrow, narrow, narrow)


@pytest.mark.parametrize("name", ["q", "k", "v", "bias"])
@pytest.mark.parametrize("poison", [math.nan, math.inf])
def test_poison_is_named_wherever_it_stands(name, poison):
    arrays = dict(zip(("q", "k", "v", "bias"), drawn(1, (3, 4), (5, 4), (5, 4), (3, 5)), strict=True))
    for place in np.ndindex(arrays[name].shape):
        changed = arrays[name].copy()
        changed[place] = poison
        with pytest.raises(NumericalError) as caught:
            attention(**(arrays | {name: changed}), mask=np.zeros((3, 5), dtype=bool))
        assert str(caught.value).startswith(f"{name}: given {poison} at {list(place)}")


@pytest.mark.parametrize("backend", ["attention", *kernels.BACKENDS])
def test_large_poison_behind_a_mask_moves_no_bit(backend):
    q, k, v = (torch.tensor(a) for a in drawn(2, (1, 2, 4, 8), (1, 2, 6, 8), (1, 2, 6, 8)))
    mask = torch.tensor([True, True, False, True, False, False])

    def run(keys, values):
        if backend == "attention":
            return attention(q, keys, values, mask=mask, causal="bottom_right")
        return kernels.run(backend, q, keys, values, mask=mask, causal="bottom_right")[0]

    poisoned_k, poisoned_v = k.clone(), v.clone()
    poisoned_k[..., ~mask, :], poisoned_v[..., ~mask, :] = 1e6, -1e12
    assert torch.equal(run(poisoned_k, poisoned_v), run(k, v))


def test_a_mask_shorter_than_the_keys_is_refused_and_never_padded_with_nought():
    q, k, v = drawn(3, (3, 4), (5, 4), (5, 4))
    with pytest.raises(ShapeError, match=r"mask: given shape \(3, 4\)"):
        attention(q, k, v, mask=np.ones((3, 4), dtype=bool))
    with pytest.raises(ShapeError, match=r"bias: given shape \(3, 4\)"):
        attention(q, k, v, bias=np.zeros((3, 4)))
    with pytest.raises(MaskError, match="lengths: given"):
        masks.padding([6], keys=5)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_a_short_mask_of_the_operator_hides_what_it_lacks(library):
    q, k, v = (a.astype(np.float32) for a in drawn(4, (1, 1, 3, 4), (1, 1, 5, 4), (1, 1, 5, 4)))
    right = attention(*(a.astype(np.float64) for a in (q, k[..., :3, :], v[..., :3, :])))
    for short in (np.ones((3, 3), dtype=bool), np.zeros((3, 3), dtype=np.float32)):
        case = Case("short", "Attention", {}, {"Q": q, "K": k, "V": v, "attn_mask": short}, {}, 1e-3, 1e-7)
        output = library.give(attend(case, library)["Y"], np.dtype(np.float64))
        np.testing.assert_allclose(output, right, rtol=0, atol=1e-6)


def by_loops(case, *, past, lengths, left, right, causal):
    """ONNX's rule pair by pair: key j is seen if p − left ≤ j ≤ p + right, j ≤ p, and j is no padding."""
    q, k, v = (case.inputs[name].astype(np.float64) for name in "QKV")
    if past:
        k = np.concatenate([case.inputs["past_key"], k], axis=2).astype(np.float64)
        v = np.concatenate([case.inputs["past_value"], v], axis=2).astype(np.float64)
    output = np.zeros((*q.shape[:3], v.shape[-1]))
    for b, h, i in np.ndindex(q.shape[:3]):
        p = i + past + (lengths[b] - q.shape[2] if lengths else 0)
        seen = [
            j for j in range(k.shape[2])
            if (left < 0 or j >= p - left) and (right < 0 or j <= p + right) and (not causal or j <= p)
            and (not lengths or j < lengths[b])
        ]  # fmt: skip
        weights = [math.exp(q[b, h, i] @ k[b, h, j] / math.sqrt(q.shape[3])) for j in seen]
        for weight, j in zip(weights, seen, strict=True):
            output[b, h, i] += weight / math.fsum(weights) * v[b, h, j]
    return output


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("span", [(-1, -1), (2, -1), (-1, 1), (0, 0), (1, 2)], ids=str)
@pytest.mark.parametrize(("past", "lengths"), [(0, None), (3, None), (1, None), (0, [2, 6]), (0, [0, 5])])
def test_offsets_windows_and_padding_together(library, causal, span, past, lengths):
    """The suite has two padding cases, four with a past offset and one with a right window: here are 50."""
    shapes = ((2, 1, 3, 4), (2, 1, 6, 4), (2, 1, 6, 5), (2, 1, past, 4), (2, 1, past, 5))
    arrays = [a.astype(np.float32) for a in drawn(5, *shapes)]
    inputs = dict(zip(("Q", "K", "V"), arrays, strict=False))
    inputs |= {"past_key": arrays[3], "past_value": arrays[4]} if past else {}
    inputs |= {"nonpad_kv_seqlen": np.array(lengths)} if lengths else {}
    attributes = {"is_causal": causal, "left_window_size": span[0], "right_window_size": span[1]}
    case = Case("drawn", "Attention", attributes, inputs, {}, 1e-3, 1e-7)
    output = library.give(attend(case, library)["Y"], np.dtype(np.float64))
    right = by_loops(case, past=past, lengths=lengths, left=span[0], right=span[1], causal=causal)
    np.testing.assert_allclose(output, right, rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    "options", [{}, {"causal": "bottom_right"}, {"softcap": 2.0}, {"window": (1, 1)}], ids=str
)
def test_no_keys_give_nought_and_no_queries_nothing_with_every_option(options):
    for make in (np.ones, torch.ones):
        t = trace(make((2, 3, 4)), make((1, 0, 4)), make((1, 0, 5)), **options)
        assert tuple(t.weights.shape) == (2, 3, 0)
        assert t.output.tolist() == np.zeros((2, 3, 5)).tolist()
        assert tuple(attention(make((2, 0, 4)), make((1, 3, 4)), make((1, 3, 5)), **options).shape) == (
            2,
            0,
            5,
        )
