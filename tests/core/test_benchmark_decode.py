"""Decoding, measured: right before it is timed, refused by name, and the cache as large as predicted."""

import json
from typing import Any

import pytest
import torch

from attention_core import attention, benchmark_decode
from attention_core.benchmark_decode import STEPS, Configuration, attend, kv_heads, measure
from attention_core.errors import ShapeError
from attention_core.kernels.calls import read_call
from attention_core.kernels.verifying import check
from tests.core import alone


@pytest.mark.parametrize(("heads", "groups"), [(4, 4), (4, 1), (6, 2)])
def test_a_step_is_the_last_row_of_attention(heads: int, groups: int) -> None:
    drawn = torch.Generator().manual_seed(3)
    q, k, v = (
        torch.randn(2, h, n, 8, generator=drawn, dtype=torch.float64)
        for h, n in ((heads, 1), (groups, 5), (groups, 5))
    )
    assert torch.allclose(attend(q, k, v), attention(q, k, v, causal="bottom_right"), atol=1e-14)


@pytest.mark.parametrize("sharing", benchmark_decode.SHARING)
def test_each_sharing_is_measured_right_and_as_large_as_predicted(sharing: str) -> None:
    """At this length small averages of large numbers once looked wrong in float32."""
    found = alone.found("benchmark_decode", {"sharing": sharing, "heads": 8, "length": 4096, "width": 64})
    assert found["outcome"] == "measured"
    assert found["kv_heads"] == {"mha": 8, "gqa": 2, "mqa": 1}[sharing]
    assert found["predicted_peak_bytes"] == 2 * found["kv_heads"] * 4096 * 64 * 4
    assert 0 <= found["error"] <= found["allowed_error"] < 1e-5
    assert found["rows_checked"] == STEPS
    assert found["n"] >= 3
    assert found["p25_ms"] <= found["median_ms"] <= found["p75_ms"]
    if found["peak_bytes"] is not None:
        assert abs(found["peak_bytes"] - found["predicted_peak_bytes"]) <= alone.MIB


@pytest.mark.parametrize("sharing", benchmark_decode.SHARING)
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize(("heads", "length", "width"), [(4, 16, 8), (1, 16, 4), (8, 256, 32)])
def test_no_right_step_is_called_wrong(sharing: str, dtype: str, heads: int, length: int, width: int) -> None:
    """Few rows over many keys are small averages of large numbers: their own size is no yardstick."""
    for seed in range(40):
        point = Configuration(sharing, heads=heads, length=length, width=width, dtype=dtype, seed=seed)
        q, k, v = benchmark_decode._drawn(point)
        ends = range(length - STEPS + 1, length + 1)
        rows = [attend(q[:, :, i : i + 1], k[:, :, :end], v[:, :, :end]) for i, end in enumerate(ends)]
        call = read_call(q, k, v, causal="bottom_right")
        verdict = check(call, torch.cat(rows, dim=2))
        assert verdict.error < 0.7 * verdict.allowed  # not by a hair
        late = [
            attend(q[:, :, i : i + 1], k[:, :, : end - 1], v[:, :, : end - 1]) for i, end in enumerate(ends)
        ]
        assert not check(call, torch.cat(late, dim=2)).right


def test_a_wrong_step_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_the_newest(q: Any, keys: Any, values: Any) -> Any:
        return attend(q, keys[:, :, :-1], values[:, :, :-1])

    monkeypatch.setattr(benchmark_decode, "attend", without_the_newest)
    found = measure(Configuration("mqa", heads=2, length=16, width=8), budget=0.02)
    assert (found["outcome"], found["reason"]) == ("wrong", "a decoded row is not that of the full pass")
    assert not any("ms" in name for name in found)


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"sharing": "mla"}, "sharing"), ({"length": STEPS - 1}, "length"), ({"heads": 0}, "heads"),
     ({"dtype": "float8"}, "dtype"), ({"device": "tpu"}, "device"), ({"width": 1.5}, "width")],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ShapeError, match=named):
        Configuration(**{"sharing": "mha", **changes})


def test_the_command_prints_one_line_and_refuses_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    asked = '{"sharing": "gqa", "heads": 4, "length": 16, "width": 8}'
    assert benchmark_decode.main(["--json", asked, "--budget", "0.01"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["outcome"] == "measured"
    assert benchmark_decode.main(["--json", '{"sharing": "none"}']) == 2
    assert "sharing" in capsys.readouterr().err


def test_heads_are_shared_by_four_or_all() -> None:
    assert [kv_heads(sharing, 2) for sharing in benchmark_decode.SHARING] == [2, 1, 1]
