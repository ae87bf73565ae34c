"""/health/ for machines: what is wrong, by status code and by word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.utils import timezone

from quiz.version import version
from quiz.work import jobs
from quiz.work.models import Queue, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def worker(name: str, queue: str, *, seconds_ago: float = 0.0, device: str = "") -> None:
    seen = timezone.now() - timedelta(seconds=seconds_ago)
    Worker.objects.create(name=name, queue=queue, host="h", device=device, started_at=seen, seen_at=seen)


def ask() -> tuple[int, dict[str, Any]]:
    answer = Client().get("/health/")
    assert "no-store" in answer.headers["Cache-Control"]
    assert not answer.cookies
    return answer.status_code, answer.json()


@override_settings(LAB_INSTALLED=True)
def test_ok_tells_database_migrations_queues_and_workers() -> None:
    worker("a", "checks")
    worker("b", "lab", device="CPU")
    jobs.create("tidy", queue=Queue.CHECKS)
    status, report = ask()
    ages = [row.pop("seen_seconds_ago") for row in report["workers"]]
    assert all(0 <= age < 10 for age in ages)
    assert (status, report) == (
        200,
        {
            "status": "ok",
            "version": version(),
            "database": "ok",
            "migrations": {"pending": []},
            "queue": {"checks": 1, "lab": 0, "gpu": 0},
            "workers": [
                {"name": "a", "queue": "checks", "device": ""},
                {"name": "b", "queue": "lab", "device": "CPU"},
            ],
        },
    )


@pytest.mark.parametrize(
    ("lab_installed", "workers", "word"),
    [
        (False, {"checks": 0.0}, "ok"),
        (True, {"checks": 0.0}, "degraded"),
        (True, {"checks": 0.0, "lab": 31.0}, "degraded"),
        (False, {"checks": 31.0}, "degraded"),
        (False, {}, "degraded"),
        (False, {"lab": 0.0}, "degraded"),
        (True, {"checks": 28.0, "lab": 28.0}, "ok"),
    ],
)
def test_a_stale_or_missing_worker_degrades(
    lab_installed: bool, workers: dict[str, float], word: str
) -> None:
    for queue, seconds_ago in workers.items():
        worker(queue, queue, seconds_ago=seconds_ago)
    with override_settings(LAB_INSTALLED=lab_installed, WORK_LEASE_SECONDS=30):
        status, report = ask()
    assert (status, report["status"]) == (200, word)


def test_a_pending_migration_fails() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("quiz", "0001_initial")
    status, report = ask()
    assert (status, report["status"], report["database"]) == (503, "failing", "ok")
    assert report["migrations"]["pending"] == ["quiz.0001_initial"]


def test_only_reading_is_answered() -> None:
    assert Client().post("/health/").status_code == 405
    assert Client().head("/health/").status_code == 200


SCRIPT = """
import django, json, sys
django.setup()
from django.test import Client
client = Client()
client.cookies["sessionid"] = "x" * 32
answer = client.get("/health/")
print(json.dumps([answer.status_code, answer.json(), "torch" in sys.modules]))
"""


def test_a_database_that_is_down_fails_without_torch_and_without_telling_why() -> None:
    environment = os.environ | {
        "DATABASE_URL": "postgres://someone:hidden@127.0.0.1:1/none",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    status, report, torch_is_imported = json.loads(done.stdout.splitlines()[-1])
    assert (status, report) == (503, {"status": "failing", "version": version(), "database": "failing"})
    assert torch_is_imported is False
    assert "hidden" not in done.stdout
