"""The daily tidying: what it removes, what it keeps, and when it is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import override_settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from quiz.accounts.expiry import BATCH
from quiz.accounts.models import Visitor
from quiz.responses.models import Response, Variant
from quiz.work.models import Job, State, Worker
from quiz.work.tidying import KIND, enqueue_when_due, tidy, tidying

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def answered(visitor: Visitor) -> None:
    variant, _made = Variant.objects.get_or_create(family="softmax_row", seed=1, version=1, drawn={})
    Response.objects.create(
        visitor=visitor, variant=variant, raw={}, verdict="right", score=1, marking_version=1
    )


@override_settings(VISITOR_DAYS=90)
def test_idle_visitors_go_with_all_they_answered() -> None:
    idle = Visitor.objects.create(seen_at=NOW - 90 * DAY - timedelta(seconds=1))
    back = Visitor.objects.create(seen_at=NOW - 90 * DAY)
    answered(visitor=idle)
    answered(visitor=back)
    assert "1 idle visitors removed" in tidy(NOW)
    assert list(Visitor.objects.all()) == [back]
    assert [response.visitor for response in Response.objects.all()] == [back]


def test_more_idle_visitors_than_a_batch_all_go() -> None:
    Visitor.objects.bulk_create(Visitor(seen_at=NOW - 1000 * DAY) for _ in range(BATCH + 1))
    assert f"{BATCH + 1} idle visitors removed" in tidy(NOW)
    assert Visitor.objects.count() == 0


def test_users_answers_stay(candidate: object) -> None:
    variant = Variant.objects.create(family="softmax_row", seed=1, version=1, drawn={})
    Response.objects.create(
        user=candidate, variant=variant, raw={}, verdict="right", score=1, marking_version=1
    )
    tidy(NOW + 10_000 * DAY)
    assert Response.objects.count() == 1


def test_expired_sessions_go() -> None:
    for key, days in (("old", -1), ("new", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=NOW + days * DAY)
    tidy(NOW)
    assert [session.session_key for session in Session.objects.all()] == ["new"]


def test_old_tidy_jobs_and_gone_workers_go() -> None:
    for name, days in (("old", 31), ("new", 29)):
        Job.objects.create(
            kind=KIND, queue="checks", state="done", doing=name, finished_at=NOW - days * DAY, due_at=NOW
        )
    Job.objects.create(
        kind="lab_run", queue="lab", state="done", doing="other", finished_at=NOW - 31 * DAY, due_at=NOW
    )
    for name, hours in (("gone", 25), ("here", 23)):
        seen = NOW - timedelta(hours=hours)
        Worker.objects.create(name=name, queue="lab", host="h", started_at=seen, seen_at=seen)
    assert "1 old jobs and 1 gone workers removed" in tidy(NOW)
    assert {job.doing for job in Job.objects.all()} == {"new", "other"}
    assert [worker.name for worker in Worker.objects.all()] == ["here"]


@override_settings(TASKS={"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["checks"]}})
def test_finished_queue_rows_older_than_a_month_go() -> None:
    now = timezone.now()
    for status, days in (("SUCCESSFUL", 31), ("FAILED", 31), ("SUCCESSFUL", 29), ("READY", 31)):
        DBTaskResult.objects.create(
            status=status,
            finished_at=None if status == "READY" else now - days * DAY,
            run_after=now,
            args_kwargs={"args": [], "kwargs": {}},
            task_path="quiz.work.tidying.tidy_up",
            queue_name="checks",
            backend_name="default",
        )
    tidy(now)
    assert sorted(DBTaskResult.objects.values_list("status", flat=True)) == ["READY", "SUCCESSFUL"]


def test_the_tidying_is_due_once_a_day() -> None:
    assert enqueue_when_due(timezone.now())
    assert not enqueue_when_due(timezone.now())
    assert not enqueue_when_due(timezone.now() + timedelta(hours=23))
    assert enqueue_when_due(timezone.now() + timedelta(hours=25))


def test_a_failed_tidying_is_tried_again_after_an_hour() -> None:
    enqueue_when_due(timezone.now())
    Job.objects.update(state=State.FAILED)
    assert not enqueue_when_due(timezone.now() + timedelta(minutes=59))
    assert enqueue_when_due(timezone.now() + timedelta(minutes=61))


def test_one_failing_receiver_keeps_nothing_else_from_being_tidied() -> None:
    def broken(**_signal: object) -> str:
        raise RuntimeError("disk")

    Visitor.objects.create(seen_at=NOW - 1000 * DAY)
    tidying.connect(broken)
    try:
        with pytest.raises(ExceptionGroup) as caught:
            tidy(NOW)
    finally:
        tidying.disconnect(broken)
    assert [str(error) for error in caught.value.exceptions] == ["disk"]
    assert Visitor.objects.count() == 0


def test_the_command_says_what_it_did() -> None:
    Visitor.objects.create(seen_at=timezone.now() - 1000 * DAY)
    out = StringIO()
    call_command("tidy", stdout=out)
    assert out.getvalue().splitlines()[0] == "1 idle visitors removed"
