"""What was measured already answers, unless one asks to measure again or anything that matters differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.lab.admission import assess
from quiz.lab.answering import LOOKED_AT, answer
from quiz.lab.device import Device
from quiz.lab.forms import state
from quiz.lab.models import Run
from quiz.work.models import State
from tests.lab.planted import CPU, DEMO, GPU, MACHINE, PARAMETERS, a_run, a_worker, measured, store

pytestmark = pytest.mark.django_db


def a_measured_run(*, kind: str = "cpu", state: State = State.DONE, **machine: Any) -> Run:
    run = a_run(state=state, device=kind)
    for position, _point in enumerate(DEMO.points(PARAMETERS)):
        store(run, position, measured(1.0, machine={**MACHINE, **machine}))
    return run


def answered(device: Device | None = CPU, **changes: Any) -> Run | None:
    return answer(assess(DEMO, {**PARAMETERS, **changes}, device))


def test_the_latest_of_the_same_runs_answers() -> None:
    a_measured_run()
    latest = a_measured_run()
    assert answered() == latest
    assert answered(backends=["naive", "flash"]) == latest, "the same points in the same order"


@pytest.mark.parametrize(
    "machine",
    [{"processor": "Another"}, {"threads": 1}, {"torch": "2.14.0"}, {"measuring": 0}, {"measuring": None}],
    ids=str,
)
def test_figures_of_another_machine_or_version_do_not(machine: dict[str, Any]) -> None:
    a_measured_run(**machine)
    assert answered() is None


def test_other_points_another_device_and_no_device_have_no_answer() -> None:
    a_measured_run()
    assert [answered(causal=True), answered(lengths=[128]), answered(GPU), answered(None)] == [None] * 4
    on_card = a_measured_run(kind="cuda", device=GPU.name)
    assert (answered(GPU), answered(replace(GPU, name="Another GPU"))) == (on_card, None)


@pytest.mark.parametrize("ended", [State.WAITING, State.RUNNING, State.FAILED, State.CANCELLED])
def test_an_unfinished_run_does_not(ended: State) -> None:
    a_measured_run(state=ended)
    assert answered() is None


@pytest.mark.parametrize(
    ("outcome", "answers"),
    [
        ("wrong", True), ("unsupported", True),
        ("out_of_memory", False), ("refused", False), ("timed_out", False), ("crashed", False),
    ],
)  # fmt: skip
def test_what_ended_for_a_reason_of_that_moment_does_not(outcome: str, answers: bool) -> None:
    run = a_run(state=State.DONE)
    for position in range(4):
        store(run, position, {**measured(1.0), **({"outcome": outcome} if position == 2 else {})})
    assert (answered() is not None) == answers


def test_a_run_without_all_its_points_does_not() -> None:
    run = a_run(state=State.DONE)
    store(run, 0, measured(1.0))
    store(run, 0, measured(1.0), attempt=2)
    assert answered() is None


def test_looking_takes_two_queries_however_many_runs_there_are() -> None:
    for _ in range(LOOKED_AT + 2):
        a_measured_run(threads=1)
    assessment = assess(DEMO, PARAMETERS, CPU)
    with CaptureQueriesContext(connection) as queries:
        assert answer(assessment) is None
    assert len(queries) == 2


def test_the_page_offers_what_was_measured_and_to_measure_again(client: Client) -> None:
    a_worker()
    known = a_measured_run()
    client.cookies["language"] = "en"
    form = dict(state(DEMO, PARAMETERS).lists())
    page = client.get("/lab/", form).content.decode()
    assert f'<a class="button button-primary" href="/lab/{known.pk}/">See what was measured</a>' in page
    assert 'formaction="/lab/start/?again">Measure again</button>' in page
    shown = client.post("/lab/start/", form)
    assert (shown.status_code, shown.headers["Location"]) == (302, f"/lab/{known.pk}/?answered")
    assert Run.objects.count() == 1
    assert "nothing was measured anew" in client.get(shown.headers["Location"]).content.decode()
    assert "nothing was measured anew" not in client.get(f"/lab/{known.pk}/").content.decode()
    again = client.post("/lab/start/?again", form)
    assert (again.status_code, Run.objects.count()) == (302, 2)
    assert again.headers["Location"] != f"/lab/{known.pk}/"
    latest = Run.objects.first()
    assert latest is not None
    assert (latest.job.state, latest.fingerprint) == (State.WAITING, known.fingerprint)
