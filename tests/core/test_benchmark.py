"""benchmark: right before fast, every outcome a result, one JSON line from the command."""

import json
import sys
from dataclasses import replace

import pytest
import torch

from attention_core import benchmark
from attention_core.benchmark import Configuration, measure
from attention_core.errors import ShapeError, UnsupportedKernel
from attention_core.kernels import backends, memory, sdpa, timing
from tests.core import alone

SMALL = Configuration(backend="flash", heads=2, length=96, width=16)
CPU = torch.device("cpu")


@pytest.mark.parametrize("backend", ["naive", "math", "flash"])
@pytest.mark.parametrize("causal", [False, True])
def test_a_point_is_checked_and_measured(backend, causal):
    point = replace(SMALL, backend=backend, causal=causal)
    found = measure(point, budget=0.05)
    assert (found.outcome, found.reason, found.backend_ran) == ("measured", None, backend)
    assert 0 < found.error <= found.allowed_error
    assert found.rows_checked == 64
    assert timing.SLOW <= found.n <= timing.MOST
    assert 0 < found.min_ms <= found.p25_ms <= found.median_ms <= found.p75_ms
    assert found.cold_ms > 0
    pairs = 96 * 97 // 2 if causal else 96 * 96
    assert found.flops == 4 * 2 * 16 * pairs
    assert found.tflops == pytest.approx(found.flops / found.median_ms / 1e9)
    assert found.machine["torch"] == torch.__version__
    assert found.machine["threads"] == torch.get_num_threads()


def test_the_command_prints_one_line_and_its_memory_is_as_predicted():
    sizes = {"heads": 4, "length": 1024, "width": 32, "seed": 5}
    peaks = {}
    for backend in ("naive", "flash"):
        found = alone.found("benchmark", {"backend": backend, **sizes}, budget=0.1)
        assert (found["outcome"], found["backend_ran"]) == ("measured", backend)
        assert found["configuration"] == {
            "backend": backend, "batch": 1, "dtype": "float32", "causal": False, "passes": "forward",
            "device": "cpu", **sizes
        }  # fmt: skip
        peaks[backend] = found["peak_bytes"]
        predicted = found["predicted_peak_bytes"]
        if backend == "naive" and sys.platform == "linux" and found["peak_bytes"] is not None:
            assert predicted == 2 * 4 * 1024**2 * 4 + 4 * 1024 * 32 * 4
            assert abs(found["peak_bytes"] - predicted) < 0.2 * predicted
    if None not in peaks.values():
        assert peaks["flash"] < peaks["naive"] / 5


def test_the_command_refuses_a_bad_configuration_in_one_sentence():
    done = alone.run("benchmark", {"backend": "flash", "length": 0})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "length: given 0; expected a whole number from 1 to 16777216\n"


def test_a_wrong_result_is_never_timed(monkeypatch):
    monkeypatch.setitem(backends.KERNELS, "flash", lambda call: sdpa.flash(call) + 0.01)
    found = measure(SMALL, budget=0.05)
    assert found.outcome == "wrong"
    assert found.error > found.allowed_error
    assert (found.cold_ms, found.median_ms, found.min_ms, found.n) == (None, None, None, 0)
    assert found.tflops is None


def test_an_influence_of_hidden_keys_is_never_timed(monkeypatch):
    def leaking(call):
        return sdpa.flash(call) + 1e-8 * call.v.sum(dim=-2, keepdim=True)

    monkeypatch.setitem(backends.KERNELS, "flash", leaking)
    found = measure(replace(SMALL, causal=True), budget=0.05)
    assert found.outcome == "wrong"
    assert "query rows change with values hidden from them" in found.reason
    assert (found.cold_ms, found.median_ms, found.n) == (None, None, 0)
    assert measure(SMALL, budget=0.05).outcome == "measured"


def test_what_needs_a_gpu_is_unsupported_here():
    for backend in ("efficient", "cudnn", "triton_flash"):
        if not torch.cuda.is_available():
            assert measure(replace(SMALL, backend=backend), budget=0.05).outcome == "unsupported"


def test_a_result_that_is_not_a_number_is_wrong_and_valid_json(monkeypatch):
    monkeypatch.setitem(backends.KERNELS, "flash", lambda call: sdpa.flash(call) * torch.nan)
    found = measure(SMALL, budget=0.05)
    assert found.outcome == "wrong"
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["error"] is None


def test_running_out_of_memory_is_a_result():
    """A matrix of 2⁵⁰ bytes is beyond any address space, so that the allocation fails at once."""
    found = measure(Configuration(backend="naive", heads=1, length=2**24, width=1), budget=0.05)
    assert found.outcome == "out_of_memory"
    assert "allocate" in found.reason
    assert found.median_ms is None
    assert found.predicted_peak_bytes > 2**50


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "MemoryError"),
        (torch.OutOfMemoryError("CUDA out of memory. Tried\nmore"), "CUDA out of memory. Tried"),
        (RuntimeError("CUDA error: out of memory\nCompile with …"), "CUDA error: out of memory"),
        (RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when …"), "CUBLAS_STATUS_ALLOC_FAILED when …"),
    ],
)
def test_every_way_of_running_out_counts(monkeypatch, error, reason):
    def run_out(call):
        raise error

    monkeypatch.setitem(backends.KERNELS, "flash", run_out)
    found = measure(SMALL, budget=0.05)
    assert (found.outcome, found.reason) == ("out_of_memory", reason)


def test_other_failures_are_not_disguised(monkeypatch):
    def fail(call):
        raise RuntimeError("something else")

    monkeypatch.setitem(backends.KERNELS, "flash", fail)
    with pytest.raises(RuntimeError, match=r"^something else$"):
        measure(SMALL, budget=0.05)


def test_an_unsupported_backend_is_a_result_and_is_not_replaced(monkeypatch):
    def refuse(call):
        raise UnsupportedKernel("no such card")

    monkeypatch.setitem(backends.KERNELS, "flash", refuse)
    assert (measure(SMALL).outcome, measure(SMALL).reason) == ("unsupported", "no such card")
    monkeypatch.setitem(backends.KERNELS, "flash", sdpa.math_path)
    found = measure(SMALL)
    assert (found.outcome, found.backend_ran) == ("unsupported", "math")
    assert found.reason == "dispatched aten::_safe_softmax instead"
    assert found.median_ms is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_device_that_is_not_there_is_unsupported():
    found = measure(replace(SMALL, device="cuda"))
    assert (found.outcome, found.reason) == ("unsupported", "this machine has no usable CUDA device")


def test_the_seed_draws_the_inputs():
    first, again, other = (benchmark._call(replace(SMALL, seed=seed)) for seed in (1, 1, 2))
    assert torch.equal(first.q, again.q)
    assert not torch.equal(first.q, other.q)
    assert not torch.equal(first.q, first.k)


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"backend": "tpu"}, "backend"),
        ({"dtype": "int8"}, "dtype"),
        ({"length": -1}, "length"),
        ({"heads": 2.0}, "heads"),
        ({"seed": True}, "seed"),
        ({"causal": "yes"}, "causal"),
        ({"device": "mps"}, "device"),
        ({"device": "cuda:1"}, "device"),
        ({"passes": "backward"}, "passes"),
    ],
)
def test_a_bad_configuration_is_refused_by_name(changed, argument):
    with pytest.raises(ShapeError) as refusal:
        Configuration(**{"backend": "flash"} | changed)
    assert refusal.value.argument == argument


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"backend": "flash", "lenght": 3}'])
def test_json_that_is_no_configuration_is_refused(text):
    with pytest.raises(ShapeError, match=r"^json: given "):
        benchmark.read_configuration(text)


def test_a_budget_must_be_some_seconds(capsys):
    assert benchmark.main(["--json", '{"backend": "flash"}', "--budget", "0"]) == 2
    assert capsys.readouterr().err == "budget: given 0.0; expected seconds, more than 0 and at most 3600\n"


def test_quartiles_are_those_of_the_samples():
    times = timing._summary([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (times.least, times.p25, times.median, times.p75, times.n) == (1.0, 2.0, 3.0, 4.0, 5)


def test_a_slow_call_is_repeated_three_times_only():
    counted = []

    def slow():
        counted.append(1)
        timing.time.sleep(0.02)

    times = timing.repeated(slow, CPU, budget=0.01)
    assert times.n == timing.SLOW == 3
    assert len(counted) == 4
    assert times.least >= 20


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory on the CPU is read from Linux")
def test_peak_memory_sees_what_is_freed_again():
    def need():
        torch.ones(32 * alone.MIB)  # 128 MiB of float32, gone when the call returns

    peak = memory.peak_of(need, CPU)
    if peak is not None:  # None in a container that forbids the reset
        # Pages are counted in batches, and other work of this process comes on top.
        assert abs(peak - 128 * alone.MIB) < 8 * alone.MIB


def test_peak_memory_is_unknown_elsewhere(monkeypatch):
    monkeypatch.setattr(memory.sys, "platform", "darwin")
    assert memory.peak_of(lambda: None, CPU) is None
