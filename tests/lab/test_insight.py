"""The plain-language reading: every sentence follows from the rows, and none is said without them."""

from __future__ import annotations

import pytest

from quiz.lab.demos.attention_insight import insight
from quiz.lab.demos.comparing import verdict
from quiz.lab.results import Row
from tests.lab.planted import MACHINE, measured, row

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
    assert "I could not tell its time" in found.say[0]


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


def test_a_cpu_is_said_to_be_one_and_a_card_is_not() -> None:
    assert any("Measured on a CPU" in sentence for sentence in insight(pair(128, 1, 2)).limits)
    card = {**MACHINE, "device": "NVIDIA H200"}
    rows = [row(b, 128, measured(1, machine=card)) for b in ("flash", "naive")]
    assert not any("CPU" in sentence for sentence in insight(rows).limits)


def test_nothing_measured_says_nothing() -> None:
    assert insight([]) == type(insight([]))()
