"""How soon a short job is begun: `python -m tests.benchmarks.pickup [JOBS]`, on DATABASE_URL or a new file.

A worker (`manage.py worker checks`) waits; jobs are enqueued one by one at irregular moments. The time from
the enqueuing commit to the claim (the job's `started_at`) is told as median and percentiles, in ms.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.mkdtemp(prefix="qkv-pickup-")
os.environ.setdefault("QUIZ_DATA_DIR", FOLDER)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.work.process_settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from quiz.work import jobs  # noqa: E402
from quiz.work.models import Job, Queue, State, Worker  # noqa: E402


def measure(count: int) -> dict[str, object]:
    call_command("migrate", verbosity=0)
    worker = subprocess.Popen([sys.executable, "manage.py", "worker", "checks"], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: Worker.objects.exists())
        wait_for(lambda: not Job.objects.exclude(state=State.DONE).exists())
        delays = sorted(delay() for _ in range(count))
    finally:
        worker.terminate()
        worker.wait()
    return {
        "database": connection.vendor,
        "jobs": count,
        "median_ms": round(statistics.median(delays), 1),
        "p90_ms": round(delays[int(count * 0.9)], 1),
        "p99_ms": round(delays[int(count * 0.99)], 1),
    }


def delay() -> float:
    """One job's time from its commit to its claim, in ms."""
    time.sleep(random.uniform(0.05, 0.25))
    with transaction.atomic():
        job = jobs.create("quick", queue=Queue.CHECKS)
        jobs.enqueue(job)
    committed = timezone.now()
    wait_for(lambda: Job.objects.filter(pk=job.pk, state=State.DONE).exists())
    job.refresh_from_db()
    assert job.started_at is not None
    return (job.started_at - committed).total_seconds() * 1000


def wait_for(condition: object, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.02)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 200)))
