"""gradients: the closed form against torch autograd, along random directions, and in small cases by hand."""

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import attention, gradients, softmax
from attention_core.errors import ShapeError
from tests.core.examples import drawn

CALLS = {
    "plain": {},
    "scale": {"scale": 0.3},
    "causal": {"causal": "top_left"},
    "bottom_right": {"causal": "bottom_right"},
    "window": {"causal": "bottom_right", "window": (1, 0)},
    "softcap": {"softcap": 0.7},
    "all": {"causal": "bottom_right", "softcap": 0.7, "scale": 0.9},
}


def by_autograd(arrays, d_output, **options):
    leaves = [torch.tensor(x, requires_grad=True) for x in arrays]
    bias = options.pop("bias", None)
    bias = None if bias is None else torch.tensor(bias, requires_grad=True)
    mask = options.pop("mask", None)
    mask = None if mask is None else torch.tensor(mask)
    attention(*leaves, mask=mask, bias=bias, **options).backward(torch.tensor(d_output))
    return [leaf.grad.numpy() for leaf in leaves], None if bias is None else bias.grad.numpy()


def agree(arrays, d_output, **options):
    found = gradients.backward(*arrays, d_output, **options)
    expected, bias = by_autograd(arrays, d_output, **options)
    for name, grad in zip("qkv", expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), grad, rtol=0, atol=1e-12)
    if bias is None:
        assert found.bias is None
    else:
        np.testing.assert_allclose(found.bias, bias, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_closed_form_is_autograd(name):
    arrays = drawn(1, (2, 4, 5, 3), (2, 4, 7, 3), (2, 4, 7, 2))
    agree(arrays, drawn(2, (2, 4, 5, 2))[0], **CALLS[name])


@pytest.mark.parametrize("groups", [1, 2])
def test_shared_heads_collect_their_gradients(groups):
    arrays = drawn(3, (2, 4, 5, 3), (2, groups, 5, 3), (2, groups, 5, 2))
    agree(arrays, drawn(4, (2, 4, 5, 2))[0], causal="top_left")


def test_axes_that_were_spread_collect_theirs():
    arrays = drawn(5, (3, 2, 4, 3), (1, 2, 4, 3), (2, 4, 2))
    bias = drawn(6, (2, 1, 4))[0]
    agree(arrays, drawn(7, (3, 2, 4, 2))[0], bias=bias)
    agree(drawn(8, (4, 3), (4, 3), (4, 2)), drawn(9, (4, 2))[0], bias=drawn(10, (4, 4))[0])


def test_hidden_keys_and_unseeing_queries_get_no_gradient():
    arrays = drawn(11, (2, 4, 3), (2, 5, 3), (2, 5, 2))
    mask = np.ones((4, 5), dtype=bool)
    mask[:, 3] = False
    mask[1] = False
    d_output = drawn(12, (2, 4, 2))[0]
    agree(arrays, d_output, mask=mask)
    found = gradients.backward(*arrays, d_output, mask=mask)
    assert (found.k[:, 3] == 0).all()
    assert (found.v[:, 3] == 0).all()
    assert (found.q[:, 1] == 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(CALLS)))
def test_gradients_are_slopes_along_random_directions(seed, name):
    shapes = (2, 4, 3), (2, 5, 3), (2, 5, 2)
    arrays, directions = drawn(seed, *shapes), drawn(seed + 1, *shapes)
    d_output = drawn(seed + 2, (2, 4, 2))[0]

    def loss(step):
        moved = [x + step * d for x, d in zip(arrays, directions, strict=True)]
        return float((attention(*moved, **CALLS[name]) * d_output).sum())

    h = 1e-5
    slope = (loss(h) - loss(-h)) / (2 * h)
    found = gradients.backward(*arrays, d_output, **CALLS[name])
    along = sum((getattr(found, x) * d).sum() for x, d in zip("qkv", directions, strict=True))
    assert along == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_the_jacobian_of_softmax():
    p = softmax(np.array([2.0, -1.0, 0.5]))
    jacobian = gradients.softmax_jacobian(p)
    assert np.array_equal(jacobian, np.diag(p) - np.outer(p, p))
    x = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), x)
    np.testing.assert_allclose(jacobian, expected.numpy(), atol=1e-15)
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)
    d = np.array([1.0, 3.0, -2.0])
    np.testing.assert_allclose(gradients.softmax_backward(p, d), jacobian @ d, atol=1e-15)
    batch = softmax(drawn(13, (2, 3, 4))[0])
    assert gradients.softmax_jacobian(batch).shape == (2, 3, 4, 4)


def test_an_unscaled_row_saturates():
    """The chapter's row [24, 16, 8]: its Jacobian's norm is 0.00067, and 0.389 once divided by √64."""
    row = np.array([24.0, 16.0, 8.0])
    norms = [float(np.linalg.norm(gradients.softmax_jacobian(softmax(x)))) for x in (row, row / 8)]
    assert norms == pytest.approx([0.00067, 0.389], rel=6e-3)


def test_other_libraries_and_other_precisions():
    arrays, d_output = drawn(14, (2, 3, 4), (2, 3, 4), (2, 3, 4)), drawn(15, (2, 3, 4))[0]
    expected = gradients.backward(*arrays, d_output, causal="top_left")
    strict = gradients.backward(
        *(array_api_strict.asarray(x) for x in arrays), array_api_strict.asarray(d_output), causal="top_left"
    )
    single = gradients.backward(*(x.astype(np.float32) for x in arrays), d_output, causal="top_left")
    for name in "qkv":
        np.testing.assert_allclose(np.asarray(getattr(strict, name)), getattr(expected, name), atol=1e-14)
        assert getattr(single, name).dtype == np.float32
        np.testing.assert_allclose(getattr(single, name), getattr(expected, name), atol=1e-5)


def test_an_output_gradient_of_another_shape_is_refused():
    q, k, v = drawn(16, (3, 2), (4, 2), (4, 5))
    with pytest.raises(
        ShapeError, match=r"^d_output: given shape \(3, 2\); expected that of the output, \(3, 5\)"
    ):
        gradients.backward(q, k, v, q)
    with pytest.raises(ValueError, match=r"^d_output: given nan at \[0, 0\]"):
        gradients.backward(q, k, v, np.full((3, 5), np.nan))
