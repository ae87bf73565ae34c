"""positions, norms and feedforward on torch: values, dtypes and gradients against torch's own functions."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from attention_core import (
    feed_forward,
    gelu,
    layer_norm,
    relu,
    rms_norm,
    rope,
    silu,
    sinusoidal,
    softmax,
    swiglu,
)
from attention_core.feedforward import gate
from tests.core.examples import drawn

GENERATOR = torch.Generator().manual_seed(0)


def tensors(*shapes):
    return [torch.randn(shape, dtype=torch.float64, generator=GENERATOR).requires_grad_() for shape in shapes]


PAIRS = {
    "relu": (relu, functional.relu),
    "gelu": (gelu, functional.gelu),
    "gelu_tanh": (lambda x: gelu(x, approximate=True), lambda x: functional.gelu(x, approximate="tanh")),
    "silu": (silu, functional.silu),
    "layer_norm": (layer_norm, lambda x: functional.layer_norm(x, x.shape[-1:])),
    "rms_norm": (rms_norm, lambda x: functional.rms_norm(x, x.shape[-1:], eps=1e-6)),
    "softmax": (softmax, lambda x: torch.softmax(x, -1)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients_are_torchs(name):
    ours, theirs = PAIRS[name]
    (x,) = tensors((3, 7))
    weight = torch.randn(3, 7, dtype=torch.float64, generator=GENERATOR)
    torch.testing.assert_close(ours(x), theirs(x), rtol=1e-13, atol=1e-14)
    mine, right = (torch.autograd.grad((f(x) * weight).sum(), x)[0] for f in (ours, theirs))
    torch.testing.assert_close(mine, right, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu"])
def test_gradients_at_nought_are_torchs(name):
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    mine, right = (torch.autograd.grad(f(x).sum(), x)[0] for f in PAIRS[name])
    assert mine.tolist() == right.tolist()


CALLS = {
    "layer_norm": (layer_norm, ((2, 5), (5,), (5,))),
    "rms_norm": (rms_norm, ((2, 5), (5,))),
    "swiglu": (swiglu, ((2, 3), (3, 4), (3, 4), (4, 3))),
    "gate": (lambda a, b: gate(a, b, beta=0.5), ((2, 3), (2, 3))),
    "feed_forward": (lambda x, w1, w2: feed_forward(x, w1, w2, activation=gelu), ((2, 3), (3, 4), (4, 3))),
    "rope": (lambda x: rope(x, [0, 3, 9]), ((3, 4),)),
    "rope_interleaved": (lambda x: rope(x, [0, 3, 9], interleaved=True, rotary_dim=4), ((3, 6),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_are_the_slopes(name):
    call, shapes = CALLS[name]
    assert torch.autograd.gradcheck(call, tensors(*shapes))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_low_precision_is_kept_and_computed_wider(dtype):
    tolerance = 2 * torch.finfo(dtype).eps
    calls = {**{name: pair[0] for name, pair in PAIRS.items()}, "rope": lambda x: rope(x, range(5))}
    for name, call in calls.items():
        x = torch.randn(5, 8, generator=GENERATOR).to(dtype)
        result, right = call(x), call(x.double())
        assert result.dtype == dtype, name
        torch.testing.assert_close(result.double(), right, rtol=tolerance, atol=tolerance)


def test_positions_of_torch_plain_numbers_and_arrays_are_the_same():
    (x,) = drawn(1, (2, 3, 4, 8))
    right = rope(x, range(4))
    for places in (
        range(4),
        [0, 1, 2, 3],
        np.arange(4),
        torch.arange(4),
        torch.arange(4, dtype=torch.float32),
    ):
        np.testing.assert_allclose(rope(torch.tensor(x), places).numpy(), right, rtol=0, atol=1e-15)
    waves = sinusoidal(torch.arange(6), 5)
    assert waves.dtype == torch.float64
    np.testing.assert_allclose(waves.numpy(), sinusoidal(range(6), 5), rtol=0, atol=1e-15)
    assert sinusoidal(torch.arange(6, dtype=torch.float32), 5).dtype == torch.float32


def test_layer_norm_takes_weights_of_another_precision():
    x, weight = torch.randn(2, 4).to(torch.bfloat16), torch.ones(4, dtype=torch.float32)
    assert layer_norm(x, weight).dtype == torch.bfloat16
