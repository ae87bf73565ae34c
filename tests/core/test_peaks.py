"""No speed beyond what a machine can do: the published peaks by the names that cards have, and the gate."""

import pytest

from attention_core import benchmark, peaks
from attention_core.benchmark import Configuration, Measurement, measure
from attention_core.kernels import timing
from attention_core.peaks import ceiling_of, implausible

NAMES = {
    "NVIDIA A100-SXM4-80GB": 312,
    "NVIDIA A100 80GB PCIe": 312,
    "NVIDIA H100 80GB HBM3": 989,
    "NVIDIA H100 PCIe": 756,
    "NVIDIA H200": 989,
    "NVIDIA B200": 2250,
    "NVIDIA H100 NVL": None,
    "NVIDIA H200 NVL": None,
    "NVIDIA GH200 480GB": None,
    "NVIDIA GB200": None,
    "NVIDIA H100 80GB HBM3 MIG 1g.10gb": None,
    "NVIDIA GeForce RTX 4090": None,
    "Tesla T4": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_its_published_peak_in_16_bits_only(name):
    for dtype in ("float16", "bfloat16"):
        ceiling = ceiling_of({"device": name}, dtype)
        assert (ceiling and ceiling.flops_a_second / 1e12) == NAMES[name]
        assert ceiling is None or ceiling.published
    assert ceiling_of({"device": name}, "float32") is None


def test_a_processor_has_a_bound_and_no_share_of_it():
    ceiling = ceiling_of({"device": "cpu", "cores": 2}, "float32")
    assert (ceiling.flops_a_second, ceiling.published) == (2 * 4096 * 7e9, False)
    assert ceiling_of({"device": "cpu", "cores": None}, "float32") is None
    assert ceiling_of({}, "float32") is None


def test_the_gate_is_the_peak_itself():
    ceiling = ceiling_of({"device": "NVIDIA H200"}, "bfloat16")
    assert implausible(989e12, ceiling) is None
    assert implausible(989.1e12, ceiling) == (
        "989.1 TFLOP/s is more than the dense peak of NVIDIA H200 in bfloat16, 989 TFLOP/s: "
        "time or count is wrong"
    )
    assert implausible(1e30, None) is None


def test_a_time_that_cannot_be_is_not_shown(monkeypatch):
    """As when nobody waits for the card: a call of half a nanosecond."""
    swift = timing.Times(median=5e-7, p25=4e-7, p75=6e-7, least=4e-7, n=50)
    monkeypatch.setattr(timing, "repeated", lambda call, device, *, budget: swift)
    found = measure(Configuration("flash", heads=4, length=512), budget=0.05)
    assert (found.outcome, found.implausible) == ("wrong", True)
    assert "TFLOP/s is more than what" in found.reason
    assert (found.cold_ms, found.median_ms, found.p25_ms, found.min_ms, found.n) == (None,) * 4 + (0,)
    assert (found.tflops, found.percent_of_peak) == (None, None)
    assert found.error <= found.allowed_error


def test_the_share_of_the_peak_is_told_where_it_is_published():
    def found(device, dtype="bfloat16"):
        return Measurement(
            outcome="measured", configuration={"dtype": dtype}, predicted_peak_bytes=1, flops=10**12,
            machine={"device": device, "cores": 2}, median_ms=2.0,
        )  # fmt: skip

    assert found("NVIDIA H200").as_dict()["percent_of_peak"] == pytest.approx(100 * 500 / 989)
    assert found("NVIDIA H200", "float32").percent_of_peak is None
    assert found("cpu").percent_of_peak is None


def test_no_peak_is_beyond_the_bound_of_its_kind():
    assert all(1e14 < peak < 1e16 for _, peak in peaks.DENSE_PEAKS)
    assert benchmark.OUTCOMES[1] == "wrong"
