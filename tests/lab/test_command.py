"""`manage.py lab`: lists, refuses by name, measures in order without a database, prints what it found."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from quiz.lab import children, demos, device
from quiz.lab.exporting import from_json
from quiz.lab.printing import Bar, cells_wide, table_lines
from tests.lab.planted import CPU, DEMO, GIB, measured

ASKED = ["attention_length", "--parameters", "backends=flash,naive", "lengths=128,256"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Stands in for the measuring child; holds every configuration it was asked for."""
    asked: list[dict[str, Any]] = []

    def measure(configuration: dict[str, Any], **_limits: Any) -> dict[str, Any]:
        asked.append(configuration)
        return measured(float(len(asked)))

    monkeypatch.setattr(children, "measure", measure)
    monkeypatch.setattr(device, "here", lambda kind="auto": CPU)
    return asked


def lab(*words: str) -> tuple[str, str]:
    """(what it printed, what it said on standard error)."""
    out, err = io.StringIO(), io.StringIO()
    call_command("lab", *words, "--language", "en", stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()


def test_without_a_name_it_lists_every_demonstration_and_parameter() -> None:
    printed, _said = lab()
    for demo in demos.all_demos():
        assert f"{demo.slug}\n  {demo.title}\n  {demo.line}\n" in printed
        assert all(f"    {parameter.name}=" in printed for parameter in demo.parameters)


def test_it_measures_in_order_and_prints_the_table(answers: list[dict[str, Any]]) -> None:
    printed, said = lab(*ASKED)
    points = DEMO.points(
        {"backends": ["flash", "naive"], "lengths": [128, 256], "heads": 4, "width": 64, "dtype": "float32",
         "causal": False}
    )  # fmt: skip
    assert answers == [{**point, "device": "cpu"} for point in points]
    table = [line.split() for line in printed.splitlines() if line.startswith(("flash  ", "naive  "))]
    assert [(line[0], line[1], line[2]) for line in table] == [
        ("flash", "128", "1"), ("naive", "128", "2"), ("naive", "256", "3"), ("flash", "256", "4"),
    ]  # fmt: skip
    assert "4 points, about 21 s" in said
    assert "8 GiB free, of which 7.2 GiB may be used." in said
    assert "2/4 naive 256" in said
    assert said.rstrip().endswith("4/4")
    assert "What to look at" in printed
    speed = printed.partition("Speed-up against naive\n")[2].splitlines()[:3]
    assert [line.split() for line in speed] == [["n", "flash"], ["128", "2×"], ["256", "0.75×"]]


def test_csv_and_json_hold_the_points(answers: list[dict[str, Any]]) -> None:
    table = list(csv.DictReader(io.StringIO(lab(*ASKED, "--csv")[0])))
    assert [line["median_ms"] for line in table] == ["1.0", "2.0", "3.0", "4.0"]
    parameters, rows = from_json(lab(*ASKED, "--json")[0], DEMO)
    assert parameters["lengths"] == [128, 256]
    assert [row.median for row in rows] == [5.0, 6.0, 7.0, 8.0]


def test_the_cost_alone_measures_nothing(answers: list[dict[str, Any]]) -> None:
    printed, said = lab(*ASKED, "--cost")
    assert (printed, answers) == ("", [])
    assert "naive 256: 260 MiB = the process with torch 256 MiB + " in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["attention"], "unknown demonstration: attention; known: attention_length"),
        (["attention_length", "--parameters", "length=128"], "length=128\nParameters:\n"),
        (["attention_length", "--parameters", "lengths"], "lengths\nParameters:\n"),
        (["attention_length", "--parameters", "lengths=100"], "lengths: 100 is not offered here."),
        (["attention_length", "--parameters", "lengths="], "lengths: "),
        (["attention_length", "--parameters", "heads=3"], "heads: 3 is not offered here."),
        (["attention_length", "--parameters", "causal=maybe"], "causal=maybe: on, off"),
    ],
)
def test_what_is_not_offered_is_refused_by_name(
    answers: list[dict[str, Any]], words: list[str], told: str
) -> None:
    with pytest.raises(CommandError) as refused:
        lab(*words)
    assert str(refused.value).startswith(told)
    assert refused.value.returncode == 2
    assert answers == []


def test_a_run_without_room_is_refused_with_the_largest_that_fits(
    answers: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "here", lambda kind="auto": replace(CPU, free_bytes=GIB))
    with pytest.raises(
        CommandError, match=r"Not enough memory at n = 8192: .* would be admitted: naive \d+\."
    ) as no:
        lab("attention_length", "--parameters", "backends=naive", "lengths=8192")
    assert (no.value.returncode, answers) == (3, [])


def test_a_device_that_is_not_there_is_refused(answers: list[dict[str, Any]], monkeypatch: Any) -> None:
    with pytest.raises(CommandError, match="torch finds no CUDA device here"):
        lab(*ASKED, "--device", "cuda")
    monkeypatch.setattr(device, "here", lambda kind="auto": replace(CPU, torch=None))
    with pytest.raises(CommandError, match="torch is not installed here"):
        lab(*ASKED)


def test_an_interruption_keeps_what_has_been_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([measured(1.0), measured(2.0)])

    def measure(*_a: Any, **_k: Any) -> dict[str, Any]:
        try:
            return next(found)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(children, "measure", measure)
    monkeypatch.setattr(device, "here", lambda kind="auto": CPU)
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("lab", *ASKED, "--csv", "--language", "en", stdout=out, stderr=err)
    assert ended.value.code == 130
    assert len(list(csv.DictReader(io.StringIO(out.getvalue())))) == 2
    assert "Stopped. What has been measured:" in err.getvalue()


def test_the_cpu_can_be_asked_for_where_there_is_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    card = {"torch": "2.13.0", "threads": 2, "kind": "cuda", "name": "Card", "total": GIB, "free": GIB}
    monkeypatch.setattr(device.probe, "found", card)
    monkeypatch.setattr(device.probe, "now", lambda: card)
    assert [device.here(kind).kind for kind in ("auto", "cuda", "cpu")] == ["cuda", "cuda", "cpu"]


def test_the_bar_is_redrawn_in_place_and_leaves_nothing_behind() -> None:
    out = Terminal()
    bar = Bar(OutputLike(out))
    bar.show(0, of=2, doing="naive 1024")
    bar.show(1, of=2, doing="flash 4")
    bar.show(2, of=2, doing="")
    first, second, last = out.getvalue().split("\r")[1:]
    assert first == f"[{'-' * 24}] 0/2 naive 1024"
    assert second == f"[{'#' * 12}{'-' * 12}] 1/2 flash 4   "
    assert last == f"[{'#' * 24}] 2/2        \n"


class OutputLike:
    """As Django wraps a terminal: `write` ends the line unless told otherwise."""

    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream

    def write(self, msg: str = "", *, ending: str | None = None) -> None:
        self.stream.write(msg + ("\n" if ending is None else ending))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return self.stream.isatty()


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    from quiz.lab.columns import Cell

    rows = [
        [Cell(text="算法"), Cell(text="1.5", number=True), Cell(text="x")],
        [Cell(text="a"), Cell(text="✗ no room at all", is_reason=True, span=2)],
    ]
    assert table_lines(["way", "中位数", "kernel"], rows) == [
        "way   中位数  kernel",
        "算法     1.5  x",
        "a     ✗ no room at all",
    ]
    assert [cells_wide(text) for text in ("abc", "中位数", "✗", "–")] == [3, 6, 1, 1]


@pytest.fixture
def torch_here(require: Callable[[str], None]) -> None:
    require("torch")


def test_really_measured_without_a_database(torch_here: None, tmp_path: Any) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "lab", "attention_length", "--json", "--device", "cpu",
         "--parameters", "backends=flash,naive", "lengths=16"],
        capture_output=True, text=True, timeout=170, cwd=children.ROOT, check=True,
        env={**os.environ, "QUIZ_DATA_DIR": str(tmp_path / "none"), "DATABASE_URL": "postgres://nobody@127.0.0.1:9/x"},
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert [(p["outcome"], p["measurement"]["n"] >= 3) for p in told["points"]] == [("measured", True)] * 2


def test_a_real_interruption_leaves_no_child(torch_here: None) -> None:
    parent = subprocess.Popen(
        [sys.executable, "manage.py", "lab", "attention_length", "--language", "en",
         "--parameters", "backends=naive", "lengths=4096", "heads=16"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=children.ROOT,
    )  # fmt: skip
    assert parent.stderr is not None
    for line in parent.stderr:
        if "0/1" in line:
            break
    time.sleep(1)
    parent.send_signal(signal.SIGINT)
    printed, said = parent.communicate(timeout=60)
    assert parent.returncode == 130
    assert "Stopped. What has been measured:" in said
    assert "Attention: time and memory against length" in printed
