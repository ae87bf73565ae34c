"""/health/: the database, the migrations, the queues and the workers, as JSON for machines.

Reads no session and no user, and says what is wrong even when the database is down.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from quiz.version import version
from quiz.work.jobs import lease_length
from quiz.work.models import Job, Queue, State, Worker


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """200 "ok", 200 "degraded" (a worker is stale or missing), or 503 "failing" (database, migrations)."""
    report = examine(timezone.now())
    return JsonResponse(report, status=503 if report["status"] == "failing" else 200)


def examine(now: datetime) -> dict[str, Any]:
    """What /health/ answers. The database's error texts are for the log, not for the public."""
    report: dict[str, Any] = {"status": "failing", "version": version(), "database": "failing"}
    try:
        pending = pending_migrations()
        report |= {"database": "ok", "migrations": {"pending": pending}}
        if not pending:
            workers = list(Worker.objects.all())
            report |= {"queue": waiting(), "workers": [describe(worker, now) for worker in workers]}
            report["status"] = "degraded" if is_lacking(workers, now) else "ok"
    except DatabaseError:
        report["database"] = "failing"
    return report


@cache
def _shipped_migrations() -> frozenset[tuple[str, str]]:
    """Read from the disk once: they change only with the code."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)


def pending_migrations() -> list[str]:
    """Shipped migrations that the database has not seen, as "app.name"."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in _shipped_migrations() - applied.keys())


def waiting() -> dict[str, int]:
    """How many jobs wait in each queue."""
    counted = Job.objects.filter(state=State.WAITING).values_list("queue").annotate(count=Count("pk"))
    found = dict(counted.order_by())
    return {queue: found.get(queue, 0) for queue in Queue.values}


def describe(worker: Worker, now: datetime) -> dict[str, Any]:
    return {
        "name": worker.name,
        "queue": worker.queue,
        "device": worker.device,
        "seen_seconds_ago": max(0.0, round((now - worker.seen_at).total_seconds(), 1)),
    }


def is_lacking(workers: Sequence[Worker], now: datetime) -> bool:
    """Whether a worker is stale, or a queue that should have one has none."""
    wanted = {Queue.CHECKS.value} | ({Queue.LAB.value} if settings.LAB_INSTALLED else set())
    stale = [worker for worker in workers if worker.seen_at <= now - lease_length()]
    return bool(stale) or not wanted <= {worker.queue for worker in workers}
