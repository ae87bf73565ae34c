"""A kernel beside another: a right one passes every gate, a leak fails them, and only the first is timed."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core import benchmark_rollout
from attention_core.attention import attention
from attention_core.benchmark_rollout import Configuration, gates, measure
from attention_core.errors import ShapeError


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_right_kernel_passes_and_is_timed(dtype: str) -> None:
    found = measure(Configuration("flash", heads=2, length=96, width=16, dtype=dtype), budget=0.05)
    assert found["outcome"] == "measured", found
    assert gates(found) == {"error": True, "causality": True, "padding": True, "finite": True}
    assert found["n"] >= benchmark_rollout.LEAST
    for which in ("old", "new"):
        latencies = [found[f"{which}_p{percent}_ms"] for percent in (25, 50, 75, 90, 99)]
        assert latencies == sorted(latencies)
        assert found[f"{which}_error_p50"] <= found[f"{which}_error_p99"] <= found[f"{which}_error_max"]


@pytest.mark.parametrize("length", [16, 128])
def test_one_leak_fails_and_has_no_time(length: int) -> None:
    found = measure(Configuration("leaky", heads=2, length=length, width=16), budget=0.05)
    assert found["outcome"] == "wrong"
    assert "causality" in found["reason"]
    assert found["causality"] > found["allowed_error"]
    assert not any(name.endswith("_ms") for name in found)


def test_the_errors_are_those_against_float64() -> None:
    configuration = Configuration("naive", old="math", heads=2, length=32, width=8)
    call = benchmark_rollout._call(configuration)
    exact = attention(call.q.double(), call.k.double(), call.v.double(), causal="top_left")
    assert torch.allclose(benchmark_rollout._exact(call), exact, atol=1e-14)
    found = measure(configuration, budget=0.02)
    off = np.abs((benchmark_rollout._kernel("naive")(call).double() - exact).numpy())
    assert found["new_error_max"] == pytest.approx(off.max(), rel=1e-6)
    assert found["new_error_mean"] == pytest.approx(off.mean(), rel=1e-6)


@pytest.mark.parametrize("changes", [{"new": "fast"}, {"old": "flash"}, {"length": 2}, {"dtype": "int8"}])
def test_what_cannot_be_compared_is_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match=next(iter(changes))):
        Configuration(**{"new": "flash", **changes})
