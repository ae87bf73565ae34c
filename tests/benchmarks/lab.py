"""What the worker's path costs, and that it changes no figure: `python -m tests.benchmarks.lab`.

Single points are measured by hand (`python -m attention_core.benchmark`) and as lab runs through a real
worker (`manage.py worker lab`), turn and turn about, on DATABASE_URL or a new file. Two tables:

- overhead: from the enqueuing commit to the start of the measuring process, and to the stored point, beside
  the wall time of the same command by hand;
- figures: for each point the median over the rounds of the medians that either way found, their ratio, how
  far the medians by hand lie apart themselves, and whether the quartiles of both overlap.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = tempfile.mkdtemp(prefix="qkv-lab-")
os.environ.setdefault("QUIZ_DATA_DIR", FOLDER)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.work.process_settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from quiz.accounts.models import Visitor  # noqa: E402
from quiz.accounts.people import Person  # noqa: E402
from quiz.lab import demos  # noqa: E402
from quiz.lab.admission import BUDGET_SECONDS, assess  # noqa: E402
from quiz.lab.models import Run  # noqa: E402
from quiz.lab.starting import start  # noqa: E402
from quiz.work.models import State, Worker  # noqa: E402
from tests.lab.test_worker import measuring_children  # noqa: E402

DEMO = demos.get("attention_length")
BASE: dict[str, Any] = {"heads": 4, "width": 64, "dtype": "float32", "causal": False}
POINTS = [(backend, length) for backend in ("flash", "naive", "math") for length in (256, 1024)]
LOOK_SECONDS = 0.002


@dataclass(frozen=True)
class Found:
    """One measurement of a point: seconds until the measuring process began, seconds until its result was
    there, and the result's times in ms."""

    point: tuple[str, int]
    begun: float
    stored: float
    median: float
    low: float
    high: float


def by_hand(point: tuple[str, int]) -> Found:
    [configuration] = DEMO.points(parameters(point))
    told = json.dumps({**configuration, "device": "cpu"})
    command = [
        sys.executable,
        "-m",
        "attention_core.benchmark",
        "--json",
        told,
        "--budget",
        str(BUDGET_SECONDS),
    ]
    begun = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return found(point, json.loads(ran.stdout.splitlines()[-1]), 0.0, time.monotonic() - begun)


def by_worker(point: tuple[str, int], worker: int) -> Found:
    person = Person(visitor_id=Visitor.objects.create().pk)
    run = start(person, assess(DEMO, parameters(point), None), now=timezone.now())
    enqueued, clock = timezone.now(), time.monotonic()
    until(lambda: measuring_children(worker))
    begun = time.monotonic() - clock
    until(lambda: Run.objects.filter(pk=run.pk, job__state=State.DONE).exists(), look=0.05)
    stored = run.points.get()
    return found(point, stored.measurement, begun, (stored.created_at - enqueued).total_seconds())


def parameters(point: tuple[str, int]) -> dict[str, Any]:
    backend, length = point
    return {**BASE, "backends": [backend], "lengths": [length]}


def found(point: tuple[str, int], measurement: dict[str, Any], begun: float, stored: float) -> Found:
    assert measurement["outcome"] == "measured", measurement
    median, low, high = (measurement[name] for name in ("median_ms", "p25_ms", "p75_ms"))
    return Found(point, begun, stored, median, low, high)


def measured(rounds: int) -> tuple[list[Found], list[Found]]:
    """Both ways, each point in each round; who goes first changes."""
    call_command("migrate", verbosity=0)
    worker = subprocess.Popen([sys.executable, "manage.py", "worker", "lab"], stderr=subprocess.DEVNULL)
    hand: list[Found] = []
    lab: list[Found] = []
    try:
        until(lambda: Worker.objects.exclude(device="").exists(), look=0.1)
        for turn in range(rounds):
            for point in POINTS:
                if turn % 2:
                    lab.append(by_worker(point, worker.pid))
                hand.append(by_hand(point))
                if not turn % 2:
                    time.sleep(0.3)  # the queue is looked at every quarter of a second
                    lab.append(by_worker(point, worker.pid))
    finally:
        worker.terminate()
        worker.wait()
    return hand, lab


def until(condition: Any, *, look: float = LOOK_SECONDS, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(look)


def overhead(hand: list[Found], lab: list[Found]) -> Iterator[str]:
    differences = [through.stored - alone.stored for alone, through in zip(hand, lab, strict=True)]
    ratios = [through.stored / alone.stored for alone, through in zip(hand, lab, strict=True)]
    yield f"| {connection.vendor}, {len(lab)} runs of one point | median | quartiles |"
    yield "| --- | ---: | ---: |"
    yield row("enqueued → measuring process begun", [one.begun for one in lab], "s")
    yield row("enqueued → point stored", [one.stored for one in lab], "s")
    yield row("the same command by hand", [one.stored for one in hand], "s")
    yield row("difference", differences, "s")
    yield row("ratio", ratios, "×")


def row(name: str, values: list[float], unit: str) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"| {name} | {middle:.2f} {unit} | {low:.2f}–{high:.2f} |"


def figures(hand: list[Found], lab: list[Found]) -> Iterator[str]:
    yield "| point | by hand | worker | ratio | by hand, largest / smallest | quartiles overlap |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for point in POINTS:
        alone, through = ([one for one in side if one.point == point] for side in (hand, lab))
        mine, theirs = (statistics.median(one.median for one in side) for side in (alone, through))
        noise = max(one.median for one in alone) / min(one.median for one in alone)
        (low, high), (bottom, top) = quartiles(alone), quartiles(through)
        overlap = "yes" if low <= top and bottom <= high else "no"
        cells = f"{mine:.3f} ms | {theirs:.3f} ms | {theirs / mine:.3f} | {noise:.2f} | {overlap}"
        yield f"| {point[0]} {point[1]} | {cells} |"


def quartiles(side: list[Found]) -> tuple[float, float]:
    """The median over the rounds of either quartile."""
    return statistics.median(one.low for one in side), statistics.median(one.high for one in side)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    before = os.getloadavg()[0]
    hand, lab = measured(options.rounds)
    print(f"load before {before:.1f}, after {os.getloadavg()[0]:.1f}; {os.cpu_count()} cores\n")
    for line in [*overhead(hand, lab), "", *figures(hand, lab)]:
        print(line)


if __name__ == "__main__":
    main()
