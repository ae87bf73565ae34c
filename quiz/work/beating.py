"""The heartbeat of a worker process: I am here, whose jobs are lost, is it time to tidy."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection
from django.utils import timezone

from quiz.work.jobs import lease_length
from quiz.work.leasing import worker_name
from quiz.work.models import Queue, Worker
from quiz.work.reaping import expire, remind
from quiz.work.tidying import enqueue_when_due

logger = logging.getLogger(__name__)


class Beat:
    """Inside `with`, a thread keeps this process's Worker row fresh and takes care of lost jobs.

    `declare` tells what the worker's device is and has free (its "label" is for people). It may be slow, and
    runs again and again in a thread of its own. With `parent`, the process ends at once when it is no longer
    the child of that process.
    """

    def __init__(
        self, queue: str, *, declare: Callable[[], dict[str, Any]] | None = None, parent: int | None = None
    ) -> None:
        self.queue = queue
        self.name = worker_name(queue)
        self.resources: dict[str, Any] = {}
        self.started_at = timezone.now()
        self._declare = declare
        self._parent = parent
        self._seconds = min(5.0, lease_length().total_seconds() / 3)
        self._closing = threading.Event()
        self._declared = threading.Event()
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def __enter__(self) -> Beat:
        remove_dead_neighbours(self.queue)
        self.be_seen(timezone.now())
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._closing.set()
        self._thread.join(timeout=5)
        Worker.objects.filter(name=self.name).delete()

    def be_seen(self, now: datetime) -> None:
        Worker.objects.update_or_create(
            name=self.name,
            defaults={
                "queue": self.queue,
                "host": socket.gethostname(),
                "device": str(self.resources.get("label", ""))[:200],
                "resources": self.resources,
                "started_at": self.started_at,
                "seen_at": now,
            },
        )

    def care(self, now: datetime) -> None:
        """What every beat does for all workers."""
        expire(now)
        remind(now)
        if self.queue == Queue.CHECKS:
            enqueue_when_due(now)

    def _run(self) -> None:
        if self._declare is not None:
            threading.Thread(
                target=self._keep_declaring, args=(self._declare,), name="device", daemon=True
            ).start()
        due = 0.0
        try:
            while not self._closing.is_set():
                end_with_parent(self._parent)
                if time.monotonic() >= due or self._declared.is_set():
                    self._declared.clear()
                    self._beat_once()
                    due = time.monotonic() + self._seconds
                self._closing.wait(0.5)
        finally:
            connection.close()

    def _keep_declaring(self, declare: Callable[[], dict[str, Any]]) -> None:
        while True:
            first = not self.resources
            try:
                self.resources = declare()
            except Exception:
                logger.exception("beat: the device could not be described")
            if first and self.resources:
                self._declared.set()  # shown at once; later ones wait for the next beat
            if self._closing.wait(self._seconds):
                return

    def _beat_once(self) -> None:
        try:
            now = timezone.now()
            self.be_seen(now)
            self.care(now)
        except DatabaseError as error:
            logger.warning("beat: %s (tried again in %s s)", error, self._seconds)
            connection.close()


def end_with_parent(parent: int | None) -> None:
    """End this process, without clearing up, when `parent` is given and is not its parent any more."""
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def remove_dead_neighbours(queue: str) -> None:
    """Remove the rows of this host's workers whose process is gone (killed before they could do it)."""
    for worker in Worker.objects.filter(host=socket.gethostname(), queue=queue):
        if not _is_running(worker.name):
            worker.delete()


def _is_running(name: str) -> bool:
    """Whether the process of a worker's name (see `worker_name`) exists on this host."""
    try:
        os.kill(int(name.rsplit("-", 2)[1]), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, ValueError, IndexError):
        return False
    return True
