"""The plain-language reading: every sentence follows from the rows, and none is said without them."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from quiz.lab.demos.attention_insight import insight
from quiz.lab.demos.comparing import verdict
from quiz.lab.results import Row
from tests.lab.planted import DEMO, MACHINE, measured, row

KIB, MIB = 2**10, 2**20


def pair(length: int, flash: float, naive: float, *, spread: float = 0.1) -> list[Row]:
    return [
        row("flash", length, measured(flash, spread=spread)),
        row("naive", length, measured(naive, spread=spread)),
    ]


def test_a_faster_flash_is_said_to_be_faster_by_its_ratio() -> None:
    found = insight([*pair(256, 2, 4), *pair(1024, 10, 31)])
    assert found.look == (
        "At n = 1024 flash takes 10 ms and naive 31 ms: flash is 3.1 times as fast.",
    )  # fmt: skip
    assert len(found.say) == 1
    assert "3.1 times as fast as naive at n = 1024" in found.say[0]


def test_a_slower_flash_is_said_to_be_slower_by_its_ratio() -> None:
    found = insight([*pair(256, 12, 4), *pair(1024, 25, 10)])
    assert found.look == (
        "At n = 1024 flash takes 25 ms and naive 10 ms: flash takes 2.5 times as long.",
    )  # fmt: skip
    assert found.say[0].startswith("FlashAttention is not always faster.")
    assert "2.5 times as long as naive" in found.say[0]


def test_overlapping_quartiles_tell_nothing() -> None:
    found = insight(pair(1024, 10, 11))
    assert "the quartiles overlap" in found.look[0]
    assert "I could not tell the time of flash from that of naive" in found.say[0]


@pytest.mark.parametrize(
    ("flash", "naive", "told"), [(10, 13, "faster"), (10, 12, "even"), (13, 10, "slower"), (10, 10, "even")]
)
def test_the_verdict_goes_by_the_quartiles(flash: float, naive: float, told: str) -> None:
    first, second = pair(128, flash, naive)
    assert verdict((first, second)) == told


def test_the_length_where_the_order_turns_is_named() -> None:
    rows = [*pair(128, 8, 2), *pair(256, 8, 4), *pair(512, 8, 8), *pair(1024, 8, 30)]
    assert "Up to n = 256 flash is slower than naive, from 1024 on it is faster." in insight(rows).look
    turned = [*pair(128, 2, 8), *pair(256, 9, 3)]
    assert "Up to n = 128 flash is faster than naive, from 256 on it is slower." in insight(turned).look
    wild = [*pair(128, 8, 2), *pair(256, 2, 8), *pair(512, 8, 2)]
    assert not any("Up to n" in sentence for sentence in insight(wild).look)


@pytest.mark.parametrize("verdicts", list(itertools.product(("slower", "even", "faster"), repeat=4)))
def test_what_is_said_of_every_length_up_to_or_from_one_on_holds_at_each(verdicts: tuple[str, ...]) -> None:
    """All orders of four lengths: no sentence claims a length at which the two were not told apart."""
    lengths, naive = (128, 256, 512, 1024), {"slower": 2, "even": 8, "faster": 30}
    rows = [one for n, said in zip(lengths, verdicts, strict=True) for one in pair(n, 8, naive[said])]
    found = [sentence for sentence in insight(rows).look if "Up to n" in sentence]
    clear = re.fullmatch(r"(S+)E*(F+)|(F+)E*(S+)", "".join(said[0].upper() for said in verdicts))
    assert len(found) == (clear is not None)
    for sentence in found:
        told = re.search(r"Up to n = (\d+) flash is (\w+) than naive, from (\d+) on it is (\w+)", sentence)
        assert told is not None
        for length, said in zip(lengths, verdicts, strict=True):
            if length <= int(told[1]):
                assert said == told[2]
            elif length >= int(told[3]):
                assert said == told[4]


def test_memory_is_compared_at_the_longest_common_length_with_its_growth() -> None:
    rows = [
        row("flash", 256, measured(1, peak=KIB * 512)),
        row("naive", 256, measured(1, peak=4 * MIB)),
        row("flash", 1024, measured(1, peak=2 * MIB)),
        row("naive", 1024, measured(1, peak=64 * MIB)),
        row("naive", 4096, measured(1, peak=1024 * MIB)),
    ]
    found = insight(rows)
    assert "Peak memory at n = 1024: naive 64 MiB, flash 2 MiB (32 times less)." in found.look
    assert (
        "Growth of the peak: naive × 256 from n = 256 to 4096 (about n^2.0); "
        "flash × 4 from n = 256 to 1024 (about n^1.0)." in found.look
    )
    assert found.say[-1].endswith("At n = 1024 that was 64 MiB against 2 MiB.")


def test_a_peak_below_its_own_output_is_not_believed() -> None:
    flash = measured(1, peak=100) | {"predicted_peak_bytes": MIB}
    found = insight([row("flash", 256, flash), row("naive", 256, measured(1, peak=4 * MIB))])
    assert not any("Peak memory" in sentence for sentence in found.look)


def test_what_found_no_room_is_named_at_its_first_length() -> None:
    rows = [
        row("flash", 4096, measured(5)),
        row("naive", 4096, {"outcome": "out_of_memory"}),
        row("naive", 8192, {"outcome": "refused"}),
    ]
    found = insight(rows)
    assert found.look == ("naive finds no room at n = 4096; flash still runs there.",)
    assert found.say == ()
    alone = insight(rows[1:])
    assert alone.look == ("naive finds no room at n = 4096.",)
    assert alone.limits == ()


def test_a_fallback_and_a_wrong_result_are_said() -> None:
    fallback = {"outcome": "unsupported", "backend_ran": "math", "kernel": "aten::_safe_softmax"}
    rows = [row("flash", 128, fallback), row("naive", 128, {"outcome": "wrong"})]
    assert insight(rows).look == (
        "flash at n = 128: another kernel ran (aten::_safe_softmax), so it has no time here.",
        "naive at n = 128: the result was wrong, so it has no time here.",
    )


def test_unsteady_figures_are_warned_of() -> None:
    steady = insight(pair(128, 10, 20, spread=0.3))
    wild = insight(pair(128, 10, 20, spread=0.4))
    assert not any("something else used" in sentence for sentence in steady.limits)
    assert wild.limits[0].startswith("At 2 of 2 points the quartiles are more than a factor of 2 apart")


def test_a_peak_that_is_far_from_the_law_is_told() -> None:
    """By more than a fifth, either way; a few MiB do not depend on the length and are no sign."""
    for peak, is_far in ((100, False), (119, False), (121, True), (81, False), (79, True)):
        point = {**measured(1, peak=peak * MIB), "predicted_peak_bytes": 100 * MIB}
        found = [text for text in insight([row("naive", 512, point)]).limits if "more than a fifth" in text]
        assert [f"at: naive 512 ({peak} MiB / 100 MiB)." in text for text in found] == [True] * is_far
    small = {**measured(1, peak=9 * MIB), "predicted_peak_bytes": 2 * MIB}
    assert not any("fifth" in text for text in insight([row("naive", 512, small)]).limits)


def test_a_cpu_is_said_to_be_one_and_a_card_is_not() -> None:
    assert any("Measured on a CPU" in sentence for sentence in insight(pair(128, 1, 2)).limits)
    card = {**MACHINE, "device": "NVIDIA H200"}
    rows = [row(b, 128, measured(1, machine=card)) for b in ("flash", "naive")]
    assert not any("CPU" in sentence for sentence in insight(rows).limits)


def test_nothing_measured_says_nothing() -> None:
    assert insight([]) == type(insight([]))()


def test_other_fused_kernels_are_one_sentence() -> None:
    rows = [
        *pair(1024, 10, 40),
        row("cudnn", 1024, measured(5)),
        row("triton_flash", 1024, measured(20)),
        row("efficient", 512, measured(3)),
    ]
    found = insight(rows)
    assert found.look == (
        "At n = 1024 flash takes 10 ms and naive 40 ms: flash is 4 times as fast.",
        (
            "The other fused kernels beside flash: cudnn 5 ms at n = 1024 (2 times as fast); "
            "triton_flash 20 ms at n = 1024 (2 times as long)."
        ),
    )
    rows.append(row("efficient", 1024, measured(10.5)))
    assert insight(rows).look[1].endswith("; efficient 10.5 ms at n = 1024 (not told apart).")


def test_where_flash_has_no_time_another_fused_kernel_is_spoken_of() -> None:
    """As in float32 on a GPU, which PyTorch's flash kernel refuses."""
    refused = {"outcome": "unsupported", "backend_ran": "flash", "reason": "float32: 16 bits only"}
    rows = [
        row("flash", 512, refused),
        row("naive", 512, measured(8, peak=64 * MIB)),
        row("efficient", 512, measured(2, peak=MIB)),
        row("triton_flash", 512, measured(4, peak=MIB)),
    ]
    found = insight(rows)
    assert found.look == (
        "At n = 512 triton_flash takes 4 ms and naive 8 ms: triton_flash is 2 times as fast.",
        "The other fused kernels beside triton_flash: efficient 2 ms at n = 512 (2 times as fast).",
        "Peak memory at n = 512: naive 64 MiB, triton_flash 1 MiB (64 times less).",
        "Not run with this choice on this machine: flash; the table says why.",
    )
    assert "I measured triton_flash 2 times as fast as naive" in found.say[0]


def test_ways_that_this_machine_does_not_have_are_named_once() -> None:
    absent = {"outcome": "unsupported", "reason": "no CUDA tensors"}
    rows = [*pair(128, 1, 2), *pair(256, 1, 2)]
    rows += [row(way, n, absent) for n in (128, 256) for way in ("efficient", "cudnn", "triton_flash")]
    assert insight(rows).look[-1] == (
        "Not run with this choice on this machine: efficient, cudnn, triton_flash; the table says why."
    )
    some = [*pair(128, 1, 2), row("cudnn", 64, measured(1)), row("cudnn", 128, absent)]
    assert not any("Not run" in sentence for sentence in insight(some).look)


def test_a_time_that_cannot_be_is_said_to_be_one() -> None:
    rows = [*pair(128, 1, 2), row("math", 128, {"outcome": "wrong", "implausible": True})]
    assert insight(rows).look[-1] == (
        "math at n = 128: faster than the machine can be, so its time is not shown."
    )


def training(rows: list[Row]) -> list[Row]:
    return [replace(one, configuration={**one.configuration, "passes": "training"}) for one in rows]


def test_a_training_run_speaks_of_the_backward_pass() -> None:
    rows = [
        row("flash", 512, measured(10, peak=4 * MIB)),
        row("naive", 512, measured(40, peak=48 * MIB)),
    ]
    forward, both = insight(rows), insight(training(rows))
    assert forward.look == both.look
    assert len(both.say) == len(forward.say) + 1
    assert both.say[1].startswith("For the backward pass FlashAttention keeps only the output")
    assert "keeps the n × n weights for the backward pass" in both.say[2]
    assert "stores scores and weights" in forward.say[1]
    assert both.limits[0].startswith("Attention alone, batch 1")
    assert forward.limits[0].startswith("Forward pass only")
    assert not any("Forward pass only" in sentence for sentence in both.limits)


def test_a_card_that_others_used_or_that_slowed_down_is_doubted() -> None:
    state = {"throttled": ["power cap"]}
    quiet = {"card_before": {"throttled": []}, "card_after": None, "other_processes": 0}
    card = {**MACHINE, "device": "NVIDIA H200"}
    rows = [
        row("flash", 128, measured(1, machine=card, **quiet)),
        row("naive", 128, measured(2, machine=card, **{**quiet, "card_after": state, "other_processes": 2})),
    ]
    assert insight(rows).limits[:2] == (
        "Other processes used the card at 1 of 2 points (up to 2): measure again when it is free.",
        "The card slowed itself down at 1 of 2 points (power cap): it can be faster.",
    )
    assert len(insight(rows[:1]).limits) == 1


def test_cells_tell_the_share_of_the_peak_the_gradients_and_what_was_launched() -> None:
    launched = (
        "void cutlass::device_kernel<flash::FwdSm90<128>>(Params); "
        "void at::native::vectorized_elementwise_kernel<4, at::native::Mul>(int)"
    )
    found = row(
        "triton_flash",
        512,
        measured(2, peak=2**20, process_bytes=600 * 2**20, flops=10**12, percent_of_peak=50.6,
                 gradient_error=2.5e-6, launched=launched, kernel="attention_core::triton_flash",
                 tile="BLOCK_T: 128"),
    )  # fmt: skip
    told = {str(column.title): column.cell(found) for column in DEMO.columns}
    assert told["speed"] == "500 TFLOP/s (51 %)"
    assert told["largest error"] == "1.5e-07 / 2.5e-06"
    assert told["peak"] == "1 MiB; process: 600 MiB"
    assert told["kernel that ran"] == (
        "attention_core::triton_flash: device_kernel, vectorized_elementwise_kernel [BLOCK_T: 128]"
    )
    plain = {str(column.title): column.cell(row("naive", 1, measured(2))) for column in DEMO.columns}
    assert (plain["largest error"], plain["kernel that ran"]) == ("1.5e-07", "_softmax")
    assert "%" not in plain["speed"]
    assert plain["peak"] == "–"
