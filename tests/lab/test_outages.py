"""The database goes away under a working worker and comes back: the run is finished, the worker lives."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import clusters
from tests.clusters import Cluster
from tests.conftest import require
from tests.databases import RealDatabase, wait_until
from tests.lab.watching import FOUR_POINTS, LEASE, Lab

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    require("postgres server")
    with clusters.running() as cluster:
        RealDatabase(cluster.url(), tmp_path_factory.mktemp("cluster")).run("manage.py", "migrate", "-v0")
        yield cluster


@pytest.fixture
def lab(migrated: Cluster, tmp_path: Path) -> Iterator[Lab]:
    database = RealDatabase(migrated.url(), tmp_path)
    try:
        yield Lab(database)
    finally:
        database.end()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_run_outlives_a_database_that_is_away_for_a_while(lab: Lab, migrated: Cluster, mode: str) -> None:
    """Away for longer than a lease, in the middle of a point; the same worker process finishes the run."""
    run, job = lab.start()
    worker = lab.worker("worker", LAB_SECONDS="1")
    wait_until(lambda: len(lab.begun()) == 2, what="the second point is being measured")
    before = lab.points(run)
    migrated.stop(mode)
    wait_until(lambda: "tried again in 1 s" in lab.log("worker"), what="the worker has met it twice")
    time.sleep(LEASE)
    migrated.start()
    ended = lab.wait_for(job, "done")
    assert (ended["lost_leases"], ended["error"]) == (1, "")
    assert_finished_once(lab, run, before)
    assert worker.poll() is None
    assert ended["worker"].endswith(f"-{worker.pid}-lab")


def test_a_database_that_restarts_within_a_point_is_hardly_noticed(lab: Lab, migrated: Cluster) -> None:
    """Back before the point ends: the connection is broken, the lease may even hold."""
    run, job = lab.start()
    worker = lab.worker("worker", LAB_SECONDS="3")
    wait_until(lambda: len(lab.begun()) == 2, what="the second point is being measured")
    before = lab.points(run)
    migrated.stop("immediate")
    migrated.start()
    assert lab.wait_for(job, "done")["lost_leases"] <= 1
    assert_finished_once(lab, run, before)
    _run, after = lab.start({**FOUR_POINTS, "backends": ["flash"], "lengths": [16]})
    lab.wait_for(after, "done")
    assert worker.poll() is None, "the same process goes on"


def test_a_worker_waits_for_a_database_that_is_not_there_yet(lab: Lab, migrated: Cluster) -> None:
    run, job = lab.start()
    migrated.stop()
    worker = lab.worker("worker")
    told = "the database fails: "
    wait_until(lambda: lab.log("worker").count(told) == 2, what="the worker tries again")
    stopped = lab.worker("stopped")
    wait_until(lambda: told in lab.log("stopped"), what="another does too")
    stopped.terminate()
    assert stopped.wait(timeout=10) == 0, "it can be asked to end meanwhile"
    migrated.start()
    lab.wait_for(job, "done")
    assert lab.positions(run) == [0, 1, 2, 3]
    assert worker.poll() is None


def assert_finished_once(lab: Lab, run: int, before: list[tuple[Any, ...]]) -> None:
    """Every position is there once, what was stored is as it was, and was not measured again."""
    found = lab.points(run)
    assert found[: len(before)] == before
    assert [row[1] for row in found] == [0, 1, 2, 3]
    times = Counter(child.point for child in lab.begun())
    assert list(times.values())[: len(before)] == [1] * len(before)
