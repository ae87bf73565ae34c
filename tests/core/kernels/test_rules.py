"""The dispatcher's rules as values: they refuse and stop as the dispatcher does when a kernel really runs."""

import itertools
import math
import subprocess
import sys

import pytest
import torch

from attention_core import kernels
from attention_core.errors import NumericalError
from attention_core.kernel_rules import (
    FALLBACKS,
    Outcome,
    Request,
    allowed_error,
    decide,
    first_that_can,
    refusal,
    refused_by_pytorch,
)
from attention_core.kernels import backends, naive, sdpa
from attention_core.kernels.calls import read_call

DTYPES = {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
}


def tensors(dtype, *, width=8, value_width=8, keys=5):
    generator = torch.Generator().manual_seed(0)
    sizes = ((1, 2, 5, width), (1, 2, keys, width), (1, 2, keys, value_width))
    return [torch.randn(size, generator=generator).to(DTYPES[dtype]) for size in sizes]


@pytest.mark.parametrize("backend", FALLBACKS)
def test_what_runs_on_this_machine_is_what_the_rules_foresee(backend, monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    masks = (
        {},
        {"causal": "top_left"},
        {"causal": "bottom_right"},
        {"mask": torch.ones(5, 7, dtype=torch.bool)},
    )
    for dtype, value_width, options in itertools.product(DTYPES, (8, 9), masks):
        q, k, v = tensors(dtype, value_width=value_width, keys=7)
        request = read_call(q, k, v, **options).request
        assert (request.device, request.dtype, request.value_width) == ("cpu", dtype, value_width)
        assert request.masked == (options not in ({}, {"causal": "top_left"}))
        _, record = kernels.run(backend, q, k, v, **options)
        assert record.ran == first_that_can(backend, request), (dtype, value_width, options)
        reasons = record.fell_back_because or ""
        assert (reasons == "") == (refusal(backend, request) is None)


def test_every_kernel_has_its_fallbacks():
    assert tuple(FALLBACKS) == kernels.BACKENDS
    assert all(set(chain) <= set(FALLBACKS) and backend not in chain for backend, chain in FALLBACKS.items())


def cuda(**facts):
    return Request(
        **{
            "device": "cuda",
            "dtype": "bfloat16",
            "width": 64,
            "value_width": 64,
            "capability": (9, 0),
            **facts,
        }
    )


@pytest.mark.parametrize(
    ("backend", "request_", "reason"),
    [
        ("flash", cuda(), None),
        ("flash", cuda(dtype="float32"), "float32: float16 and bfloat16 only"),
        ("flash", cuda(masked=True), "an explicit mask"),
        ("flash", cuda(width=320, value_width=320), "width 320: at most 256"),
        ("efficient", cuda(dtype="float32", masked=True), None),
        ("efficient", cuda(dtype="float64"), "float64: float16, bfloat16 and float32 only"),
        ("cudnn", cuda(dtype="float32"), "float32: float16 and bfloat16 only"),
        ("math", cuda(dtype="float64", masked=True), None),
        ("triton_flash", cuda(masked=True), None),
        ("triton_flash", cuda(capability=(7, 5)), "compute capability (7, 5): at least (8, 0)"),
        ("triton_flash", cuda(value_width=257), "width 257: at most 256"),
        ("triton_flash", cuda(gradients=True), "gradients: this kernel has no backward pass"),
    ],
)  # fmt: skip
def test_refusals_on_a_card(backend, request_, reason):
    assert refusal(backend, request_) == reason


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no usable CUDA device")
def test_pytorch_refuses_on_a_card_what_the_rules_say():
    pinned = {"flash": sdpa.flash, "efficient": sdpa.efficient, "math": sdpa.math_path}
    for dtype, masked, backend in itertools.product(DTYPES, (False, True), pinned):
        q, k, v = (x.cuda() for x in tensors(dtype, width=64, value_width=64))
        mask = torch.ones(5, 5, dtype=torch.bool, device="cuda") if masked else None
        _, record = kernels.run(backend, q, k, v, mask=mask)
        refused = refused_by_pytorch(backend, read_call(q, k, v, mask=mask).request) is not None
        assert (record.fell_back_because is not None) == refused, (dtype, masked, backend)


def broken(how):
    """The plain kernel with something done to its output."""

    def kernel(call):
        output = naive.naive(call)
        if how == "too far":
            return output + 0.5
        if how == "not a number":
            return output.clone().fill_(math.nan)
        if how == "moved by what is hidden":
            return output + 1e-9 * call.v.sum()
        return output

    return kernel


OUTCOMES = {
    "right": Outcome(error=1e-7, plain=1e-7, largest=1.0),
    "too far": Outcome(error=0.5, plain=1e-7, largest=1.0),
    "not a number": Outcome(error=math.nan, plain=1e-7, largest=1.0),
    "moved by what is hidden": Outcome(error=1e-7, plain=1e-7, largest=1.0, influenced=3),
}


@pytest.mark.parametrize("how", OUTCOMES)
@pytest.mark.parametrize("value_width", [8, 9])
def test_the_dispatcher_decides_as_the_rules_do(how, value_width, monkeypatch):
    """With a kernel that is wrong in each way, as asked and as what is fallen back on."""
    monkeypatch.setitem(backends.KERNELS, "math", broken(how))
    monkeypatch.setitem(backends.KERNELS, "naive", broken(how))
    asked = "naive" if value_width == 8 else "flash"
    q, k, v = tensors("float32", value_width=value_width)
    mask = torch.arange(5) < 3
    expected = decide(asked, read_call(q, k, v, mask=mask).request, OUTCOMES[how])
    if expected == "stop":
        with pytest.raises(NumericalError):
            kernels.run(asked, q, k, v, mask=mask)
        return
    _, record = kernels.run(asked, q, k, v, mask=mask)
    assert expected == ("run" if record.fell_back_because is None else "fall_back")


def test_another_kernel_than_the_asked_one_is_on_record():
    right = Outcome(error=0.0, plain=1e-4, largest=1.0, dispatched="math")
    assert decide("flash", cuda(), right) == "fall_back"
    assert decide("flash", cuda(), Outcome(error=0.0, plain=1e-4, largest=1.0, dispatched="flash")) == "run"


def test_an_infinite_plain_error_allows_only_roundings():
    for dtype, torch_dtype in DTYPES.items():
        eps = torch.finfo(torch_dtype).eps
        sums = torch.finfo(torch.float64 if dtype == "float64" else torch.float32).eps
        allowed = allowed_error(plain=math.inf, largest=2.0, dtype=dtype, summed=4.0)
        assert allowed == 2 * 2.0 * eps + 8 * 4.0 * sums
        assert allowed_error(plain=math.inf, largest=2.0, dtype=dtype) == 2 * 2.0 * eps + 8 * 2.0 * sums
        assert allowed_error(plain=math.nan, largest=0.0, dtype=dtype) == 0.0


def test_the_rules_are_known_without_torch():
    code = "import attention_core.kernel_rules, sys; print('torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
