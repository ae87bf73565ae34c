"""A worker's heartbeat: its row, its device, and the rows of those that died beside it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from quiz.work.beating import Beat, end_with_parent, remove_dead_neighbours
from quiz.work.leasing import worker_name
from quiz.work.models import Job, Worker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.database
def test_a_beat_is_one_row_that_moves_on() -> None:
    beat = Beat("lab")
    beat.be_seen(NOW)
    beat.resources = {"label": "CPU, 2 threads"}
    beat.be_seen(NOW + timedelta(seconds=5))
    [row] = Worker.objects.all()
    assert (row.name, row.queue, row.host) == (worker_name("lab"), "lab", socket.gethostname())
    assert (row.device, row.seen_at - NOW) == ("CPU, 2 threads", timedelta(seconds=5))


@pytest.mark.django_db
@pytest.mark.database
def test_only_the_checks_workers_start_the_tidying() -> None:
    Beat("lab").care(NOW)
    assert Job.objects.count() == 0
    Beat("checks").care(NOW)
    assert [job.kind for job in Job.objects.all()] == ["tidy"]


@pytest.mark.django_db
@pytest.mark.database
def test_only_dead_neighbours_are_removed() -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    here = socket.gethostname()
    for name, host, queue in (
        (f"{here}-{dead.pid}-lab", here, "lab"),
        (f"{here}-{os.getpid()}-lab", here, "lab"),
        (f"{here}-{dead.pid}-checks", here, "checks"),
        (f"elsewhere-{dead.pid}-lab", "elsewhere", "lab"),
    ):
        Worker.objects.create(name=name, host=host, queue=queue, started_at=NOW, seen_at=NOW)
    remove_dead_neighbours("lab")
    left = set(Worker.objects.values_list("name", flat=True))
    assert left == {f"{here}-{os.getpid()}-lab", f"{here}-{dead.pid}-checks", f"elsewhere-{dead.pid}-lab"}


def test_a_device_that_cannot_be_described_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> dict[str, object]:
        raise OSError("no driver")

    beat = Beat("lab")
    beat._closing.set()
    describe: Callable[[Callable[[], dict[str, object]]], None] = beat._keep_declaring
    thread = threading.Thread(target=describe, args=(broken,))
    thread.start()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert "no driver" in caplog.text
    assert beat.resources == {}


def test_a_process_ends_with_its_parent() -> None:
    script = "from quiz.work.beating import end_with_parent as e; e({parent}); print('still here')"
    setup = "import django; django.setup(); "
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    outcomes = [
        subprocess.run(
            [sys.executable, "-c", setup + script.format(parent=parent)],
            env=environment,
            capture_output=True,
            text=True,
        )
        for parent in (os.getpid(), 1, None)
    ]
    assert [(done.returncode, done.stdout.strip()) for done in outcomes] == [
        (0, "still here"),
        (1, ""),
        (0, "still here"),
    ]
    end_with_parent(os.getppid())
