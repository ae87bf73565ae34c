"""The queue is fair between persons and lengths, and a run is measured where it asked to be."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person
from quiz.lab import children, device
from quiz.lab.admission import assess
from quiz.lab.device import Device
from quiz.lab.models import Run
from quiz.lab.showing import run_page
from quiz.lab.starting import due_at, fingerprint, start
from quiz.lab.tasks import KIND, run_points
from quiz.management.commands.worker import device_reader
from quiz.work import jobs
from quiz.work.leasing import carry_out
from quiz.work.models import Queue, State
from tests.lab.planted import CPU, DEMO, GPU, PARAMETERS, a_run, a_worker, measured

pytestmark = pytest.mark.django_db
NOW = timezone.now()
MINUTE = timedelta(minutes=1)


def person() -> Person:
    return Person(visitor_id=Visitor.objects.create().pk)


def queued(owner: Person, *, seconds: float, after: timedelta = timedelta()) -> Run:
    """A run of so many predicted seconds, started so long after NOW."""
    run = a_run(
        visitor=Visitor.objects.get(pk=str(owner.visitor_id)),
        due_at=due_at(owner, seconds=seconds, now=NOW + after),
    )
    run.predicted_seconds = seconds
    return run


def order() -> list[int]:
    return [job.run.pk for job in jobs.waiting_first(KIND, Queue.LAB)]


def test_who_starts_many_waits_behind_himself() -> None:
    busy, other = person(), person()
    first, second, third = (queued(busy, seconds=60) for _ in range(3))
    late = queued(other, seconds=60, after=timedelta(seconds=5))
    assert order() == [first.pk, late.pk, second.pk, third.pk]
    assert [jobs.position(run.job) for run in (first, late, second, third)] == [0, 1, 2, 3]


def test_a_short_run_passes_a_long_one_and_the_long_one_does_not_wait_for_ever() -> None:
    long = queued(person(), seconds=600)
    early = [queued(person(), seconds=30, after=minutes * MINUTE) for minutes in range(9)]
    late = [queued(person(), seconds=30, after=minutes * MINUTE) for minutes in range(10, 15)]
    assert order() == [run.pk for run in (*early, long, *late)]


def test_a_share_is_promised_whatever_others_start() -> None:
    """Somebody who asks for as much as time passes is never behind more than one run of each other person."""
    modest = person()
    greedy = [person() for _ in range(3)]
    for owner in greedy:
        for _ in range(10):
            queued(owner, seconds=60)
    own = [queued(modest, seconds=60, after=minutes * MINUTE) for minutes in range(5)]
    places = [order().index(run.pk) for run in own]
    assert places == [3 + 4 * number for number in range(5)]


class Stand:
    """Measures nothing; `after` runs when so many points are measured."""

    def __init__(self) -> None:
        self.measured: list[tuple[str, int]] = []
        self.after: dict[int, Any] = {}

    def measure(self, configuration: dict[str, Any], **_options: Any) -> dict[str, Any]:
        self.measured.append((configuration["backend"], configuration["length"]))
        self.after.get(len(self.measured), lambda: None)()
        return measured(1.0)


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Stand:
    found = Stand()
    monkeypatch.setattr(children, "measure", found.measure)
    monkeypatch.setattr(device, "here", lambda kind: CPU)
    return found


def test_a_long_run_makes_way_between_two_points(stand: Stand) -> None:
    """The short run is due earlier; the long one then goes on where it was, nothing is measured twice."""
    long = queued(person(), seconds=600)
    short: list[Run] = []
    short_parameters = {**PARAMETERS, "backends": ["naive"], "lengths": [64]}

    def another() -> None:
        run = queued(person(), seconds=10)
        Run.objects.filter(pk=run.pk).update(parameters=short_parameters)
        short.append(run)

    stand.after = {1: another}
    for turn in range(3):
        carry_out(long.job_id if turn % 2 == 0 else short[0].job_id, run_points)
        long.job.refresh_from_db()
        assert long.job.state == (State.WAITING if turn < 2 else State.DONE)
    assert stand.measured == [("flash", 128), ("naive", 64), ("naive", 128), ("naive", 256), ("flash", 256)]
    assert [(p.position, p.attempt) for p in long.points.all()] == [(0, 1), (1, 2), (2, 2), (3, 2)]
    assert (long.job.attempt, long.job.lost_leases) == (2, 0)
    short[0].job.refresh_from_db()
    assert short[0].job.state == State.DONE


def test_nobody_makes_way_for_what_is_due_later(stand: Stand) -> None:
    short = queued(person(), seconds=10)
    stand.after = {1: lambda: queued(person(), seconds=600)}
    carry_out(short.job_id, run_points)
    short.job.refresh_from_db()
    assert (short.job.state, short.job.attempt) == (State.DONE, 1)


@pytest.mark.parametrize(("found", "queue"), [(CPU, "lab"), (GPU, "gpu"), (None, "lab")])
def test_a_run_goes_to_the_queue_of_its_device(found: Device | None, queue: str, candidate: User) -> None:
    assessment = assess(DEMO, PARAMETERS, found)
    run = start(Person(user=candidate), assessment, now=NOW)
    assert (run.job.queue, run.device) == (queue, "cuda" if queue == "gpu" else "cpu")
    assert run.predicted_seconds == assessment.seconds
    assert run.job.due_at == NOW + timedelta(seconds=assessment.seconds)


def test_a_gpu_run_is_never_measured_on_a_cpu_in_silence(stand: Stand) -> None:
    run = a_run(device="cuda")
    carry_out(run.job_id, run_points)
    run.job.refresh_from_db()
    assert (run.job.state, stand.measured) == (State.FAILED, [])
    assert run.job.error == "NoSuchDevice: the run is for a GPU, and the worker has none"
    with translation.override("zh-hans"):
        told = run_page(run, Person(), now=NOW).failure
    assert told == "这次测量要用 GPU，而工作进程没有 GPU"


def test_only_a_worker_with_a_gpu_serves_its_queue() -> None:
    now = timezone.now()
    a_worker(CPU, name="host-1-lab")
    a_worker(GPU, name="host-2-lab")
    a_worker(None, name="host-3-lab")

    def names(queue: str) -> set[str]:
        return {worker.name for worker in jobs.workers_alive(now, queue=queue)}

    assert names("gpu") == {"host-2-lab"}
    assert names("lab") == {"host-1-lab", "host-2-lab", "host-3-lab"}
    assert names("checks") == set()


@pytest.mark.parametrize(("kind", "queues"), [("cpu", ["lab"]), ("cuda", ["lab", "gpu"])])
def test_a_worker_that_finds_a_gpu_looks_through_its_queue_too(
    kind: str, queues: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "declare", lambda: {"kind": kind})
    listened = ["lab"]
    declare = device_reader("lab", listened)
    assert declare is not None
    assert declare() == declare() == {"kind": kind}
    assert listened == queues
    assert device_reader("checks", ["checks"]) is None


def test_a_fingerprint_is_of_the_points_and_the_kind_of_device() -> None:
    def of(found: Device | None = CPU, **changes: Any) -> str:
        return fingerprint(assess(DEMO, {**PARAMETERS, **changes}, found))

    assert of() == of(backends=["naive", "flash"], lengths=[256, 128]) == of(None)
    assert len({of(), of(GPU), of(lengths=[128]), of(causal=True), of(heads=8)}) == 5


def test_due_at_starts_from_the_last_unfinished_run() -> None:
    owner = person()
    first = queued(owner, seconds=60)
    assert due_at(owner, seconds=30, now=NOW) == NOW + timedelta(seconds=90)
    first.job.state = State.DONE
    first.job.save()
    assert due_at(owner, seconds=30, now=NOW) == NOW + timedelta(seconds=30)
