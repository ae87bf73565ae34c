"""Rows, the charts made of them, and CSV that equals the stored points."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from attention_core.measuring import machine
from quiz.lab.columns import cells
from quiz.lab.exporting import from_json, to_csv, to_json
from quiz.lab.formatting import duration, milliseconds, rate, size
from quiz.lab.overview import grids
from quiz.lab.results import Row, machines, rows_of
from quiz.lab.showing import Findings
from tests.lab.planted import DEMO, MACHINE, PARAMETERS, a_run, measured, row, store

pytestmark = pytest.mark.django_db


def test_rows_are_by_position_and_take_the_last_attempt() -> None:
    run = a_run()
    store(run, 1, measured(7))
    store(run, 0, measured(5))
    store(run, 0, measured(6), attempt=2)
    rows = rows_of(run.points.all(), DEMO)
    assert [(r.position, r.attempt, r.median) for r in rows] == [(0, 2, 6), (1, 1, 7)]


def test_a_point_is_written_once_under_its_attempt() -> None:
    from django.db import IntegrityError, transaction

    run = a_run()
    store(run, 0, measured(5))
    with pytest.raises(IntegrityError), transaction.atomic():
        store(run, 0, measured(6))


def test_the_csv_equals_the_points_to_the_last_digit() -> None:
    run = a_run()
    store(run, 0, measured(1 / 3, peak=12345))
    store(run, 1, {"outcome": "timed_out", "reason": "stopped after 60 s", "predicted_peak_bytes": 99})
    points = list(run.points.all())
    table = list(csv.DictReader(io.StringIO(to_csv(rows_of(points, DEMO)))))
    assert list(table[0]) == [
        "position", "attempt", "backend", "length", "batch", "heads", "width", "dtype", "causal", "device",
        "seed", "outcome", "median_ms", "p25_ms", "p75_ms", "min_ms", "n", "cold_ms", "flops", "peak_bytes",
        "predicted_peak_bytes", "error", "allowed_error", "rows_checked", "kernel", "backend_ran", "reason",
        "flops_per_second", "processor", "cores", "threads", "system", "python", "numpy", "torch", "card",
        "uuid", "driver", "cuda", "cudnn", "tf32", "measuring", "measured_at",
    ]  # fmt: skip
    for line, point in zip(table, points, strict=True):
        for name in ("backend", "length", "heads", "width", "dtype", "batch", "device", "seed"):
            assert line[name] == str(point.configuration[name])
        for name in ("median_ms", "p25_ms", "p75_ms", "min_ms", "cold_ms", "error", "allowed_error"):
            told = point.measurement.get(name)
            assert line[name] == ("" if told is None else repr(told))
            assert told is None or float(line[name]) == told
        assert line["outcome"] == point.outcome
        assert line["causal"] == "false"
        assert line["measured_at"] == point.created_at.isoformat()
    assert float(table[0]["flops_per_second"]) == 2**20 / (1 / 3 * 1e-3)
    assert (table[1]["flops_per_second"], table[1]["reason"]) == ("", "stopped after 60 s")


def test_the_csv_names_the_machine_by_all_that_is_known_of_it() -> None:
    card = {
        **MACHINE, "device": "NVIDIA H200", "uuid": "GPU-1", "driver": "570.1", "cuda": "13.0",
        "cudnn": "9.1",
    }  # fmt: skip
    rows = [row("flash", n, measured(1, machine=m)) for n, m in ((1, card), (2, MACHINE))]
    on_card, on_cpu = csv.DictReader(io.StringIO(to_csv(rows)))
    for line, known in ((on_card, card), (on_cpu, MACHINE)):
        told = {**known, "card": None if known["device"] == "cpu" else known["device"]}
        del told["device"]
        for name, value in told.items():
            assert line[name] == {None: "", False: "false"}.get(value, str(value))
    assert (on_card["card"], on_card["uuid"], on_cpu["card"], on_cpu["uuid"]) == (
        "NVIDIA H200",
        "GPU-1",
        "",
        "",
    )


def test_the_csv_leaves_out_nothing_that_a_measurement_says_of_its_machine(require: Any) -> None:
    require("torch")
    known = set(machine("cpu")) - {"device"} | {"card"}
    assert known <= set(to_csv([]).strip().split(","))


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_spreadsheet_takes_a_reason_for_a_formula(start: str) -> None:
    text = to_csv([row("flash", 128, {"outcome": "crashed", "reason": f"{start}cmd|' /C calc'!A0"})])
    [line] = csv.DictReader(io.StringIO(text))
    assert line["reason"] == f"'{start}cmd|' /C calc'!A0"


def test_the_charts_hold_the_rows() -> None:
    run = a_run(parameters={**a_run().parameters, "backends": ["flash", "naive", "math"]})
    outcomes = [measured(2, peak=2**20), measured(4, peak=2**22), {"outcome": "crashed"},
                {"outcome": "refused", "predicted_peak_bytes": 2**30}]  # fmt: skip
    for position, measurement in enumerate(outcomes):
        store(run, position, measurement)
    time, memory = DEMO.charts(rows_of(run.points.all(), DEMO))
    assert [line.name for line in time.series] == ["flash", "naive", "math"]
    flash, naive, math = time.series
    assert [(m.x, m.y, m.low, m.high) for m in flash.marks] == [(128, 2, 1.8, 2.2)]
    assert [(m.x, m.y) for m in naive.marks] == [(128, 4)]
    assert [(g.x, g.memory) for g in math.gaps] == [(128, False), (256, True)]
    assert [(m.x, m.y) for m in memory.series[0].marks] == [(128, 1.0)]
    assert memory.series[2].predicted == ((256.0, 1024.0),)
    assert time.description.startswith(
        "flash: 2 at 128 to 2 at 128; naive: 4 at 128 to 4 at 128; math: no value"
    )


def test_machines_are_told_once_each() -> None:
    other = {**MACHINE, "threads": 8}
    rows = [row("flash", n, measured(1, machine=m)) for n, m in ((1, MACHINE), (2, other), (3, MACHINE))]
    assert machines([*rows, row("flash", 4, {"outcome": "crashed"})]) == [MACHINE, other]


def test_json_gives_the_rows_back() -> None:
    rows = [row("flash", 128, measured(1 / 3)), row("naive", 128, {"outcome": "crashed"}, position=1)]
    assert from_json(to_json(DEMO, PARAMETERS, rows), DEMO) == (PARAMETERS, rows)


def test_a_table_row_prints_every_figure() -> None:
    told = cells(row("naive", 128, measured(2.0, peak=3 * 2**20)), DEMO.columns)
    assert [cell.text for cell in told] == [
        "naive", "128", "2", "1.8–2.2", "20", "6 ms", "524 MFLOP/s", "3 MiB", "3 MiB", "1.5e-07", "_softmax",
    ]  # fmt: skip
    assert [cell.number for cell in told] == [False, *[True] * 9, False]


@pytest.mark.parametrize(
    ("outcome", "mark"), [("timed_out", "! timed out"), ("out_of_memory", "✗ out of memory")]
)
def test_a_point_without_figures_says_why_in_their_place(outcome: str, mark: str) -> None:
    told = cells(row("naive", 128, {"outcome": outcome}), DEMO.columns)
    assert [(cell.text, cell.span) for cell in told] == [
        ("naive", 1), ("128", 1), (mark, 5), ("–", 1), ("–", 1), ("–", 1), ("–", 1),
    ]  # fmt: skip
    assert sum(cell.span for cell in told) == len(DEMO.columns)


def test_a_refusal_is_told_as_a_sum() -> None:
    refused = {"outcome": "refused", "reason": "needs …", "needed_bytes": 3 * 2**30, "free_bytes": 2**31}
    assert row("naive", 8192, refused).reason == (
        "not run: would not fit: needs 3 GiB; nine tenths of the 2 GiB that were free are 1.8 GiB"
    )
    stopped = {"outcome": "timed_out", "reason": "stopped after 60 s"}
    assert row("naive", 8192, stopped).reason == "timed out: stopped after 60 s"


def test_points_that_share_a_reason_are_named_together() -> None:
    gone = {"outcome": "unsupported", "reason": "no card"}
    other = {**gone, "outcome": "crashed"}
    rows = [row("naive", 128, measured(2)), row("efficient", 128, gone),
            row("naive", 256, other), row("efficient", 256, gone)]  # fmt: skip
    assert Findings(demo=DEMO, parameters=PARAMETERS, rows=rows).without_figures == [
        "efficient 128, efficient 256: did not run as asked: no card",
        "naive 256: crashed: no card",
    ]


def grid_rows(**medians: float) -> list[Row]:
    """Rows at 128: a way by its median."""
    return [
        row(way, 128, measured(median), position=position)
        for position, (way, median) in enumerate(medians.items())
    ]


def test_the_speed_up_counts_from_the_first_measured_baseline() -> None:
    [speed, _errors] = grids(grid_rows(flash=2.0, naive=7.0, math=8.0), DEMO)
    assert (speed.title, speed.heads) == ("Speed-up against naive", ("flash", "math"))
    assert speed.lines == ((128, ("3.5×", "even")),)  # 6.3–7.7 and 7.2–8.8 overlap
    [speed, _errors] = grids(grid_rows(flash=16.0, math=8.0), DEMO)
    assert (speed.heads, speed.lines) == (("flash",), ((128, ("0.5×",)),))


def test_the_speed_up_says_why_a_ratio_is_missing() -> None:
    rows = [
        *grid_rows(naive=7.0, flash=1.0),
        row("math", 128, {"outcome": "wrong", "error": 0.5, "median_ms": 1.0}, position=2),
        row("naive", 256, measured(9.0), position=3),
        row("flash", 256, {"outcome": "out_of_memory"}, position=4),
        row("flash", 512, measured(3.0), position=5),
        row("naive", 512, {"outcome": "out_of_memory"}, position=6),
    ]
    speed, errors = grids(rows, DEMO)
    assert speed.heads == ("flash", "math")
    assert speed.lines == ((128, ("7×", "!")), (256, ("✗", "–")))  # no baseline at 512: no line
    assert errors.heads == ("naive", "flash", "math", "allowed")
    assert errors.lines == (
        (128, ("1.5e-07", "1.5e-07", "5.0e-01 !", "3.0e-07")),
        (256, ("1.5e-07", "–", "–", "3.0e-07")),
        (512, ("–", "1.5e-07", "–", "3.0e-07")),
    )


def test_without_a_baseline_or_figures_there_is_no_table() -> None:
    assert [grid.slug for grid in grids(grid_rows(flash=2.0), DEMO)] == ["errors"]
    assert [grid.slug for grid in grids(grid_rows(naive=2.0), DEMO)] == ["errors"]
    assert grids([row("naive", 128, {"outcome": "crashed"})], DEMO) == ()
    assert grids([], DEMO) == ()
    twice = [row("naive", 128, measured(1.0)), row("naive", 128, measured(2.0), position=1)]
    assert grids(twice, DEMO) == ()  # something else tells these points apart


def test_a_fallback_is_known_by_the_path_that_ran() -> None:
    assert row("flash", 1, {"outcome": "unsupported", "backend_ran": "math"}).fell_back
    assert not row("flash", 1, measured(1)).fell_back


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536 * 1024, "1.5 MiB"), (2**40, "1 TiB"), (None, "–")],
)
def test_sizes(count: float | None, text: str) -> None:
    assert size(count) == text


def test_other_numbers() -> None:
    assert [duration(s) for s in (0, 59.4, 60, 200, 7500)] == [
        "0 s", "59 s", "1 min", "3 min 20 s", "2 h 5 min",
    ]  # fmt: skip
    assert [rate(r) for r in (None, 5e5, 2.5e9, 7e14)] == ["–", "0.5 MFLOP/s", "2.5 GFLOP/s", "700 TFLOP/s"]
    assert [milliseconds(v) for v in (None, 0.01234, 1500)] == ["–", "0.0123 ms", "1500 ms"]
