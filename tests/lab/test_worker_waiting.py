"""A worker's process outlasts its database; it waits longer each time, and not once it is asked to end."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError

from quiz.management.commands import worker as command
from quiz.management.commands.worker import LONGEST_PAUSE, StoppableWorker


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause, none of which is spent."""
    pauses: list[float] = []
    monkeypatch.setattr(StoppableWorker, "wait", lambda _worker, seconds: pauses.append(seconds))
    monkeypatch.setattr(command, "connection", type("Connection", (), {"close": staticmethod(lambda: None)}))
    return pauses


def a_worker() -> StoppableWorker:
    return StoppableWorker(
        queue_names=["lab"],
        interval=0.01,
        batch=False,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id="planted",
        excluded_queue_names=[],
    )


def failing(times: int, error: Exception) -> Callable[[], None]:
    left = [error] * times

    def work() -> None:
        if left:
            raise left.pop()

    return work


@pytest.mark.parametrize("error", [OperationalError("database or disk is full"), InterfaceError("closed")])
def test_work_is_begun_again_after_longer_and_longer_pauses(waited: list[float], error: Exception) -> None:
    a_worker().outlasting(failing(7, error))
    assert waited == [0.5, 1, 2, 4, 8, LONGEST_PAUSE, LONGEST_PAUSE]


def test_after_a_long_time_without_trouble_the_pauses_are_short_again(
    waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([0, 0, 1, 1, 1, 100, 101])  # failed at once, at once again, and after 99 s
    clock = type("Clock", (), {"monotonic": staticmethod(lambda: next(moments, 102))})
    monkeypatch.setattr(command, "time", clock)
    a_worker().outlasting(failing(3, OperationalError("gone")))
    assert waited == [0.5, 1, 0.5]


def test_what_is_no_outage_is_not_hidden(waited: list[float]) -> None:
    with pytest.raises(ProgrammingError):
        a_worker().outlasting(failing(1, ProgrammingError("no such column")))
    assert waited == []


def test_a_worker_asked_to_end_does_not_begin_again(waited: list[float]) -> None:
    worker = a_worker()
    begun = []

    def work() -> None:
        begun.append(1)
        worker.running = False
        raise OperationalError("gone")

    worker.outlasting(work)
    assert begun == [1]


def test_the_pause_ends_with_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = a_worker()
    monkeypatch.setattr("quiz.work.stopping._asked", False)
    monkeypatch.setattr(command.time, "sleep", lambda _seconds: worker.shutdown(signal.SIGTERM, None))
    worker.wait(600)
    assert not worker.running
