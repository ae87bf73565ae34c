"""The demonstration of the limit: a child that meets it ends with a stated outcome, and its parent lives."""

from __future__ import annotations

import os
import resource
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from attention_core import costs
from attention_core.benchmark_limit import SEARCH, drawn_length
from quiz.lab import children, demos
from quiz.lab.admission import BUDGET_SECONDS, RATES, START_SECONDS, need_of
from quiz.lab.children import Limits, resident_bytes
from quiz.lab.columns import cells
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row
from tests.lab.planted import MACHINE

LIMIT = demos.get("limit")
QUICK = LIMIT.presets[0].parameters
MIB = 2**20


def limit(real: int, failed: int | None, **more: Any) -> dict[str, Any]:
    said = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1314816 bytes. Error code 12"
    return {
        "outcome": "measured", "real_n": real, "failed_n": failed, "tries": 5, "error": 1e-7, "said": said,
        "backend_ran": None, "kernel": "aten::_softmax", "machine": MACHINE, **more,
    }  # fmt: skip


def row(backend: str, allowance: int, measurement: dict[str, Any]) -> Row:
    [point] = LIMIT.points({**QUICK, "backends": [backend], "allowances": [allowance]})
    told = LIMIT.foretold(point)
    real = measurement.get("real_n")
    figures = {} if real is None else {
        "ratio": real / told["predicted_n"],
        "left_bytes": allowance * MIB - costs.peak_bytes(
            backend, batch=1, heads=32, length=real, width=128, dtype="float32"
        ),
    }  # fmt: skip
    return Row(
        position=0,
        attempt=1,
        configuration={**point, "device": "cpu"},
        outcome=Outcome(measurement["outcome"]),
        measurement={**told, **figures, **measurement},
        measured_at=datetime(2026, 1, 2, tzinfo=UTC),
        demo=LIMIT,
    )


def test_points_go_up_in_memory() -> None:
    points = LIMIT.points({**QUICK, "backends": ["math", "flash"], "allowances": [64, 8]})
    assert [(point["allowance"], point["backend"]) for point in points] == [
        (8, "flash"), (8, "math"), (64, "flash"), (64, "math"),
    ]  # fmt: skip


def test_the_terms_say_what_they_add_up() -> None:
    [point] = LIMIT.points({**QUICK, "backends": ["naive"], "allowances": [256], "dtype": "bfloat16"})
    n = drawn_length(LIMIT.foretold(point)["predicted_n"])
    inputs, draft, allowance, check = LIMIT.terms(point)
    assert inputs.size == 3 * 32 * n * 128 * 2
    assert draft.size == 32 * n * 128 * 4
    assert allowance.size == 2 * 256 * MIB
    assert check.size == 4 * ((4 * n + 2 * 64) * 128 + 6 * 64 * n) * 8
    assert check.formula == "4·((4n + 2·64)·d + 6·64·n)·8 B"


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_the_time_that_is_asked_for_ends_with_the_search(kind: str) -> None:
    """A search has its own bound in time, the same on every device: no allowance makes a run look longer than
    it can be, and a fast device makes none look shorter."""
    small, large = (
        need_of(LIMIT, LIMIT.points({**QUICK, "backends": ["flash"], "allowances": [m]})[0], kind=kind)
        for m in (8, 4096)
    )
    before = START_SECONDS + 1.2 * BUDGET_SECONDS
    assert small.seconds == pytest.approx(before + 8 * 4 * 32 * 128 * 508**2 / RATES[kind])
    assert large.seconds == pytest.approx(before + SEARCH * BUDGET_SECONDS)


def test_the_powers_are_those_of_the_rows() -> None:
    rows = [
        row("flash", 16, limit(1000, 1001)),
        row("naive", 16, limit(200, 201)),
        row("flash", 64, limit(4000, 4001)),
        row("naive", 64, limit(400, 401)),
    ]
    look = LIMIT.insight(rows).look
    flash, naive = look[:2]
    assert flash == (
        "flash, M from 16 to 64 MiB (× 4): the limit rises from n = 1000 to 4000 (× 4, as M^1.00; by the law "
        "as M^1.00)."
    )
    assert naive == (
        "naive, M from 16 to 64 MiB (× 4): the limit rises from n = 200 to 400 (× 2, as M^0.50; by the law "
        "as M^0.55)."
    )
    assert look[2].startswith("flash, M = 64 MiB: predicted n = 4064, real 4000 (98.4 %). At most 1.01 MiB")
    assert "that was 4064 for flash in 64 MiB, and 4000 ran" in LIMIT.insight(rows).say[1]


def test_a_law_that_asks_for_too_much_is_said_to() -> None:
    look = LIMIT.insight([row("math", 16, limit(220, 221))]).look
    assert len(look) == 1
    assert "(103 %). The law asks for" in look[0]


def test_a_lower_bound_is_never_shown_as_the_limit() -> None:
    bound = row("flash", 64, limit(3000, None, said=None))
    [chart] = LIMIT.charts([row("flash", 8, limit(480, 490)), bound])
    [series] = chart.series
    assert [(mark.x, mark.y, mark.low, mark.high) for mark in series.marks] == [(8, 480, 480, 489)]
    assert [(gap.x, gap.reason, gap.memory) for gap in series.gaps] == [
        (64, "not reached: at least 3000", False)
    ]
    told = [cell.text for cell in cells(bound, LIMIT.columns)]
    assert told[2:8] == ["4064", "≥ 3000", "–", "–", "–", "–"]
    assert LIMIT.insight([bound]).say == ()
    beyond = row("flash", 64, {**limit(4580, None, said=None), "ended_by": "law"})
    [told] = LIMIT.insight([beyond]).look
    assert told == (
        "flash, M = 64 MiB: n = 4580 still ran, well beyond the predicted 4064, and nothing longer was "
        "tried: the law asks for more than is needed."
    )
    both = LIMIT.insight([row("flash", 8, limit(480, 490)), bound])
    assert both.look[-1].startswith("flash, M = 64 MiB: the limit was not reached within the time; it is at")


@pytest.mark.parametrize(
    ("said", "told"),
    [("you tried to allocate 1314816 bytes. Error code 12", "1.25 MiB"),
     ("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has", "20.00 MiB"), ("std::bad_alloc", "–")],
)  # fmt: skip
def test_the_refused_allocation_is_read_out_of_what_was_said(said: str, told: str) -> None:
    assert cells(row("naive", 16, limit(220, 221, said=said)), LIMIT.columns)[7].text == told


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits an address space")
def test_a_child_meets_its_limit_and_the_parent_lives() -> None:
    before, here = resource.getrlimit(resource.RLIMIT_AS), resident_bytes(os.getpid())
    found = children.measure(
        {"backend": "naive", "allowance": 8, "heads": 32, "width": 128, "device": "cpu"},
        limits=Limits(seconds=60, memory=2**31),
        budget=0.5,
        check=lambda: None,
        module=LIMIT.module,
    )
    assert found["outcome"] == "measured"
    assert found["real_n"] < found["failed_n"]
    told = [cell.text for cell in cells(row("naive", 8, found), LIMIT.columns)]
    assert len(told) == len(LIMIT.columns)
    assert "–" not in told
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert resident_bytes(os.getpid()) - here < 64 * MIB
