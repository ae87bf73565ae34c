"""The demonstration of padding: its counts and sums, its charts, and a reading that follows from the rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from attention_core import benchmark_padding, measuring
from attention_core.benchmark_padding import drawn_lengths
from quiz.lab import demos
from quiz.lab.columns import cells
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row
from tests.lab.planted import measured

PADDING = demos.get("padding")
QUICK = PADDING.presets[0].parameters


def row(order: str, longest: int, measurement: dict[str, Any], **changes: Any) -> Row:
    [point] = PADDING.points({**QUICK, "orders": [order], "longest": [longest], **changes})
    return Row(
        position=0,
        attempt=1,
        configuration={**point, "device": "cpu"},
        outcome=Outcome(measurement["outcome"]),
        measurement={**measurement, **PADDING.foretold(point)},
        measured_at=datetime(2026, 1, 2, tzinfo=UTC),
        demo=PADDING,
    )


def test_the_orders_are_measured_in_turn() -> None:
    points = PADDING.points({**QUICK, "orders": ["unpadded", "padded"], "longest": [256, 128]})
    assert [(point["longest"], point["order"]) for point in points] == [
        (128, "padded"), (128, "unpadded"), (256, "unpadded"), (256, "padded"),
    ]  # fmt: skip


def test_what_is_foretold_and_carried_out_is_counted_from_the_lengths() -> None:
    [point] = PADDING.points({**QUICK, "orders": ["padded"], "longest": [256], "batch": 8})
    lengths = drawn_lengths("long_tailed", count=128, longest=256, seed=0)
    longest = [max(lengths[first : first + 8]) for first in range(0, 128, 8)]
    told = PADDING.foretold(point)
    assert told["computed_tokens"] == 8 * sum(longest)
    assert told["wasted_tokens"] == pytest.approx(1 - sum(lengths) / (8 * sum(longest)))
    assert told["predicted_peak_bytes"] == 8 * max(longest) * (4 * (4 * 64 * 4) + 4 * 4 + 1)
    assert PADDING.calls_flops(point) == 4 * 4 * 64 * 8 * sum(m**2 for m in longest)


def test_the_terms_say_what_they_add_up() -> None:
    [point] = PADDING.points({**QUICK, "orders": ["sorted"], "longest": [4096]})
    lengths = drawn_lengths("long_tailed", count=128, longest=4096, seed=0)
    sequences, draft, batch, check = PADDING.terms(point)
    assert sequences.size == 3 * 4 * sum(lengths) * 64 * 4
    assert draft.size == 4 * sum(lengths) * 64 * 4
    assert batch.size == 2 * PADDING.foretold(point)["predicted_peak_bytes"]
    m = max(lengths)
    assert check.size == 4 * ((2 * m + 4 * 16) * 64 + 4 * 16 * m) * 8
    assert check.formula == "H·((2m + 4·16)·d + 4·16·m)·8 B"


def test_a_faster_order_is_praised_by_its_ratio_and_by_the_count() -> None:
    rows = [row("padded", 512, measured(900)), row("sorted", 512, measured(300))]
    padded, by_length = (found.number("computed_pairs") or 0 for found in rows)
    found = PADDING.insight(rows)
    assert found.look[0].startswith("padded, m = 512: 67 % of the computed tokens are padding, and 83 % of")
    assert found.look[2] == (
        "At m = 512 the set takes 300 ms sorted and 900 ms padded: 3 times as fast. By the pairs it would be "
        f"{padded / by_length:.1f} times."
    )
    assert "with padded batches of 16, 67 % of the tokens and 83 % of the pairs" in found.say[0]


@pytest.mark.parametrize(
    ("other", "told"), [(300, "3 times as long, although it computes"), (110, "the quartiles overlap")]
)
def test_an_order_that_is_not_faster_is_not_praised(other: float, told: str) -> None:
    rows = [row("padded", 128, measured(100)), row("unpadded", 128, measured(other))]
    assert told in PADDING.insight(rows).look[1]


def test_waste_is_drawn_against_the_size_of_the_batch() -> None:
    rows = [row(order, 256, measured(10)) for order in ("padded", "sorted", "unpadded")]
    rows.append(row("padded", 128, measured(10)))
    time, waste = PADDING.charts(rows)
    assert [len(series.marks) for series in time.series] == [2, 1, 1]
    padded, by_length, unpadded = waste.series
    assert [(mark.x, mark.y) for mark in padded.marks] == [
        (16, (rows[0].number("computed_pairs") or 0) / (rows[0].number("useful_pairs") or 1))
    ]
    assert dict(padded.predicted)[1.0] == dict(by_length.predicted)[1.0] == 1
    assert dict(padded.predicted)[16.0] == padded.marks[0].y
    assert all(y >= dict(by_length.predicted)[x] for x, y in padded.predicted)
    assert [(mark.x, mark.y) for mark in unpadded.marks] == [(1, 1)]


def test_waste_that_was_not_measured_stands_at_its_batch() -> None:
    """Never at its length, which has no place on that axis; what was measured at another length is drawn."""
    gone = row("unpadded", 512, {"outcome": "timed_out"})
    [series] = PADDING.charts([gone])[1].series
    assert [(gap.x, gap.memory) for gap in series.gaps] == [(1, False)]
    assert series.marks == ()
    [series] = PADDING.charts([row("unpadded", 256, measured(10)), gone])[1].series
    assert [(mark.x, mark.y) for mark in series.marks] == [(1, 1)]
    assert series.gaps == ()


def test_a_real_point_fills_every_column() -> None:
    [point] = PADDING.points(
        {**QUICK, "orders": ["sorted"], "longest": [64], "count": 32, "batch": 8, "heads": 1, "width": 32}
    )
    asked = measuring.read(json.dumps(point), benchmark_padding.Configuration, required="order")
    found = row("sorted", 64, benchmark_padding.measure(asked, budget=0.01))
    assert found.is_measured
    told = [cell.text for cell in cells(found, PADDING.columns)]
    assert len(told) == len(PADDING.columns)
    assert "–" not in told
