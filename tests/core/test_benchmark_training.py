"""A training call, measured: gradients right before fast, every mistake noticed, memory as foretold."""

import json
import sys
from dataclasses import replace

import pytest
import torch

from attention_core import attention, costs
from attention_core.benchmark import Configuration, _call, _upstream, measure
from attention_core.kernels import backends, backward, naive, sdpa
from attention_core.kernels.calls import read_call
from tests.core import alone

SMALL = Configuration(backend="flash", heads=2, length=96, width=16, passes="training")
ON_A_CPU = ("naive", "math", "flash")


@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_training_call_is_checked_and_measured(backend, causal, dtype):
    found = measure(replace(SMALL, backend=backend, causal=causal, dtype=dtype), budget=0.05)
    assert (found.outcome, found.reason, found.backend_ran) == ("measured", None, backend)
    assert 0 < found.error <= found.allowed_error
    assert 0 < found.gradient_error <= found.allowed_gradient_error
    assert found.gradient_of in ("q", "k", "v")
    pairs = 96 * 97 // 2 if causal else 96 * 96
    assert found.flops == 14 * 2 * 16 * pairs  # 2 products forward, 5 backward, 2 FLOPs each
    assert found.n >= 3
    assert found.caches == "warm"


@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_the_gradients_are_those_of_autograd_through_the_reference(backend, causal):
    drawn = torch.Generator().manual_seed(2)
    q, k, v, upstream = (torch.randn(2, 3, 7, 4, generator=drawn, dtype=torch.float64) for _ in range(4))
    found = backward.trained(read_call(q, k, v, causal=causal), backends.kernel_of(backend), upstream)
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    output = attention(*leaves, causal=causal)
    expected = (output.detach(), *torch.autograd.grad(output, leaves, upstream))
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(("heads", "length", "width"), [(2, 16, 32), (4, 1, 16), (2, 150, 32)])
def test_no_right_gradient_is_called_wrong(backend, dtype, heads, length, width):
    for seed in range(10):
        for causal in (False, True):
            point = Configuration(
                backend, heads=heads, length=length, width=width, dtype=dtype, causal=causal, seed=seed
            )
            checks = backward.check_gradients(
                _call(point), backends.kernel_of(backend), _upstream(point), seed=seed
            )
            assert list(checks) == ["q", "k", "v"]
            assert all(check.right and check.rows == min(length, 64) for check in checks.values())


class Spoilt(torch.autograd.Function):
    """Hands its input on, and spoils the gradient on its way back."""

    @staticmethod
    def forward(ctx, x, spoil):
        ctx.spoil = spoil
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.spoil(gradient), None


def spoiling(name, spoil):
    return lambda call: sdpa.flash(replace(call, **{name: Spoilt.apply(getattr(call, name), spoil)}))


def without_delta(call):
    """∂S = A ⊙ ∂A: the softmax's backward pass without its −δ."""
    scores = (call.q * call.scale) @ call.k.mT
    weights = torch.softmax(scores, dim=-1)
    return Spoilt.apply(weights.detach(), lambda g: g) @ call.v + (
        (weights.detach() * scores) @ call.v.detach()
        - ((weights.detach() * scores) @ call.v.detach()).detach()
    )


WRONG = {
    "the gradient of k is one per cent too large": (spoiling("k", lambda g: g * 1.01), "k"),
    "the gradient of v misses a key": (
        spoiling("v", lambda g: g.index_fill(-2, torch.tensor([3]), 0.0)),
        "v",
    ),
    "the gradient of q is not a number": (spoiling("q", lambda g: g * torch.nan), "q"),
    "the gradient of q is that of the row before": (spoiling("q", lambda g: g.roll(1, -2)), "q"),
    "one number of the gradient of k": (
        spoiling("k", lambda g: g.index_put((torch.tensor(0),) * 4, torch.tensor(1e-3), accumulate=True)),
        "k",
    ),
    "every row sends, asked or not": (spoiling("q", lambda g: g + 1e-12), "q"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_is_never_timed(monkeypatch, name):
    kernel, argument = WRONG[name]
    monkeypatch.setitem(backends.KERNELS, "flash", kernel)
    found = measure(SMALL, budget=0.05)
    assert (found.outcome, found.reason) == (
        "wrong", f"the error of the gradient of {argument} is more than allowed"
    )  # fmt: skip
    assert found.error <= found.allowed_error  # forward nothing is wrong
    assert (found.cold_ms, found.median_ms, found.n) == (None, None, 0)
    json.dumps(found.as_dict(), allow_nan=False)
    assert measure(replace(SMALL, passes="forward"), budget=0.05).outcome == "measured"


def test_a_softmax_without_its_delta_is_wrong():
    call, upstream = _call(SMALL), _upstream(SMALL)
    torch.testing.assert_close(without_delta(call), naive.naive(call))
    checks = backward.check_gradients(call, without_delta, upstream)
    assert [name for name, check in checks.items() if not check.right] == ["q", "k", "v"][:2]


def test_a_wrong_output_is_wrong_before_its_gradients(monkeypatch):
    monkeypatch.setitem(backends.KERNELS, "flash", lambda call: sdpa.flash(call) * 1.01)
    found = measure(SMALL, budget=0.05)
    assert (found.outcome, found.reason) == ("wrong", "the error is more than allowed")
    assert found.gradient_error is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
@pytest.mark.parametrize(
    ("backend", "reason"),
    [("triton_flash", "gradients: this kernel has no backward pass"),
     ("efficient", "no CUDA tensors. No viable backend"),
     ("cudnn", "no CUDA tensors. No viable backend")],
)  # fmt: skip
def test_what_has_no_backward_pass_here_says_so(backend, reason):
    found = measure(replace(SMALL, backend=backend), budget=0.05)
    assert found.outcome == "unsupported"
    assert found.reason.startswith(reason)
    assert (found.predicted_peak_bytes is None) == (backend == "triton_flash")


def test_upstream_is_drawn_apart_from_the_inputs():
    call, upstream = _call(SMALL), _upstream(SMALL)
    assert upstream.shape == call.q.shape
    assert not any(torch.equal(upstream, x) for x in (call.q, call.k, call.v))
    assert torch.equal(upstream, _upstream(SMALL))


MIB = 2**20
FACTOR = 1.2  # the law against the measured peak, beside what does not depend on the length
FIXED = {"naive": 4 * MIB, "math": 8 * MIB, "flash": 8 * MIB}


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory on the CPU is read from Linux")
@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("dtype", ["float32", pytest.param("bfloat16", marks=pytest.mark.prove)])
def test_the_peak_is_as_foretold(backend, dtype):
    """With matrices of 64 MiB, far above what does not depend on them."""
    heads = 256 * MIB // (2048**2 * costs.itemsize(dtype) * 4)
    point = {"backend": backend, "dtype": dtype, "length": 2048, "heads": heads, "width": 64}
    found = alone.found("benchmark", {**point, "passes": "training", "causal": True})
    foretold = costs.training_peak_bytes(batch=1, **point)
    assert (found["outcome"], found["predicted_peak_bytes"]) == ("measured", foretold)
    if found["peak_bytes"] is not None:
        assert foretold / FACTOR < found["peak_bytes"] < foretold * FACTOR + FIXED[backend]


CHECKING = """
from attention_core.benchmark import Configuration, _call, _upstream
from attention_core.kernels import backward, memory, sdpa

point = Configuration(backend="flash", heads=8, length=2048, width=64, passes="training")
call, upstream = _call(point), _upstream(point)
print(memory.peak_of(lambda: backward.check_gradients(call, sdpa.flash, upstream), call.q.device))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory on the CPU is read from Linux")
def test_admission_covers_the_check_of_the_gradients():
    shape = {"batch": 1, "heads": 8, "length": 2048, "width": 64, "dtype": "float32"}
    most = costs.predicted_training_bytes("flash", **shape) - 4 * 8 * 2048 * 64 * 4  # without the inputs
    done = alone.python("-c", CHECKING)
    assert done.returncode == 0, done.stderr
    if done.stdout != "None\n":
        assert most / 2 < int(done.stdout) <= most
