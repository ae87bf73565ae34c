"""Jobs with real processes: races, kill -9, a zombie, a polite stop. The proofs do it on PostgreSQL too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter

import pytest

from tests.databases import RealDatabase, wait_until

ACTOR = ("-m", "tests.work.actor")
WORKER = ("manage.py", "worker", "checks")
SHORT_LEASE = {"QUIZ_LEASE_SECONDS": "3"}


def enqueue(database: RealDatabase, kind: str, count: int = 1) -> list[int]:
    found: list[int] = json.loads(database.run(*ACTOR, "enqueue", kind, str(count), **SHORT_LEASE).stdout)
    return found


def all_at_once(database: RealDatabase, verb: str, times: int, **extra: str) -> list[object]:
    """Several processes do the same at the same moment; what each answered."""
    start_at = time.time() + 2.5
    started = [
        database.start(*ACTOR, verb, str(start_at), log=f"{verb}-{number}", **extra)
        for number in range(times)
    ]
    assert [process.wait(timeout=60) for process in started] == [0] * times
    return [json.loads(database.log(f"{verb}-{number}").splitlines()[-1]) for number in range(times)]


def job(database: RealDatabase, pk: int) -> dict[str, object]:
    columns = ("state", "attempt", "lost_leases", "worker", "done_steps", "error")
    [row] = database.rows(f"SELECT {', '.join(columns)} FROM quiz_job WHERE id = {pk}")
    return dict(zip(columns, row, strict=True))


def results(database: RealDatabase) -> int:
    return int(database.rows("SELECT COUNT(*) FROM quiz_visitor")[0][0])


def running_step(database: RealDatabase, pk: int, step: int = 0) -> bool:
    row = job(database, pk)
    return row["state"] == "running" and int(str(row["done_steps"])) >= step


def test_of_several_claims_one_wins(real_database: RealDatabase) -> None:
    wanted = enqueue(real_database, "quick", 30)
    won = all_at_once(real_database, "claim_all", 4)
    counted = Counter(pk for pks in won for pk in pks)  # type: ignore[attr-defined]
    assert counted == dict.fromkeys(wanted, 1)
    assert real_database.rows("SELECT DISTINCT attempt, state FROM quiz_job") == [(1, "running")]


@pytest.mark.prove
def test_of_several_reapers_one_takes_a_job_back(real_database: RealDatabase) -> None:
    wanted = enqueue(real_database, "quick", 20)
    all_at_once(real_database, "claim_all", 1, **SHORT_LEASE)
    time.sleep(3.1)
    taken = all_at_once(real_database, "reap_all", 3)
    assert sum(int(str(count)) for count in taken) == len(wanted)
    assert real_database.rows("SELECT DISTINCT state, lost_leases FROM quiz_job") == [("waiting", 1)]
    queued = real_database.rows("SELECT COUNT(*) FROM django_tasks_database_dbtaskresult")
    assert queued == [(2 * len(wanted),)]


def test_a_killed_workers_job_is_finished_by_another(real_database: RealDatabase) -> None:
    [pk] = enqueue(real_database, "slow")
    first = real_database.start(*WORKER, log="first", **SHORT_LEASE)
    wait_until(lambda: running_step(real_database, pk, step=3), what="the job runs")
    first.kill()
    first.wait()
    real_database.start(*WORKER, log="second", **SHORT_LEASE)
    wait_until(lambda: job(real_database, pk)["state"] == "done", what="the job is finished")
    row = job(real_database, pk)
    assert (row["attempt"], row["lost_leases"]) == (2, 1)
    assert results(real_database) == 1
    names = real_database.rows("SELECT name FROM quiz_worker")
    assert len(names) == 1, "the killed worker's row is removed by its successor"


@pytest.mark.parametrize("kind", ["blind", pytest.param("slow", marks=pytest.mark.prove)])
def test_a_zombie_writes_nothing(real_database: RealDatabase, kind: str) -> None:
    [pk] = enqueue(real_database, kind)
    zombie = real_database.start(*WORKER, log="zombie", **SHORT_LEASE)
    wait_until(lambda: running_step(real_database, pk), what="the job runs")
    real_database.freeze(zombie)
    heir = real_database.start(*WORKER, log="heir", **SHORT_LEASE)
    wait_until(lambda: job(real_database, pk)["state"] == "done", what="another has finished the job")
    before = job(real_database, pk)
    assert (before["attempt"], results(real_database)) == (2, 1)
    os.kill(zombie.pid, signal.SIGCONT)
    wait_until(lambda: "lost its lease" in real_database.log("zombie"), what="the zombie notices")
    assert job(real_database, pk) == before
    assert str(heir.pid) in str(before["worker"])
    assert results(real_database) == 1
    assert zombie.poll() is None, "it goes on with the next job"


def test_a_stopped_worker_gives_its_job_back(real_database: RealDatabase) -> None:
    [pk] = enqueue(real_database, "slow")
    worker = real_database.start(*WORKER)
    wait_until(lambda: running_step(real_database, pk, step=3), what="the job runs")
    worker.terminate()
    assert worker.wait(timeout=5) == 0
    row = job(real_database, pk)
    assert (row["state"], row["attempt"], row["lost_leases"], row["worker"]) == ("waiting", 1, 0, "")
    assert real_database.rows("SELECT COUNT(*) FROM quiz_worker") == [(0,)]
    real_database.start(*WORKER, log="next")
    wait_until(lambda: job(real_database, pk)["state"] == "done", what="another worker finishes it")
    assert results(real_database) == 1


@pytest.mark.parametrize("queue", ["checks", "lab"])
def test_a_worker_stopped_as_soon_as_it_is_seen_leaves_no_row(
    real_database: RealDatabase, queue: str
) -> None:
    assert json.loads(real_database.run(*ACTOR, "stopped_when_seen", queue).stdout.splitlines()[-1]) == 0


@pytest.mark.prove
def test_a_place_lost_in_the_queue_is_given_again(real_database: RealDatabase) -> None:
    """A worker killed between taking the place and claiming the job leaves a job that waits for nothing."""
    [pk] = enqueue(real_database, "quick")
    script = (
        "import django; django.setup();"
        "from django_tasks_db.models import DBTaskResult;"
        "DBTaskResult.objects.update(status='RUNNING')"
    )
    real_database.run("-c", script)
    real_database.start(*WORKER, **SHORT_LEASE)
    wait_until(lambda: job(real_database, pk)["state"] == "done", what="the job is remembered")
    assert job(real_database, pk)["attempt"] == 1


def hold_under_load(database: RealDatabase, *, seconds: float, writers: int) -> None:
    enqueue(database, "slow")
    started: list[subprocess.Popen[str]] = [
        database.start(*ACTOR, "write_for", str(seconds + 1), log=f"writer-{number}")
        for number in range(writers)
    ]
    holder = database.start(*ACTOR, "hold_for", str(seconds), log="holder", **SHORT_LEASE)
    assert [process.wait(timeout=seconds + 60) for process in [*started, holder]] == [0] * (writers + 1)
    answer = json.loads(database.log("holder").splitlines()[-1])
    written = sum(int(database.log(f"writer-{number}").split()[-1]) for number in range(writers))
    assert answer["lost"] is False
    assert answer["steps"] > seconds
    assert written == results(database) > 100


def test_a_lease_lasts_under_writers(sqlite_file: RealDatabase) -> None:
    hold_under_load(sqlite_file, seconds=4, writers=3)


@pytest.mark.prove
def test_a_lease_lasts_under_many_writers(real_database: RealDatabase) -> None:
    hold_under_load(real_database, seconds=30, writers=6)
