"""Padding, counted by brute force and measured: no time unless each row is that of the sequence alone."""

import json
import statistics
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_core import benchmark_padding, costs
from attention_core.benchmark_padding import (
    CHECKED_ROWS,
    ORDERS,
    Configuration,
    batched,
    drawn_lengths,
    grouped,
    measure,
)
from attention_core.errors import ShapeError
from attention_core.kernels import backends
from attention_core.kernels.sdpa import flash, math_path
from tests.core import alone

SMALL = {"longest": 24, "count": 7, "batch": 3, "heads": 2, "width": 8}
lengths_of = st.lists(st.integers(1, 12), min_size=1, max_size=9)


@given(lengths_of, st.integers(1, 5))
def test_counts_are_those_of_arrays_really_padded(lengths: list[int], batch: int) -> None:
    tokens, pairs, largest = 0, 0, 0
    for first in range(0, len(lengths), batch):
        group = lengths[first : first + batch]
        places = np.arange(max(group)) < np.array(group)[:, None]
        tokens += places.size
        pairs += (places[:, :, None] & places[:, None, :]).size
        largest = max(largest, places.size)
    assert costs.padded_tokens(lengths, batch=batch) == tokens
    assert costs.padded_pairs(lengths, batch=batch) == pairs
    assert costs.largest_batch_tokens(lengths, batch=batch) == largest
    useful = costs.padded_tokens(lengths, batch=1)
    assert useful == sum(lengths)
    assert costs.padding_share(useful=useful, computed=tokens) == pytest.approx(1 - sum(lengths) / tokens)


@given(st.permutations([1, 1, 2, 3, 5, 8, 13, 21]), st.integers(1, 8))
def test_no_order_wastes_less_than_the_sorted_one(lengths: list[int], batch: int) -> None:
    for count in (costs.padded_tokens, costs.padded_pairs):
        assert count(sorted(lengths), batch=batch) <= count(lengths, batch=batch)


def test_a_share_of_more_than_everything_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"^useful: given 3"):
        costs.padding_share(useful=3, computed=2)
    assert costs.padding_share(useful=0, computed=0) == 0
    with pytest.raises(ShapeError, match=r"^batch: given 0"):
        costs.padded_tokens([1], batch=0)


def test_lengths_have_the_distribution_that_their_name_says() -> None:
    uniform = drawn_lengths("uniform", count=20_000, longest=1000, seed=1)
    assert (min(uniform), max(uniform)) == (1, 1000)
    assert statistics.mean(uniform) == pytest.approx(500.5, abs=8)
    assert statistics.pstdev(uniform) == pytest.approx(1000 / 12**0.5, rel=0.02)
    tailed = drawn_lengths("long_tailed", count=20_000, longest=8000, seed=1)
    assert statistics.median(tailed) == pytest.approx(1000, rel=0.03)
    inside = [np.log(length) for length in tailed if length < 8000]
    assert sum(length == 8000 for length in tailed) / len(tailed) == pytest.approx(0.0188, abs=0.004)
    assert statistics.quantiles(inside, n=4)[0] == pytest.approx(np.log(1000) - 0.6745, abs=0.05)


def test_every_order_has_the_same_sequences() -> None:
    padded, by_length, unpadded = (Configuration(order, **SMALL) for order in ORDERS)
    assert padded.lengths == unpadded.lengths
    assert by_length.lengths == tuple(sorted(padded.lengths)) != padded.lengths
    assert [c.counts["useful_pairs"] for c in (padded, by_length)] == [unpadded.counts["computed_pairs"]] * 2
    assert unpadded.counts["wasted_tokens"] == unpadded.counts["wasted_pairs"] == 0
    assert padded.flops == 4 * 2 * 8 * sum(length**2 for length in padded.lengths)


@pytest.mark.parametrize("order", ORDERS)
def test_each_real_row_is_that_of_the_sequence_alone(order: str) -> None:
    """Against PyTorch's unfused path in float64, whatever stands in the padding."""
    configuration = Configuration(order, **SMALL)
    stored = benchmark_padding._drawn(configuration)
    for numbers in grouped(configuration):
        for fill in (0.0, 1e4):
            output = flash(batched(stored, numbers, fill=fill))
            for row, number in enumerate(numbers):
                q, k, v = (x.double() for x in stored.alone(number))
                with sdpa_kernel([SDPBackend.MATH]):
                    alone = scaled_dot_product_attention(q, k, v)
                assert torch.allclose(output[row, :, : q.shape[2]].double(), alone[0], atol=2e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_each_order_is_measured_right_and_as_large_as_predicted(order: str) -> None:
    asked = {"order": order, "longest": 256, "count": 16, "batch": 8, "heads": 8, "width": 64}
    configuration = Configuration(**asked)
    found = alone.found("benchmark_padding", asked)
    assert found["outcome"] == "measured"
    assert 0 <= found["error"] <= found["allowed_error"] < 1e-5
    assert found["rows_checked"] == sum(min(CHECKED_ROWS, length) for length in configuration.lengths)
    assert found["moved_by_padding"] == 0
    assert found["n"] >= 3
    assert found["p25_ms"] <= found["median_ms"] <= found["p75_ms"]
    assert found["tokens_a_second"] == pytest.approx(sum(configuration.lengths) / found["median_ms"] * 1e3)
    most = max(len(n) * max(configuration.lengths[i] for i in n) for n in grouped(configuration))
    copies = 0 if order == "unpadded" else 3 * most * 8 * 64 * 4 + most
    assert found["predicted_peak_bytes"] == copies + most * 8 * (64 * 4 + 4)
    if found["peak_bytes"] is not None:
        assert abs(found["peak_bytes"] - found["predicted_peak_bytes"]) <= alone.MIB


def _unmasked(call: Any) -> Any:
    return flash(replace(call, allowed=None))


def _touched_by_padding(call: Any) -> Any:
    """Far below any tolerance."""
    return flash(call) + 1e-8 * call.v.abs().max()


@pytest.mark.parametrize(
    ("kernel", "outcome", "reason"),
    [
        (_unmasked, "wrong", "a sequence is not what it is when computed alone"),
        (_touched_by_padding, "wrong", "real rows change with what stands in the padding"),
        (math_path, "unsupported", "dispatched aten::_safe_softmax instead"),
    ],
)
def test_what_is_wrong_or_another_kernel_has_no_time(
    monkeypatch: pytest.MonkeyPatch, kernel: Any, outcome: str, reason: str
) -> None:
    monkeypatch.setitem(backends.KERNELS, "flash", kernel)
    found = measure(Configuration("padded", **SMALL), budget=0.02)
    assert (found["outcome"], found["reason"]) == (outcome, reason)
    assert not any("ms" in name or "second" in name for name in found)
    assert found["wasted_pairs"] > 0


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"order": "shuffled"}, "order"), ({"distribution": "normal"}, "distribution"),
     ({"longest": 0}, "longest"), ({"count": 0}, "count"), ({"batch": 1.5}, "batch"), ({"heads": 0}, "heads"),
     ({"width": True}, "width"), ({"dtype": "float8"}, "dtype"), ({"device": "tpu"}, "device"),
     ({"seed": -1}, "seed")],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ShapeError, match=named):
        Configuration(**{"order": "padded", **changes})


def test_the_command_prints_one_line_and_refuses_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    asked = json.dumps({"order": "sorted", **SMALL})
    assert benchmark_padding.main(["--json", asked, "--budget", "0.01"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["outcome"] == "measured"
    assert benchmark_padding.main(["--json", '{"order": "none"}']) == 2
    assert "order" in capsys.readouterr().err
