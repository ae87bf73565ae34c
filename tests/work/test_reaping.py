"""What a dead worker held, and what the queue forgot, is given back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from quiz.work import jobs
from quiz.work.leasing import claim
from quiz.work.models import Job, Queue, State, Worker
from quiz.work.reaping import MAX_LOST_LEASES, expire, remind
from tests.work.kinds import places

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def running(*, lease_until: datetime, **fields: object) -> Job:
    job = jobs.create("quick", queue=Queue.CHECKS)
    claim(job.pk, worker="dead")
    Job.objects.filter(pk=job.pk).update(lease_until=lease_until, **fields)
    return Job.objects.get(pk=job.pk)


def test_a_lease_that_ran_out_sends_the_job_back() -> None:
    lost, kept = running(lease_until=NOW), running(lease_until=NOW + SECOND)
    assert expire(NOW) == 1
    assert places() == [lost.pk]
    lost.refresh_from_db()
    kept.refresh_from_db()
    assert (lost.state, lost.attempt, lost.lost_leases, lost.worker) == (State.WAITING, 1, 1, "")
    assert (kept.state, kept.lost_leases) == (State.RUNNING, 0)
    again = claim(lost.pk, worker="heir")
    assert again is not None
    assert again.attempt == 2


def test_the_third_lost_worker_fails_the_job() -> None:
    job = running(lease_until=NOW, lost_leases=MAX_LOST_LEASES - 1)
    assert expire(NOW) == 1
    job.refresh_from_db()
    assert (job.state, job.lost_leases, job.finished_at) == (State.FAILED, 3, NOW)
    assert job.error == ""
    assert places() == []
    with translation.override("en"):
        assert job.failure == "3 workers died or fell silent at this job; the last was dead."
    with translation.override("zh-hans"):
        assert job.failure == "先后有 3 个工作进程在这个任务上中断或失联，最后一个是 dead。"
    job.error = "ValueError: what was raised"
    assert job.failure == job.error


def test_a_cancelled_job_is_not_sent_back() -> None:
    job = running(lease_until=NOW, cancel_asked=True)
    assert expire(NOW) == 1
    job.refresh_from_db()
    assert (job.state, places()) == (State.CANCELLED, [])


def test_a_job_of_an_unknown_kind_is_left_for_who_knows_it() -> None:
    job = running(lease_until=NOW, kind="of another version")
    assert expire(NOW) == 0
    job.refresh_from_db()
    assert job.state == State.RUNNING


def forgotten(*, lease_until: datetime) -> Job:
    job = jobs.create("quick", queue=Queue.CHECKS)
    Job.objects.filter(pk=job.pk).update(lease_until=lease_until)
    return job


def worker(seen_at: datetime) -> None:
    Worker.objects.create(name="w", queue="checks", host="h", started_at=seen_at, seen_at=seen_at)


def test_a_forgotten_job_is_enqueued_again_once_a_lease() -> None:
    job = forgotten(lease_until=NOW)
    worker(NOW)
    assert (remind(NOW), remind(NOW)) == (1, 0)
    assert places() == [job.pk]


def test_nothing_is_forgotten_while_the_queue_is_busy() -> None:
    forgotten(lease_until=NOW)
    running(lease_until=NOW + SECOND)
    worker(NOW)
    assert (remind(NOW), places()) == (0, [])


def test_nothing_is_enqueued_again_where_nobody_works() -> None:
    forgotten(lease_until=NOW)
    worker(NOW - timedelta(hours=1))
    assert (remind(NOW), places()) == (0, [])
