"""attention against PyTorch's unfused float64 path, its gradients, and other array libraries."""

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_core import attention, faults, heads, masks, softmax, trace, trace_from_x
from attention_core.faults.probing import probe_of
from attention_core.softmax import log_softmax, log_sum_exp, online
from tests.core.examples import CONTRAST, arrays, drawn


@st.composite
def calls(draw):
    """Arrays, and the options that PyTorch's function can express too."""
    groups, repeats = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    batch = draw(st.sampled_from([(), (1,), (2,), (2, 3)]))
    queries, keys = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    width, value_width = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.1, 1.0, 30.0]))
    q = spread * rng.standard_normal((*batch, groups * repeats, queries, width))
    k = spread * rng.standard_normal((*batch, groups, keys, width))
    v = rng.standard_normal((*batch, groups, keys, value_width))
    options = {
        "scale": draw(st.sampled_from([None, 0.3, -1.0])),
        "causal": draw(st.sampled_from([None, *masks.ALIGNMENTS])),
    }
    some = (*batch, groups * repeats, queries, keys)[draw(st.integers(0, len(batch) + 1)) :]
    options["mask"] = rng.random(some) < 0.7 if draw(st.booleans()) else None
    options["bias"] = rng.standard_normal(some) if draw(st.booleans()) else None
    return q, k, v, options


def by_torch(q, k, v, *, mask, bias, causal, scale):
    queries, keys = q.shape[-2], k.shape[-2]
    allowed = torch.ones(queries, keys, dtype=torch.bool)
    if causal is not None:
        allowed = allowed.tril(diagonal=keys - queries if causal == "bottom_right" else 0)
    if mask is not None:
        allowed = allowed & torch.tensor(mask)
    added = torch.zeros(allowed.shape, dtype=torch.float64).masked_fill(~allowed, -torch.inf)
    if bias is not None:
        added = added + torch.tensor(bias)
    with sdpa_kernel([SDPBackend.MATH]):
        return scaled_dot_product_attention(
            *(torch.tensor(a) for a in (q, k, v)),
            attn_mask=added,
            scale=scale,
            enable_gqa=q.shape[-3] != k.shape[-3],
        ).numpy()


@settings(max_examples=200, deadline=None)
@given(calls())
def test_attention_agrees_with_pytorch(call):
    q, k, v, options = call
    expected = by_torch(q, k, v, **options)
    np.testing.assert_allclose(attention(q, k, v, **options), expected, rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(calls())
def test_tensors_give_what_arrays_give(call):
    q, k, v, options = call
    tensors = {
        name: torch.tensor(value) if isinstance(value, np.ndarray) else value
        for name, value in options.items()
    }
    output = attention(*(torch.tensor(a) for a in (q, k, v)), **tensors)
    assert isinstance(output, torch.Tensor)
    np.testing.assert_allclose(output.numpy(), attention(q, k, v, **options), rtol=0, atol=1e-12)


GRADIENT_OPTIONS = {
    "plain": {},
    "causal": {"causal": "top_left"},
    "rows that see nothing": {"causal": "bottom_right", "window": (1, 0)},
    "soft cap and scale": {"softcap": 1.5, "scale": 0.9},
    "mask": {
        "mask": torch.tensor([[True, False, True], [False] * 3, [True] * 3, [False, True, True], [True] * 3])
    },
}


@pytest.mark.parametrize("name", GRADIENT_OPTIONS)
def test_gradients_through_torch_are_right(name):
    generator = torch.Generator().manual_seed(3)
    shapes = ((4, 5, 2), (2, 3, 2), (2, 3, 3), (4, 5, 3))
    q, k, v, bias = (
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True) for shape in shapes
    )
    assert torch.autograd.gradcheck(
        lambda q, k, v, bias: attention(q, k, v, bias=bias, **GRADIENT_OPTIONS[name]), (q, k, v, bias)
    )


def test_gradients_are_finite_when_a_whole_sample_is_hidden():
    q, k, v = (torch.randn(2, 1, 3, 4, dtype=torch.float64, requires_grad=True) for _ in range(3))
    mask = torch.tensor([False, True]).reshape(2, 1, 1, 1)
    attention(q, k, v, mask=mask).sum().backward()
    for tensor in (q, k, v):
        assert tensor.grad.isfinite().all()
        assert (tensor.grad[0] == 0).all()
    assert (v.grad[1] != 0).any()


STRICT_OPTIONS = [
    {},
    {"causal": "bottom_right", "window": (2, 1)},
    {"softcap": 2.0, "scale": 0.5},
    {"mask": np.arange(12).reshape(3, 4) % 3 > 0, "bias": np.linspace(-1, 1, 12).reshape(3, 4)},
]


@pytest.mark.parametrize("options", STRICT_OPTIONS)
def test_any_array_library_gives_the_same(options):
    """array-api-strict has nothing beyond the standard, so that what runs on it runs on any library."""
    given_arrays = drawn(7, (2, 4, 3, 5), (2, 2, 4, 5), (2, 2, 4, 6))
    strict = {k: array_api_strict.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    output = trace(*(array_api_strict.asarray(a) for a in given_arrays), **strict)
    for name, expected in trace(*given_arrays, **options).items():
        assert type(output[name]).__module__.startswith("array_api_strict")
        np.testing.assert_allclose(np.asarray(output[name]), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", faults.FAULTS)
@pytest.mark.parametrize("make", [array_api_strict.asarray, torch.tensor])
def test_every_fault_runs_on_any_array_library(name, make):
    given_arrays = arrays(CONTRAST)
    if probe_of(name) == "square_values":  # as many columns as there are keys
        given_arrays["w_v"] = np.array([[1.0, -1.0, 0.0], [1.0, -1.0, 2.0], [-1.0, 0.0, 1.0]])
    steps = faults.steps_with(name)
    expected = trace_from_x(**given_arrays, causal="top_left", window=(5, None), steps=steps)
    other = {key: make(value) for key, value in given_arrays.items()}
    output = trace_from_x(**other, causal="top_left", window=(5, None), steps=steps).output
    np.testing.assert_allclose(np.asarray(output), expected.output, rtol=0, atol=1e-14)


@pytest.mark.parametrize("make", [array_api_strict.asarray, torch.tensor])
def test_the_small_functions_run_on_any_array_library(make):
    x, v = drawn(8, (2, 6), (6, 3))
    y = make(x)
    for function in (softmax, log_softmax, log_sum_exp):
        np.testing.assert_allclose(np.asarray(function(y)), function(x), rtol=0, atol=1e-15)
    *_, last = online(y, block=4, values=make(v))
    np.testing.assert_allclose(np.asarray(last.output), softmax(x) @ v, rtol=0, atol=1e-15)
    split = heads.split(y, heads=3)
    np.testing.assert_array_equal(np.asarray(split), heads.split(x, heads=3))
    np.testing.assert_array_equal(np.asarray(heads.merge(split)), x)
    keep = masks.causal(3, keys=5, alignment="bottom_right", like=y)
    np.testing.assert_array_equal(np.asarray(keep), np.tri(3, 5, 2, dtype=bool))
    for there, back in (
        (masks.to_sdpa, masks.from_sdpa),
        (masks.to_multihead, masks.from_multihead),
        (masks.to_additive, masks.from_additive),
    ):
        np.testing.assert_array_equal(np.asarray(back(there(keep))), np.asarray(keep))
    padding = make(masks.padding([2, 5], keys=5))
    np.testing.assert_array_equal(
        np.asarray(masks.from_hugging_face(masks.to_hugging_face(padding))), np.asarray(padding)
    )
