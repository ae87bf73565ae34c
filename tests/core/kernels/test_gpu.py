"""The kernels on a GPU, where there is one: every dtype, both alignments, masks, what is recorded, memory."""

import shutil

import pytest
import torch

from attention_core import attention, benchmark, kernels
from attention_core.benchmark import Configuration
from attention_core.errors import UnsupportedKernel
from attention_core.kernels import memory, spying, triton_flash
from attention_core.kernels.calls import read_call

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="this machine has no usable CUDA device"
)

TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float32: 1e-5}
SHAPES = {
    "odd": (2, 4, 2, 113, 203, 64),
    "more queries than keys": (1, 2, 2, 64, 40, 32),
    "decode": (3, 6, 3, 1, 77, 80),
    "one key": (1, 1, 1, 77, 1, 16),
    "wide": (1, 2, 2, 130, 70, 256),
}


def drawn(shape, dtype):
    batch, heads, groups, queries, keys, width = shape
    generator = torch.Generator(device="cuda").manual_seed(0)
    sizes = ((heads, queries, width), (groups, keys, width), (groups, keys, width))
    q, k, v = (torch.randn((batch, *s), generator=generator, device="cuda").to(dtype) for s in sizes)
    mask = torch.rand((batch, 1, queries, keys), generator=generator, device="cuda") < 0.5
    mask[:, :, queries // 2] = False
    return q, k, v, mask


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [None, "top_left", "bottom_right"])
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_the_triton_kernel_is_right_on_the_card(dtype, causal, shape):
    q, k, v, mask = drawn(SHAPES[shape], dtype)
    for given in (None, mask):
        output, ran = kernels.run("triton_flash", q, k, v, mask=given, causal=causal)
        assert (ran.ran, ran.fell_back_because) == ("triton_flash", None)
        expected = attention(q.double(), k.double(), v.double(), mask=given, causal=causal)
        torch.testing.assert_close(output.double(), expected, rtol=0, atol=TOLERANCES[dtype])
    assert (output[:, :, q.shape[-2] // 2] == 0).all()


@pytest.mark.parametrize("backend", ["flash", "efficient", "cudnn", "flex"])
def test_pinned_backends_run_what_they_say_or_say_why_not(backend):
    q, k, v, _ = drawn((1, 4, 4, 256, 256, 64), torch.bfloat16)
    output, ran = kernels.run(backend, q, k, v, causal="top_left")
    assert ran.ran == backend or ran.fell_back_because.startswith(f"{backend}: ")
    expected = attention(q.double(), k.double(), v.double(), causal="top_left")
    torch.testing.assert_close(output.double(), expected, rtol=0, atol=TOLERANCES[torch.bfloat16])


def test_the_record_names_the_card_and_its_driver():
    q, k, v, _ = drawn(SHAPES["odd"], torch.bfloat16)
    _, ran = kernels.run("triton_flash", q, k, v)
    assert ran.device == torch.cuda.get_device_name()
    assert ran.driver_version
    assert "attend" in spying.launched(lambda: triton_flash.triton_flash(read_call(q, k, v)), q.device)


def test_memory_is_linear_in_the_length():
    peaks = []
    for length in (2048, 4096):
        q, k, v, _ = drawn((1, 8, 8, length, length, 64), torch.bfloat16)
        call = read_call(q, k, v, causal="top_left")
        triton_flash.triton_flash(call)
        peaks.append(memory.peak_of(lambda call=call: triton_flash.triton_flash(call), q.device))
    assert peaks[1] == pytest.approx(2 * peaks[0], rel=0.1)


def test_float64_stays_with_the_others():
    q, k, v, _ = drawn(SHAPES["odd"], torch.float64)
    with pytest.raises(UnsupportedKernel, match=r"^float64"):
        triton_flash.refuse(read_call(q, k, v))


@pytest.mark.parametrize("backend", ["naive", "math", "flash", "efficient", "cudnn"])
@pytest.mark.parametrize("causal", [False, True])
def test_gradients_on_the_card_are_right_and_their_peak_is_bounded(backend, causal):
    point = Configuration(
        backend, heads=8, length=1024, dtype="bfloat16", causal=causal, passes="training", device="cuda"
    )
    found = benchmark.measure(point, budget=0.05)
    assert found.outcome == "measured" or (backend == "cudnn" and found.outcome == "unsupported")
    if found.outcome == "measured":
        assert found.gradient_error <= found.allowed_gradient_error
        assert found.peak_bytes <= 2 * found.predicted_peak_bytes + 8 * 2**20  # what admission counts on
        assert found.launched


def test_a_measurement_says_which_card_and_in_what_state():
    found = benchmark.measure(Configuration("triton_flash", dtype="bfloat16", device="cuda"), budget=0.05)
    assert found.machine["uuid"].startswith(("GPU-", "MIG-"))
    assert found.tile
    assert "attend" in found.launched
    if shutil.which("nvidia-smi") and found.machine["uuid"].startswith("GPU-"):
        assert found.card_before["sm_mhz"] > 0
        assert found.card_after["temperature_c"] > 0
