"""The dispatcher: what ran is proved, unsupported falls back with its reason, wrong raises."""

import json
import os
import re

import pytest
import torch

from attention_core import attention, kernels
from attention_core.errors import MaskError, NumericalError, ShapeError, UnsupportedKernel
from attention_core.kernels import backends, calls, influence, naive, sdpa, verifying
from attention_core.kernels.spying import PROOFS

PROOF = {
    "naive": "aten::_softmax",
    "math": "aten::_safe_softmax",
    "flash": "aten::_scaled_dot_product_flash_attention_for_cpu",
    "flex": "attention_core::flex_unfused",
}
ON_A_CPU = tuple(PROOF)
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def tensors(*shapes, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]


@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_kernel_that_ran_is_proved(backend, dtype):
    q, k, v = tensors((2, 3, 5, 8), (2, 3, 5, 8), (2, 3, 5, 8), dtype=dtype)
    output, record = kernels.run(backend, q, k, v)
    assert (record.asked, record.ran, record.kernel) == (backend, backend, PROOF[backend])
    assert record.fell_back_because is None
    assert output.dtype == dtype
    assert json.loads(json.dumps(record.as_dict())) == {
        "asked": backend,
        "ran": backend,
        "kernel": PROOF[backend],
        "fell_back_because": None,
        "device": "cpu",
        "dtype": str(dtype).removeprefix("torch."),
        "shapes": {"q": [2, 3, 5, 8], "k": [2, 3, 5, 8], "v": [2, 3, 5, 8]},
        "mask_kind": "none",
        "torch_version": torch.__version__,
        "driver_version": record.driver_version,
        "cuda_version": torch.version.cuda,
        "cudnn_version": torch.backends.cudnn.version(),
    }


@pytest.mark.parametrize("backend", ON_A_CPU)
@pytest.mark.parametrize("causal", [None, "top_left", "bottom_right"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 4), (5, 4)),
        ((4, 3, 8), (2, 7, 8)),
        ((2, 6, 9, 4), (2, 3, 5, 4)),
        ((2, 1, 4, 3, 4), (2, 1, 2, 6, 4)),
    ],
)
def test_every_backend_gives_attention(backend, causal, masked, shapes):
    q, k, v = tensors(shapes[0], shapes[1], shapes[1])
    mask = None
    if masked:
        generator = torch.Generator().manual_seed(4)
        mask = torch.rand((*shapes[0][:-1], shapes[1][-2]), generator=generator) < 0.6
        mask[..., 0, :] = False
    output, record = kernels.run(backend, q, k, v, mask=mask, causal=causal, scale=0.8)
    expected = attention(*(t.double() for t in (q, k, v)), mask=mask, causal=causal, scale=0.8)
    assert record.ran == backend
    torch.testing.assert_close(output.double(), expected, rtol=0, atol=3e-6)
    if masked:
        assert (output[..., 0, :] == 0).all()


def test_the_mask_is_described():
    q, k, v = tensors((3, 4), (3, 4), (3, 4))
    mask = torch.ones(3, 3, dtype=torch.bool)
    kinds = [
        kernels.run("math", q, k, v, **options)[1].mask_kind
        for options in ({"causal": "top_left"}, {"mask": mask}, {"mask": mask, "causal": "bottom_right"})
    ]
    assert kinds == ["causal top_left", "boolean", "boolean + causal bottom_right"]


def test_three_axes_do_not_lose_the_fused_kernel():
    """PyTorch sends three axes to its unfused path without a word; here they are given a fourth."""
    output, record = kernels.run("flash", *tensors((3, 5, 8), (3, 5, 8), (3, 5, 8)))
    assert record.ran == "flash"
    assert output.shape == (3, 5, 8)


def test_inference_mode_does_not_blind_the_spy():
    outside = tensors((1, 2, 5, 8), (1, 2, 5, 8), (1, 2, 5, 8))
    with torch.inference_mode():
        inside = tensors((1, 2, 5, 8), (1, 2, 5, 8), (1, 2, 5, 8))
        for backend in ON_A_CPU:
            assert kernels.run(backend, *outside)[1].ran == backend
            assert kernels.run(backend, *inside)[1].ran == backend


def test_what_flash_cannot_take_falls_back_with_the_reason():
    q, k, v = tensors((2, 5, 8), (2, 5, 8), (2, 5, 9))
    output, record = kernels.run("flash", q, k, v)
    assert (record.asked, record.ran) == ("flash", "math")
    assert record.fell_back_because == "flash: values of width 9 with keys of width 8"
    torch.testing.assert_close(output, attention(q, k, v), rtol=0, atol=1e-5)


def test_a_pinned_backend_that_pytorch_refuses_is_unsupported():
    call = calls.read_call(*tensors((2, 5, 8), (2, 5, 8), (2, 5, 9)))
    with pytest.raises(UnsupportedKernel, match=r"^No available kernel\. .*same last dimension"):
        sdpa._pinned(call, torch.nn.attention.SDPBackend.FLASH_ATTENTION)


def test_a_silent_fall_back_is_recorded(monkeypatch):
    monkeypatch.setitem(backends.KERNELS, "flash", sdpa.math_path)
    _, record = kernels.run("flash", *tensors((2, 5, 8), (2, 5, 8), (2, 5, 8)))
    assert (record.asked, record.ran) == ("flash", "math")
    assert record.fell_back_because == "flash: dispatched aten::_safe_softmax"


def test_nothing_left_to_fall_back_on_is_unsupported(monkeypatch):
    def refuse(call):
        raise UnsupportedKernel("not today")

    for backend in ("flash", "math", "naive"):
        monkeypatch.setitem(backends.KERNELS, backend, refuse)
    with pytest.raises(UnsupportedKernel, match=r"^flash: not today; math: not today; naive: not today$"):
        kernels.run("flash", *tensors((2, 5, 8), (2, 5, 8), (2, 5, 8)))


REASONS = {
    "efficient": r"^efficient: No viable backend for scaled_dot_product_attention was found",
    "cudnn": r"^cudnn: No viable backend for scaled_dot_product_attention was found",
    "triton_flash": r"^triton_flash: no CUDA tensors, and Triton's interpreter is off",
}


def test_the_names_and_their_order():
    assert kernels.BACKENDS == ("naive", "math", "flash", "efficient", "cudnn", "flex", "triton_flash")
    assert set(ON_A_CPU) | set(REASONS) == set(kernels.BACKENDS)
    assert set(PROOFS.values()) == set(kernels.BACKENDS)


@pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") == "1", reason="the interpreter is on")
@pytest.mark.parametrize("backend", REASONS)
def test_what_needs_a_gpu_falls_back_to_the_fused_kernel(backend):
    q, k, v = tensors((2, 6, 8), (2, 9, 8), (2, 9, 8))
    output, record = kernels.run(backend, q, k, v, causal="bottom_right")
    assert (record.asked, record.ran, record.kernel) == (backend, "flash", PROOF["flash"])
    assert re.match(REASONS[backend], record.fell_back_because)
    torch.testing.assert_close(output, attention(q, k, v, causal="bottom_right"), rtol=0, atol=1e-5)


WRONG = {
    "one per cent too large": lambda call: sdpa.flash(call) * 1.01,
    "not a number": lambda call: sdpa.flash(call) * torch.nan,
    "ignores the mask": lambda call: sdpa.flash(calls.read_call(call.q, call.k, call.v)),
    "one row": lambda call: sdpa.flash(call).index_fill(-2, torch.tensor([0]), 0.5),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_raises_and_is_named(monkeypatch, name):
    monkeypatch.setitem(backends.KERNELS, "flash", WRONG[name])
    q, k, v = tensors((2, 100, 8), (2, 100, 8), (2, 100, 8))
    with pytest.raises(NumericalError, match=r"^flash: given an error of .* from the kernel flash"):
        kernels.run("flash", q, k, v, causal="top_left")


def leaking(call):
    """A hundred-millionth of the values' sum, hidden ones included: far below any tolerance."""
    return sdpa.flash(call) + 1e-8 * call.v.sum(dim=-2, keepdim=True)


HIDING = {
    "causal": {"causal": "top_left"},
    "padding": {"mask": torch.arange(100) < 80},
    "one row": {"mask": (torch.arange(100) < 80) | (torch.arange(100)[:, None] != 99)},
}


@pytest.mark.parametrize("how", HIDING)
def test_an_influence_of_hidden_keys_below_the_tolerance_is_wrong(monkeypatch, how):
    q, k, v = tensors((2, 100, 8), (2, 100, 8), (2, 100, 8))
    kernels.run("flash", q, k, v, **HIDING[how])
    monkeypatch.setitem(backends.KERNELS, "flash", leaking)
    with pytest.raises(NumericalError, match=r"^flash: given \d+ query rows that change with values hidden"):
        kernels.run("flash", q, k, v, **HIDING[how])
    assert kernels.run("flash", q, k, v)[1].ran == "flash"  # nothing hidden: the error rule alone judges


def test_influenced_rows_are_counted():
    call = calls.read_call(*tensors((2, 100, 8), (2, 100, 8), (2, 100, 8)), mask=torch.arange(100) < 80)
    assert influence.influenced_rows(call, sdpa.flash, sdpa.flash(call)) == 0
    assert influence.influenced_rows(call, leaking, leaking(call)) == 2 * 64
    grouped = calls.read_call(*tensors((4, 9, 8), (2, 9, 8), (2, 9, 8)), causal="top_left")
    assert influence.influenced_rows(grouped, sdpa.flash, sdpa.flash(grouped)) == 0
    # The middle row, 4, hides keys 5 to 8: the rows 0 to 4 of every head must not change.
    assert influence.influenced_rows(grouped, lambda c: c.v.sum() + c.q, grouped.v.sum() + grouped.q) == 4 * 5


def test_plain_float16_overflow_is_wrong_and_the_others_are_right():
    q = torch.full((1, 1, 1, 64), 200.0, dtype=torch.float16)
    k, v = torch.cat([q, -q], dim=-2), torch.tensor([[1.0], [2.0]], dtype=torch.float16).expand(1, 1, 2, 64)
    for backend in ("math", "flash"):
        output, _ = kernels.run(backend, q, k, v)
        assert (output == 1).all()
    with pytest.raises(NumericalError, match=r"^naive: given an error of nan"):
        kernels.run("naive", q, k, v)


@pytest.mark.parametrize("backend", ON_A_CPU)
def test_empty_products_run_no_kernel(backend):
    output, record = kernels.run(backend, *tensors((2, 3, 8), (2, 0, 8), (2, 0, 8)))
    assert output.tolist() == torch.zeros(2, 3, 8).tolist()
    assert (record.ran, record.fell_back_because) == ("none", None)
    output, _ = kernels.run(backend, *tensors((2, 0, 8), (2, 3, 8), (2, 3, 8)))
    assert output.shape == (2, 0, 8)


REFUSED = {
    "k and v of unlike length": ((torch.ones(2, 4), torch.ones(5, 4), torch.ones(6, 4)), {}, ShapeError, "v"),
    "an array": ((torch.ones(2, 4).numpy(), torch.ones(2, 4), torch.ones(2, 4)), {}, ShapeError, "q"),
    "unlike dtypes": (
        (torch.ones(2, 4), torch.ones(2, 4).double(), torch.ones(2, 4)),
        {},
        NumericalError,
        "k",
    ),
    "whole numbers": ((torch.ones(2, 4).int(),) * 3, {}, NumericalError, "q"),
    "NaN": ((torch.ones(2, 4), torch.ones(2, 4), torch.full((2, 4), torch.nan)), {}, NumericalError, "v"),
    "whole mask": ((torch.ones(2, 4),) * 3, {"mask": torch.ones(2, 2).int()}, MaskError, "mask"),
    "unknown causal": ((torch.ones(2, 4),) * 3, {"causal": "upper"}, MaskError, "causal"),
    "infinite scale": ((torch.ones(2, 4),) * 3, {"scale": float("inf")}, NumericalError, "scale"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_arguments_are_refused_before_any_kernel(case):
    given, options, error, argument = REFUSED[case]
    with pytest.raises(error) as refusal:
        kernels.run("flash", *given, **options)
    assert refusal.value.argument == argument


def test_an_unknown_backend_is_refused_by_name():
    with pytest.raises(ShapeError, match=rf"^backend: given 'tpu'; expected {' or '.join(kernels.BACKENDS)}"):
        kernels.run("tpu", *tensors((2, 4), (2, 4), (2, 4)))


@pytest.mark.parametrize("backend", ["flex", "triton_flash"])
def test_a_kernel_without_a_backward_pass_is_not_asked_for_gradients(backend):
    leaf = torch.ones(2, 3, 4, requires_grad=True)
    _, record = kernels.run(backend, leaf, leaf, leaf)
    assert record.ran != backend
    assert record.fell_back_because.startswith(f"{backend}: gradients: ")


@pytest.mark.parametrize("backend", ["naive", "math", "flash"])
def test_gradients_flow_and_are_finite_through_rows_that_see_nothing(backend):
    leaves = [t.double().requires_grad_() for t in tensors((2, 3, 4), (2, 3, 4), (2, 3, 4))]
    mask = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    kernels.run(backend, *leaves, mask=mask)[0].square().sum().backward()
    twins = [t.detach().clone().requires_grad_() for t in leaves]
    attention(*twins, mask=mask).square().sum().backward()
    for leaf, twin in zip(leaves, twins, strict=True):
        torch.testing.assert_close(leaf.grad, twin.grad, rtol=0, atol=1e-10)


def test_rows_are_first_last_and_drawn_without_repetition():
    rows = verifying.chosen_rows(1000, rows=64, seed=5).tolist()
    assert (len(rows), len(set(rows)), rows[0], rows[-1]) == (64, 64, 0, 999)
    assert rows == sorted(rows) == verifying.chosen_rows(1000, rows=64, seed=5).tolist()
    assert rows != verifying.chosen_rows(1000, rows=64, seed=6).tolist()
    assert verifying.chosen_rows(65, rows=64, seed=0).numel() == 64
    assert verifying.chosen_rows(64, rows=64, seed=0).tolist() == list(range(64))


def test_the_tolerance_follows_plain_low_precision():
    shapes = ((1, 2, 80, 16),) * 3
    allowed = {}
    for dtype in DTYPES:
        call = calls.read_call(*tensors(*shapes, dtype=dtype), causal="top_left")
        verdict = verifying.check(call, naive.naive(call))
        assert verdict.right
        assert (verdict.error <= verdict.allowed, verdict.rows) == (True, 64)
        allowed[dtype] = verdict.allowed
    assert allowed[torch.bfloat16] > allowed[torch.float16] > allowed[torch.float32] > allowed[torch.float64]
    assert allowed[torch.float64] < 1e-14
