"""Runs on a real worker and a database that others see: measured, stopped in time, killed, resumed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention_core import costs
from tests.databases import RealDatabase, wait_until
from tests.lab.planted import PARAMETERS

WORKER = ("manage.py", "worker", "lab")
TINY = {**PARAMETERS, "backends": ["flash", "naive"], "lengths": [64], "heads": 1, "width": 32}
GENEROUS = dict.fromkeys(
    (
        "QUIZ_LAB_VISITOR_RUN_SECONDS",
        "QUIZ_LAB_VISITOR_SECONDS_A_DAY",
        "QUIZ_LAB_SITE_SECONDS_A_DAY",
    ),
    str(10**6),
)
LONG = {**PARAMETERS, "backends": ["naive"], "lengths": [16, 64, 8192], "heads": 32, "width": 256}


@pytest.fixture(autouse=True)
def needs_torch(require: Callable[[str], None]) -> None:
    require("torch")


def start(database: RealDatabase, parameters: dict[str, Any]) -> tuple[int, int]:
    """Start a run for a visitor who may ask for any."""
    told = database.run("-m", "tests.lab.actor", json.dumps(parameters), **GENEROUS)
    run, job = json.loads(told.stdout.splitlines()[-1])
    return run, job


def state(database: RealDatabase, job: int) -> str:
    return str(database.rows(f"SELECT state FROM quiz_job WHERE id = {job}")[0][0])


def points(database: RealDatabase, run: int) -> list[dict[str, Any]]:
    rows = database.rows(
        "SELECT position, attempt, outcome, measurement FROM quiz_point "
        f"WHERE run_id = {run} ORDER BY position"
    )
    return [
        {"position": p, "attempt": a, "outcome": o, **(m if isinstance(m, dict) else json.loads(m))}
        for p, a, o, m in rows
    ]


def measuring_children(worker: int) -> list[int]:
    """The worker's children that run the measuring command."""
    found = []
    for thread in Path(f"/proc/{worker}/task").iterdir():
        found += [int(pid) for pid in (thread / "children").read_text().split()]
    return [pid for pid in found if b"attention_core.benchmark" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_run_is_measured_and_a_worker_says_what_it_is(sqlite_file: RealDatabase) -> None:
    run, job = start(sqlite_file, TINY)
    sqlite_file.start(*WORKER, log="worker")
    wait_until(lambda: state(sqlite_file, job) == "done", seconds=120, what="the run is measured")
    flash, naive = points(sqlite_file, run)
    assert [flash["outcome"], naive["outcome"]] == ["measured", "measured"]
    assert [flash["backend_ran"], naive["backend_ran"]] == ["flash", "naive"]
    for point, backend in ((flash, "flash"), (naive, "naive")):
        assert 0 < point["min_ms"] <= point["p25_ms"] <= point["median_ms"] <= point["p75_ms"]
        assert point["rows_checked"] == 64
        assert point["error"] <= point["allowed_error"]
        assert point["predicted_peak_bytes"] == costs.peak_bytes(
            backend, batch=1, heads=1, length=64, width=32, dtype="float32"
        )
    [(label, resources)] = sqlite_file.rows("SELECT device, resources FROM quiz_worker")
    declared = json.loads(resources)
    assert label == declared["label"]
    assert declared["free_bytes"] > 2**27
    assert declared["torch"]


def test_a_point_that_takes_too_long_is_stopped(sqlite_file: RealDatabase) -> None:
    """One second is less than a child needs to import torch and repeat."""
    run, job = start(sqlite_file, {**TINY, "backends": ["naive"]})
    sqlite_file.start(*WORKER, log="worker", QUIZ_LAB_POINT_SECONDS="1")
    wait_until(lambda: state(sqlite_file, job) == "done", seconds=120, what="the run has ended")
    [point] = points(sqlite_file, run)
    assert (point["outcome"], point["reason"]) == ("timed_out", "stopped after 1 s")


def test_cancelling_is_heard_within_a_second(sqlite_file: RealDatabase) -> None:
    _run, job = start(sqlite_file, {**TINY, "lengths": [64, 128, 256]})
    worker = sqlite_file.start(*WORKER, log="worker")
    wait_until(lambda: measuring_children(worker.pid), seconds=120, what="a point is being measured")
    sqlite_file.run("-c", _CANCEL.format(job=job))
    asked = time.monotonic()
    wait_until(lambda: state(sqlite_file, job) == "cancelled", seconds=10, what="the run is cancelled")
    assert time.monotonic() - asked < 1.5
    assert measuring_children(worker.pid) == []


_CANCEL = (
    "import django; django.setup()\n"
    "from quiz.work import jobs; from quiz.work.models import Job\n"
    "jobs.ask_cancel(Job.objects.get(pk={job}))"
)


@pytest.mark.prove
def test_a_killed_workers_run_goes_on_at_the_first_unfinished_point(real_database: RealDatabase) -> None:
    run, job = start(real_database, {**TINY, "lengths": [16, 32]})
    first = real_database.start(*WORKER, log="first", QUIZ_LEASE_SECONDS="3")
    wait_until(lambda: len(points(real_database, run)) == 1, seconds=120, what="a point is stored")
    child = wait_until(lambda: measuring_children(first.pid), seconds=30, what="the next is being measured")[
        0
    ]
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    wait_until(lambda: not Path(f"/proc/{child}").exists(), seconds=5, what="its child is gone too")
    before = points(real_database, run)
    real_database.start(*WORKER, log="second", QUIZ_LEASE_SECONDS="3")
    wait_until(lambda: state(real_database, job) == "done", seconds=120, what="the run is finished")
    found = points(real_database, run)
    assert found[: len(before)] == before, "what was stored stays"
    assert [(p["position"], p["attempt"]) for p in found] == [
        (n, 1 if n < len(before) else 2) for n in range(4)
    ]
    assert {p["outcome"] for p in found} == {"measured"}


@pytest.mark.prove
def test_a_worker_stopped_past_its_lease_writes_nothing_twice(real_database: RealDatabase) -> None:
    run, job = start(real_database, {**TINY, "lengths": [16, 32]})
    zombie = real_database.start(*WORKER, log="zombie", QUIZ_LEASE_SECONDS="3")
    wait_until(lambda: measuring_children(zombie.pid), seconds=120, what="a point is being measured")
    real_database.freeze(zombie)
    real_database.start(*WORKER, log="second", QUIZ_LEASE_SECONDS="3")
    wait_until(lambda: state(real_database, job) == "done", seconds=120, what="the other finishes")
    os.kill(zombie.pid, signal.SIGCONT)
    wait_until(lambda: not measuring_children(zombie.pid), seconds=20, what="the zombie lets go")
    time.sleep(2)
    found = points(real_database, run)
    assert [p["position"] for p in found] == [0, 1, 2, 3], "each position once"
    assert state(real_database, job) == "done"


@pytest.mark.prove
def test_a_worker_asked_to_end_gives_the_run_back(real_database: RealDatabase) -> None:
    run, job = start(real_database, {**TINY, "lengths": [16, 32]})
    first = real_database.start(*WORKER, log="first")
    wait_until(lambda: len(points(real_database, run)) >= 1, seconds=120, what="a point is stored")
    os.killpg(first.pid, signal.SIGINT)  # as Ctrl-C in a terminal: the child gets it too
    assert first.wait(timeout=20) == 0
    assert state(real_database, job) == "waiting"
    assert {p["outcome"] for p in points(real_database, run)} == {"measured"}
    real_database.start(*WORKER, log="second")
    wait_until(lambda: state(real_database, job) == "done", seconds=120, what="the run is finished")
    assert [p["position"] for p in points(real_database, run)] == [0, 1, 2, 3]


def test_a_point_beyond_the_free_memory_is_never_begun(sqlite_file: RealDatabase) -> None:
    """32 heads at 2¹⁵ need 256 GiB for scores and weights: refused by the sum, however large this machine."""
    run, job = start(sqlite_file, {**LONG, "lengths": [32768]})
    sqlite_file.start(*WORKER, log="worker")
    wait_until(lambda: state(sqlite_file, job) == "done", seconds=120, what="the run has ended")
    [point] = points(sqlite_file, run)
    assert point["outcome"] == "refused"
    assert point["needed_bytes"] > 256 * 2**30 > point["free_bytes"]
    assert "attention_core.benchmark" not in sqlite_file.log("worker")


def test_the_web_process_never_imports_torch(sqlite_file: RealDatabase) -> None:
    """Every page of the lab is asked for in a process where importing torch is an error."""
    run, _job = start(sqlite_file, TINY)
    program = f"""
import sys, json
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "triton"):
            raise AssertionError(f"the web process imports {{name}}")
import django; django.setup()
sys.meta_path.insert(0, Refuse())
from django.test import Client
client = Client(headers={{"host": "localhost"}})
paths = ["/lab/", "/lab/{run}/", "/lab/{run}/progress/", "/lab/{run}/results.csv"]
said = [client.get(path).status_code for path in paths]
said.append(client.post("/lab/start/").status_code)
said.append("torch" in sys.modules)
print(json.dumps(said))
"""
    out = sqlite_file.run("-c", program).stdout.splitlines()[-1]
    assert json.loads(out) == [200, 200, 302, 200, 302, False]
