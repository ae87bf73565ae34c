"""What the worker does with a run, by a measuring stand-in: order, resuming, admission, cancel, attempts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from quiz.lab import children, device
from quiz.lab.models import Run
from quiz.lab.tasks import run_points
from quiz.work import jobs
from quiz.work.leasing import Lease, LeaseLost, carry_out, claim
from quiz.work.models import State
from tests.lab.planted import CPU, DEMO, PARAMETERS, a_run, measured, store

pytestmark = pytest.mark.django_db


class Stand:
    """Measures nothing and remembers what it was asked; `before` runs before each answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.limits: list[children.Limits] = []
        self.budgets: list[float] = []
        self.before: Any = lambda count: None

    def measure(
        self,
        configuration: dict[str, Any],
        *,
        limits: children.Limits,
        budget: float,
        check: Any,
        module: str,
    ) -> dict[str, Any]:
        self.before(len(self.asked))
        check()
        assert module == "attention_core.benchmark"
        self.asked.append((configuration["backend"], configuration["length"]))
        self.limits.append(limits)
        self.budgets.append(budget)
        return measured(float(len(self.asked)))


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Stand:
    found = Stand()
    monkeypatch.setattr(children, "measure", found.measure)
    monkeypatch.setattr(device, "here", lambda kind: CPU)
    return found


def leased(run: Run) -> Lease:
    lease = claim(run.job_id, worker="tests")
    assert lease is not None
    return lease


ORDER = [("flash", 128), ("naive", 128), ("naive", 256), ("flash", 256)]


def test_points_are_measured_in_order_and_stored_as_they_come(stand: Stand, settings: Any) -> None:
    settings.LAB_POINT_SECONDS = 7
    run = a_run()
    seen = []
    stand.before = lambda count: seen.append((count, run.points.count(), *_standing(run)))
    carry_out(run.job_id, run_points)
    assert stand.asked == ORDER
    assert seen == [(n, n, n, 4, f"{backend} {length}") for n, (backend, length) in enumerate(ORDER)]
    assert [(p.position, p.attempt, p.outcome, p.measurement["median_ms"]) for p in run.points.all()] == [
        (n, 1, "measured", n + 1.0) for n in range(4)
    ]
    assert {p.configuration["device"] for p in run.points.all()} == {"cpu"}
    run.job.refresh_from_db()
    assert (run.job.state, run.job.done_steps, run.job.all_steps) == (State.DONE, 4, 4)
    assert {(limits.seconds, limits.memory, limits.address_space) for limits in stand.limits} == {
        (7, int(CPU.free_bytes * 0.9), True)
    }


def _standing(run: Run) -> tuple[int, int, str]:
    run.job.refresh_from_db()
    return run.job.done_steps, run.job.all_steps, run.job.doing


def test_a_second_attempt_begins_at_the_first_point_without_a_result(stand: Stand) -> None:
    run = a_run(attempt=1)
    store(run, 0, measured(9))
    store(run, 2, measured(9))
    run_points(leased(run))
    assert stand.asked == [ORDER[1], ORDER[3]]
    assert [(p.position, p.attempt) for p in run.points.all()] == [(0, 1), (1, 2), (2, 1), (3, 2)]


def test_a_point_without_room_is_refused_with_the_sum_and_the_next_is_tried(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(CPU, free_bytes=300 * 2**20)
    monkeypatch.setattr(device, "here", lambda kind: small)
    run = a_run(parameters={**PARAMETERS, "lengths": [128, 2048]})
    run_points(leased(run))
    assert stand.asked == [("flash", 128), ("naive", 128)]
    refused = run.points.get(position=2)
    assert refused.outcome == "refused"
    needed, free = refused.measurement["needed_bytes"], refused.measurement["free_bytes"]
    assert needed == 256 * 2**20 + sum(term.size for term in DEMO.terms(DEMO.points(run.parameters)[2]))
    assert free == small.free_bytes
    assert (
        refused.measurement["reason"]
        == f"needs {needed} bytes, {int(free * 0.9)} may be used ({free} free × 0.9)"
    )
    foretold = DEMO.foretold(DEMO.points(run.parameters)[2])
    assert refused.measurement["predicted_peak_bytes"] == foretold["predicted_peak_bytes"]


def test_on_a_card_the_child_may_map_what_it_likes(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    card = replace(CPU, kind="cuda", free_bytes=100 * 2**30)
    monkeypatch.setattr(device, "here", lambda kind: card)
    run = a_run(device="cuda")
    run_points(leased(run))
    assert {p.configuration["device"] for p in run.points.all()} == {"cuda"}
    assert {(limits.memory, limits.address_space) for limits in stand.limits} == {
        (int(CPU.host_free_bytes * 0.9), False)
    }


def test_cancelling_stops_within_the_point_and_keeps_the_others(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quiz.work.leasing.LOOK_SECONDS", 0.0)
    run = a_run()
    stand.before = lambda count: jobs.ask_cancel(run.job) if count == 2 else None
    carry_out(run.job_id, run_points)
    run.job.refresh_from_db()
    assert (run.job.state, run.points.count()) == (State.CANCELLED, 2)


def test_a_lost_lease_writes_nothing_more(stand: Stand) -> None:
    run = a_run()
    lease = leased(run)

    def take_away(count: int) -> None:
        if count == 1:
            type(run.job).objects.filter(pk=run.job_id).update(attempt=2, worker="another")

    stand.before = take_away
    with pytest.raises(LeaseLost):
        run_points(lease)
    assert [p.position for p in run.points.all()] == [0]


def test_a_run_cancelled_while_it_waited_is_not_begun(stand: Stand) -> None:
    run = a_run()
    jobs.ask_cancel(run.job)
    carry_out(run.job_id, run_points)
    assert (stand.asked, run.points.count()) == ([], 0)


def test_a_crash_of_one_point_does_not_end_the_run(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([{"outcome": "crashed", "reason": "SIGSEGV"}, *(measured(1) for _ in range(3))])
    monkeypatch.setattr(children, "measure", lambda *_a, **_k: next(answers))
    run = a_run()
    carry_out(run.job_id, run_points)
    assert [p.outcome for p in run.points.all()] == ["crashed", "measured", "measured", "measured"]


def test_a_run_that_waited_while_a_parameter_was_added_is_measured_with_its_default(stand: Stand) -> None:
    older = {name: value for name, value in PARAMETERS.items() if name != "causal"}
    run = a_run()
    Run.objects.filter(pk=run.pk).update(parameters=older)
    carry_out(run.job_id, run_points)
    assert stand.asked == ORDER
    assert {point.configuration["causal"] for point in run.points.all()} == {False}
