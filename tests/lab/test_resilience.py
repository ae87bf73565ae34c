"""A worker dies at every moment at which one can, with real processes: nothing stored is lost or measured
again, and another worker finishes the run; workers that start at once share it without a word."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from tests.databases import RealDatabase, wait_until
from tests.lab.plug import STAGES
from tests.lab.watching import FOUR_POINTS, Lab, is_gone

pytestmark = pytest.mark.prove

# Where a worker dies: the stage, the positions stored by then, and the points that must be measured again,
# because a child had begun with them and nothing was stored.
DEATHS = {
    "before_claim": ([], []),
    "after_claim": ([], []),
    "measuring:2": ([0], [1]),
    "measured:3": ([0, 1], [2]),
    "in_write:2": ([0], [1]),
    "written:2": ([0, 1], []),
    "before_finish": ([0, 1, 2, 3], []),
    "after_finish": ([0, 1, 2, 3], []),
}


@pytest.fixture
def lab(real_database: RealDatabase) -> Lab:
    return Lab(real_database)


def test_every_stage_has_its_death() -> None:
    assert [death.partition(":")[0] for death in DEATHS] == list(STAGES)


@pytest.mark.parametrize("death", DEATHS)
def test_a_worker_killed_at_any_stage_is_replaced(lab: Lab, death: str) -> None:
    stored, again = DEATHS[death]
    run, job = lab.start()
    first = lab.worker("first", LAB_DIE_AT=death)
    assert first.wait(timeout=60) == -signal.SIGKILL
    wait_until(lambda: all(is_gone(child.pid) for child in lab.begun()), seconds=5, what="no child is left")
    before = lab.points(run)
    assert [row[1] for row in before] == stored
    if death == "after_finish":
        assert lab.job(job)["state"] == "done"
    second = lab.worker("second")
    ended = lab.wait_for(job, "done")

    found = lab.points(run)
    assert found[: len(before)] == before, "what was stored stays, to the row"
    assert [row[1] for row in found] == [0, 1, 2, 3]
    assert {row[3] for row in found} == {"measured"}
    assert ended["error"] == ""
    assert ended["done_steps"] == 4
    lost = death not in ("before_claim", "after_finish")
    assert ended["lost_leases"] == int(lost)
    assert {row[2] for row in found[len(before) :]} <= {1 + int(lost)}
    times = Counter(child.point for child in lab.begun())
    assert times == Counter(points_in_order()) + Counter(points_in_order()[n] for n in again)
    assert second.poll() is None


def points_in_order() -> list[tuple[str, int, int]]:
    """The points by position, as the demonstration lists them."""
    from quiz.lab import demos

    listed = demos.get("attention_length").points(FOUR_POINTS)
    return [(point["backend"], point["length"], point["heads"]) for point in listed]


def test_the_third_lost_worker_fails_the_run_with_the_reason(lab: Lab) -> None:
    """Each worker dies at the same point; the fourth finds nothing to do, and no child was begun in vain."""
    run, job = lab.start()
    for number in range(3):
        died = lab.worker(f"worker-{number}", LAB_DIE_AT="measuring:2" if number == 0 else "measuring")
        assert died.wait(timeout=60) == -signal.SIGKILL
    last = lab.worker("last")
    ended = lab.wait_for(job, "failed")
    assert ended["lost_leases"] == 3
    assert ended["attempt"] == 3
    assert ended["error"] == ""
    assert ended["worker"].endswith(f"-{died.pid}-lab")
    assert lab.positions(run) == [0], "what was measured stays"
    _again, job_after = lab.start()
    lab.wait_for(job_after, "done")
    assert last.poll() is None
    assert lab.job(job)["state"] == "failed"


def test_two_workers_at_once_share_six_runs_and_no_point(lab: Lab) -> None:
    heads = [1, 2, 4, 8, 16, 32]
    started = lab.start_all([{**FOUR_POINTS, "heads": count} for count in heads])
    workers = [lab.worker("left"), lab.worker("right")]
    for _run, job in started:
        ended = lab.wait_for(job, "done", seconds=120)
        assert (ended["lost_leases"], ended["error"]) == (0, "")
    children = lab.begun()
    everything = [(b, n, h) for h in heads for b, n, _one in points_in_order()]
    assert Counter(child.point for child in children) == dict.fromkeys(everything, 1)
    assert {child.worker for child in children} == {worker.pid for worker in workers}, "both had work"
    keys = [(run, row[1], row[2]) for run, _job in started for row in lab.points(run)]
    assert len(keys) == len(set(keys)) == len(everything)
    assert all(lab.positions(run) == [0, 1, 2, 3] for run, _job in started)
