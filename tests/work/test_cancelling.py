"""A cancel that was asked for is never lost, whatever the job's worker or the reaper does at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from quiz.work import jobs
from quiz.work.leasing import GiveBack, Lease, MakeWay, Stopping, carry_out, claim
from quiz.work.models import Job, Queue, State
from quiz.work.reaping import MAX_LOST_LEASES, expire
from tests.work.kinds import places

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LATER = timedelta(days=1)


@pytest.fixture
def held() -> Lease:
    lease = claim(jobs.create("quick", queue=Queue.CHECKS).pk, worker="w")
    assert lease is not None
    return lease


def job_of(lease: Lease) -> Job:
    return Job.objects.get(pk=lease.job_id)


@contextmanager
def after_statement(number: int, act: Callable[[], object]) -> Iterator[None]:
    """Another process acts once so many statements were carried out; 0: before the first."""
    seen, acted = 0, False

    def watch(execute: Any, *statement: Any) -> Any:
        nonlocal seen, acted
        if seen == number and not acted:
            acted = True
            act()
        seen += not acted
        return execute(*statement)

    with connection.execute_wrapper(watch):
        yield
    if not acted:
        act()


@pytest.mark.parametrize("reason", [MakeWay, Stopping])
def test_a_job_that_goes_back_while_it_is_being_cancelled_ends(reason: type[GiveBack]) -> None:
    job = jobs.create("quick", queue=Queue.CHECKS)

    def body(_lease: Lease) -> None:
        jobs.ask_cancel(job)
        raise reason

    carry_out(job.pk, body)
    job.refresh_from_db()
    assert (job.state, job.worker != "", job.lease_until) == (State.CANCELLED, True, None)
    assert job.finished_at is not None
    assert places() == []


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("goes_back", ["given", "expired"])
def test_a_job_may_go_back_at_any_moment_of_a_cancel(held: Lease, goes_back: str, number: int) -> None:
    def back() -> object:
        return held.give_back() if goes_back == "given" else expire(timezone.now() + LATER)

    with after_statement(number, back):
        jobs.ask_cancel(job_of(held))
    ended = job_of(held)
    assert (ended.state, ended.cancel_asked) == (State.CANCELLED, True)
    assert ended.finished_at is not None


@pytest.mark.parametrize("lost", [0, MAX_LOST_LEASES - 1])
@pytest.mark.parametrize("number", range(3))
def test_a_cancel_may_come_at_any_moment_of_an_expiry(held: Lease, number: int, lost: int) -> None:
    """What it may not do is begin again; that it has failed by then is no harm."""
    Job.objects.filter(pk=held.job_id).update(lost_leases=lost)
    with after_statement(number, lambda: jobs.ask_cancel(job_of(held))):
        expire(timezone.now() + LATER)
    expire(timezone.now() + LATER)
    ended = job_of(held)
    assert ended.state == (State.FAILED if lost and number == 2 else State.CANCELLED)
    assert claim(ended.pk, worker="heir") is None
