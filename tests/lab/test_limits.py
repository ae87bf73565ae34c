"""How much one person may start: a few runs a day, not too long, and the queue is not endless."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person
from quiz.lab.admission import assess
from quiz.lab.limits import MIB, allowance
from quiz.lab.models import Run
from quiz.lab.offering import allowance_refusals, size_refusals, time_refusals
from quiz.lab.starting import NotAllowed, may_cancel, start
from quiz.work.models import Job, State
from tests.lab.planted import DEMO, PARAMETERS, a_run

pytestmark = pytest.mark.django_db


def visitor() -> Person:
    return Person(visitor_id=Visitor.objects.create().pk)


def age(run: Run, hours: float, now: datetime) -> None:
    Run.objects.filter(pk=run.pk).update(created_at=now - timedelta(hours=hours))


def test_a_visitor_may_start_so_many_and_is_told_when_again(settings: Any) -> None:
    settings.LAB_VISITOR_RUNS_A_DAY = 2
    now, person = timezone.now(), visitor()
    owner = Visitor.objects.get()
    for hours in (30, 20, 5):
        age(a_run(visitor=owner, state=State.DONE), hours, now)
    found = allowance(person, now=now)
    assert (found.a_day, found.used, found.left) == (2, 2, 0)
    assert found.again_at == now - timedelta(hours=20) + timedelta(days=1)
    [reason] = allowance_refusals(found)
    local = timezone.localtime(found.again_at)
    assert reason.startswith("You have started 2 of 2 runs in 24 hours. You can start again from ")
    assert f"{local:%H:%M}" in reason or str(int(f"{local:%I}")) in reason
    later = allowance(person, now=now + timedelta(hours=4, minutes=1))
    assert (later.left, later.again_at) == (1, None)


def test_everyone_counts_for_themselves(candidate: User, other_candidate: User, settings: Any) -> None:
    settings.LAB_USER_RUNS_A_DAY = 1
    a_run(user=candidate, state=State.DONE)
    now = timezone.now()
    assert allowance(Person(user=candidate), now=now).left == 0
    assert allowance(Person(user=other_candidate), now=now).left == 1
    assert allowance(Person(), now=now).used == 0


def test_a_site_without_visitors_says_so(settings: Any) -> None:
    settings.LAB_VISITOR_RUNS_A_DAY = 0
    found = allowance(visitor(), now=timezone.now())
    assert (found.left, found.again_at) == (0, None)
    assert allowance_refusals(found) == ["Visitors cannot start runs here: sign in."]


def test_a_full_queue_refuses_everyone(settings: Any, candidate: User) -> None:
    settings.LAB_QUEUE_LIMIT = 2
    a_run(state=State.RUNNING)
    a_run(state=State.CANCELLED)
    assert not allowance(visitor(), now=timezone.now()).queue_is_full
    a_run()
    found = allowance(Person(user=candidate), now=timezone.now())
    assert allowance_refusals(found) == ["The queue is full (2 runs). Try again later."]
    with pytest.raises(NotAllowed):
        start(Person(user=candidate), assess(DEMO, PARAMETERS, None), now=timezone.now())


def test_starting_writes_the_run_its_job_and_the_queue(candidate: User) -> None:
    run = start(Person(user=candidate), assess(DEMO, PARAMETERS, None), now=timezone.now())
    assert (run.user, run.visitor, run.demo, run.parameters) == (
        candidate, None, "attention_length", PARAMETERS,
    )  # fmt: skip
    assert (run.job.queue, run.job.kind, run.job.state, run.job.all_steps) == ("lab", "lab_run", "waiting", 4)


def test_a_start_that_is_not_allowed_leaves_nothing(settings: Any) -> None:
    settings.LAB_VISITOR_RUNS_A_DAY = 1
    person = visitor()
    start(person, assess(DEMO, PARAMETERS, None), now=timezone.now())
    with pytest.raises(NotAllowed):
        start(person, assess(DEMO, PARAMETERS, None), now=timezone.now())
    assert (Run.objects.count(), Job.objects.count()) == (1, 1)


def test_seconds_are_a_budget_of_a_person_and_of_the_site(
    candidate: User, other_candidate: User, settings: Any
) -> None:
    """Predicted seconds of the last 24 hours; a run that was cancelled before it began costs nothing."""
    settings.LAB_USER_SECONDS_A_DAY, settings.LAB_SITE_SECONDS_A_DAY = 100, 150
    now = timezone.now()
    for user, seconds, hours in ((candidate, 70, 1), (candidate, 500, 25), (other_candidate, 60, 2)):
        run = a_run(user=user, state=State.DONE)
        Run.objects.filter(pk=run.pk).update(predicted_seconds=seconds)
        age(run, hours, now)
    unbegun = a_run(user=candidate, state=State.CANCELLED)
    Run.objects.filter(pk=unbegun.pk).update(predicted_seconds=1000)
    own = allowance(Person(user=candidate), now=now)
    assert (own.seconds_left, own.site_seconds_left) == (30, 20)
    assert [own.admits(seconds) for seconds in (20, 21, 31)] == [True, False, False]
    assert time_refusals(25, own) == [
        "It would take about 25 s; this site has 20 s of measuring left in these 24 hours."
    ]
    assert time_refusals(40, own) == [
        "It would take about 40 s; you have 30 s of measuring left in these 24 hours.",
        "It would take about 40 s; this site has 20 s of measuring left in these 24 hours.",
    ]
    assert allowance(Person(user=other_candidate), now=now).seconds_left == 40


def test_a_point_may_take_so_much_and_the_largest_that_is_in_is_told(settings: Any) -> None:
    assessment = assess(DEMO, {**PARAMETERS, "backends": ["naive"], "lengths": [128, 1024]}, None)
    least, most = (need.total for need in assessment.needs)
    settings.LAB_VISITOR_POINT_MIB = -(-least // MIB)
    [reason] = size_refusals(assessment, allowance(visitor(), now=timezone.now()))
    assert reason.startswith("naive 1024 needs ")
    largest = int(reason.rstrip(".").rsplit(" ", 1)[1])
    assert 128 <= largest < 1024
    settings.LAB_VISITOR_POINT_MIB = -(-most // MIB)
    assert size_refusals(assessment, allowance(visitor(), now=timezone.now())) == []


def test_the_owner_and_instructors_may_cancel(
    candidate: User, other_candidate: User, instructor: User, grader: User
) -> None:
    person = visitor()
    theirs, hers = a_run(visitor=Visitor.objects.get()), a_run(user=candidate)
    told = {
        "owner": may_cancel(Person(user=candidate), hers),
        "other": may_cancel(Person(user=other_candidate), hers),
        "instructor": may_cancel(Person(user=instructor), hers),
        "grader": may_cancel(Person(user=grader), hers),
        "visitor": may_cancel(person, theirs),
        "another visitor": may_cancel(visitor(), theirs),
        "nobody": may_cancel(Person(), a_run()),
    }
    assert {who for who, allowed in told.items() if allowed} == {"owner", "instructor", "visitor"}


def test_the_allowance_takes_four_queries(candidate: User) -> None:
    for _ in range(3):
        a_run(user=candidate)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        allowance(Person(user=candidate), now=timezone.now())
    assert len(queries) == 4
