"""Jobs as the pages see them: enqueue, cancel, position, and what a task's body does to its job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from quiz.work import jobs, stopping
from quiz.work.kinds import UnknownKind, task_of
from quiz.work.leasing import CancelAsked, Lease, LeaseLost, carry_out, claim
from quiz.work.models import Job, Queue, State, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def queued() -> list[tuple[Any, ...]]:
    """What the dummy queue of the test settings holds: (queue, arguments)."""
    results = task_of("quick").get_backend().results
    return [(result.task.queue_name, result.args) for result in results]


@pytest.fixture
def waiting() -> Job:
    job = jobs.create("quick", queue=Queue.CHECKS)
    jobs.enqueue(job)
    return job


def held(job: Job) -> Lease:
    lease = claim(job.pk, worker="w")
    assert lease is not None
    return lease


def test_enqueue_hands_the_job_to_its_queue_by_its_kind(waiting: Job) -> None:
    assert queued() == [("checks", [waiting.pk])]


def test_a_kind_that_nobody_registered_is_refused() -> None:
    job = jobs.create("nobody", queue=Queue.CHECKS)
    with pytest.raises(UnknownKind, match="'nobody'"):
        jobs.enqueue(job)


def test_a_rolled_back_job_does_not_exist() -> None:
    with transaction.atomic():
        jobs.enqueue(jobs.create("quick", queue=Queue.CHECKS))
        transaction.set_rollback(True)
    assert Job.objects.count() == 0


def test_claim_counts_the_attempt_and_is_given_once(waiting: Job) -> None:
    lease = held(waiting)
    assert (lease.attempt, claim(waiting.pk, worker="other")) == (1, None)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.worker, waiting.attempt) == (State.RUNNING, "w", 1)
    assert waiting.started_at is not None
    assert waiting.lease_until is not None
    assert waiting.lease_until - waiting.started_at == jobs.lease_length()


def test_claim_of_nothing_is_nothing() -> None:
    assert claim(12345, worker="w") is None


def test_carry_out_ends_the_job(waiting: Job) -> None:
    carry_out(waiting.pk, lambda lease: lease.step(3, of=7, doing="counting"))
    waiting.refresh_from_db()
    assert (waiting.state, waiting.done_steps, waiting.all_steps) == (State.DONE, 3, 7)
    assert (waiting.doing, waiting.lease_until, waiting.is_finished) == ("", None, True)
    assert waiting.finished_at is not None


def test_carry_out_again_does_nothing(waiting: Job) -> None:
    ran: list[int] = []
    carry_out(waiting.pk, lambda lease: ran.append(lease.attempt))
    carry_out(waiting.pk, lambda lease: ran.append(lease.attempt))
    assert ran == [1]


def test_an_error_fails_the_job_with_its_text(waiting: Job) -> None:
    def body(_lease: Lease) -> None:
        raise ValueError("seven is too many")

    carry_out(waiting.pk, body)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.error) == (State.FAILED, "ValueError: seven is too many")


def test_a_waiting_job_is_cancelled_at_once(waiting: Job) -> None:
    jobs.ask_cancel(waiting)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt) == (State.CANCELLED, 0)
    assert claim(waiting.pk, worker="w") is None


def test_a_running_job_is_cancelled_at_its_next_check(waiting: Job) -> None:
    def body(lease: Lease) -> None:
        jobs.ask_cancel(waiting)
        lease.step(1, of=2)
        raise AssertionError("it went on")

    carry_out(waiting.pk, body)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.done_steps, waiting.error) == (State.CANCELLED, 0, "")


def test_cancelling_a_finished_job_changes_nothing(waiting: Job) -> None:
    carry_out(waiting.pk, lambda lease: None)
    jobs.ask_cancel(waiting)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.cancel_asked) == (State.DONE, False)


def test_a_stopping_process_gives_the_job_back(waiting: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "_asked", True)
    carry_out(waiting.pk, lambda lease: lease.check())
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt, waiting.lost_leases) == (State.WAITING, 1, 0)
    assert queued() == [("checks", [waiting.pk])] * 2


def test_every_write_of_a_lost_lease_is_refused(waiting: Job) -> None:
    zombie = held(waiting)
    Job.objects.filter(pk=waiting.pk).update(state=State.WAITING)
    heir = held(waiting)
    before = Job.objects.values().get(pk=waiting.pk)
    for write in (
        zombie.renew,
        zombie.look,
        zombie.finish,
        zombie.cancel,
        zombie.give_back,
        lambda: zombie.fail("x"),
        lambda: zombie.step(9, of=9),
        lambda: zombie.writing().__enter__(),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert zombie.lost
    assert Job.objects.values().get(pk=waiting.pk) == before
    heir.finish()


def test_a_late_check_renews_a_lease_that_nobody_took(waiting: Job) -> None:
    lease = held(waiting)
    lease._renewed -= 1000
    Job.objects.filter(pk=waiting.pk).update(lease_until=NOW - timedelta(days=365))
    lease.check()
    waiting.refresh_from_db()
    assert waiting.lease_until is not None
    assert waiting.lease_until > NOW


def test_check_tells_that_a_cancel_was_asked(waiting: Job) -> None:
    lease = held(waiting)
    lease.check()
    jobs.ask_cancel(waiting)
    lease._looked -= 1
    with pytest.raises(CancelAsked):
        lease.check()


def test_position_counts_unfinished_jobs_of_the_same_queue() -> None:
    first, second, third = (jobs.create("quick", queue=Queue.LAB) for _ in range(3))
    jobs.create("quick", queue=Queue.CHECKS)
    assert [jobs.position(job) for job in (first, second, third)] == [0, 1, 2]
    held(first).finish()
    first.refresh_from_db()
    assert [jobs.position(job) for job in (first, second, third)] == [0, 0, 1]


def test_workers_alive_are_those_seen_within_a_lease() -> None:
    for name, queue, age in (("a", "lab", 0), ("b", "checks", 29), ("c", "lab", 31)):
        seen = NOW - timedelta(seconds=age)
        Worker.objects.create(name=name, queue=queue, host="h", started_at=seen, seen_at=seen)
    assert [worker.name for worker in jobs.workers_alive(NOW)] == ["b", "a"]
    assert [worker.name for worker in jobs.workers_alive(NOW, queue="lab")] == ["a"]
