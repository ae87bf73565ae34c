"""Holding a job: claim it, keep the lease alive, and write only while it is held.

The pair (job, attempt) is a fencing token. A worker that was stopped past its lease and wakes up again (a
zombie) finds that the attempt has moved on, and each of its writes is refused with LeaseLost. Every change
here is a compare-and-set on that pair; there is no lock to forget.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from quiz.work import stopping
from quiz.work.jobs import due_before, enqueue, lease_length, waiting_first
from quiz.work.models import Job, Queue, State

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # how soon a cancelled job notices
OUTAGES = (OperationalError, InterfaceError)  # no connection, a restarting server, a full disk


class LeaseLost(Exception):
    """The job belongs to another attempt now (or to nobody): stop, write nothing."""


class CancelAsked(Exception):
    """Someone asked for the job to be cancelled."""


class GiveBack(Exception):
    """Go on later: the job goes back to its queue."""


class Stopping(GiveBack):
    """This process is asked to end."""


class MakeWay(GiveBack):
    """A waiting job is due before this one."""


def worker_name(queue: str) -> str:
    """The name of this process among the workers: host, process id, queue; at most 64 characters."""
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{queue}"


def claim(job_id: int, *, worker: str) -> Lease | None:
    """Take a waiting job for `worker`: of several who try at once, exactly one gets a lease."""
    attempt = Job.objects.filter(pk=job_id, state=State.WAITING).values_list("attempt", flat=True).first()
    if attempt is None:
        return None
    now = timezone.now()
    taken = Job.objects.filter(pk=job_id, state=State.WAITING, attempt=attempt).update(
        state=State.RUNNING,
        attempt=F("attempt") + 1,
        worker=worker,
        lease_until=now + lease_length(),
        started_at=Coalesce("started_at", now),
    )
    return Lease(job_id, attempt=attempt + 1, worker=worker) if taken else None


def claim_next(kind: str, queue: str, *, worker: str) -> Lease | None:
    """Take the waiting job of this kind and queue that is due first; None when none is left."""
    for job_id in list(waiting_first(kind, queue).values_list("pk", flat=True)):
        lease = claim(job_id, worker=worker)
        if lease is not None:
            return lease
    return None


class Lease:
    """The right to work on one attempt of a job. Inside `with`, a thread keeps it alive.

    `check` and `step` raise CancelAsked, Stopping or LeaseLost; call them between pieces of work that take at
    most a few seconds. Write results inside `writing()`.
    """

    def __init__(self, job_id: int, *, attempt: int, worker: str) -> None:
        self.job_id = job_id
        self.attempt = attempt
        self.worker = worker
        self.lost = False
        self.cancel_asked = False
        self._seconds = lease_length().total_seconds()
        self._renewed = time.monotonic()
        self._looked = 0.0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    # --- holding --------------------------------------------------------------------------------------
    def __enter__(self) -> Self:
        if _others_can_see_the_job():
            self._thread = threading.Thread(target=self._beat, name=f"lease-{self.job_id}", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def held(self) -> QuerySet[Job]:
        """The job's row as long as this attempt holds it, else nothing."""
        return Job.objects.filter(
            pk=self.job_id, state=State.RUNNING, attempt=self.attempt, worker=self.worker
        )

    def renew(self) -> None:
        """Move the lease on. Raises LeaseLost when the job has gone to another."""
        begun = time.monotonic()
        self._require(self.held().update(lease_until=timezone.now() + lease_length()))
        self._renewed = begun

    def look(self) -> None:
        """Read whether the job is still held, and whether it should stop."""
        asked = self.held().values_list("cancel_asked", flat=True).first()
        self._require(asked is not None)
        self.cancel_asked = bool(asked)
        self._looked = time.monotonic()

    # --- what the work calls --------------------------------------------------------------------------
    def check(self) -> None:
        """Return if the work should go on; otherwise raise the reason why not."""
        now = time.monotonic()
        if now - self._renewed >= self._seconds:
            self.renew()  # perhaps stopped past the lease: nobody took the job, or it is lost
        if self._thread is None and now - self._looked >= LOOK_SECONDS:
            self.look()
        self._require(not self.lost)
        if self.cancel_asked:
            raise CancelAsked
        if stopping.is_asked():
            raise Stopping

    def step(self, done: int, of: int, doing: str = "") -> None:
        """Tell the page how far the work is, after a `check`."""
        self.check()
        self._require(self.held().update(done_steps=done, all_steps=of, doing=doing[:200]))

    def make_way(self) -> None:
        """Raise MakeWay when a waiting job of the same kind and queue is due before this one.

        For long work made of pieces whose results are stored: call it between two of them, so that a short
        job never waits for the whole of a long one.
        """
        job = self.held().first()
        self._require(job is not None)
        if job is not None and due_before(job, waiting_first(job.kind, job.queue)).exists():
            raise MakeWay

    @contextmanager
    def writing(self) -> Iterator[Job]:
        """One transaction in which the job is locked and known to be held: results go in here.

        Raises LeaseLost before anything is written. (SQLite's transactions are immediate, which locks too.)
        """
        with transaction.atomic():
            job = self.held().select_for_update().first()
            if job is None:
                self.lost = True
                raise LeaseLost
            yield job

    # --- ending ---------------------------------------------------------------------------------------
    def finish(self) -> None:
        self._end(State.DONE)

    def fail(self, reason: str) -> None:
        self._end(State.FAILED, error=reason)

    def cancel(self) -> None:
        self._end(State.CANCELLED)

    @transaction.atomic
    def give_back(self) -> None:
        """Put the job back in its queue, to be started again by another process; one to be cancelled ends."""
        job = self.held().select_for_update().first()
        self._require(job is not None)
        if job is not None and job.cancel_asked:
            self.cancel()
        elif job is not None:
            self.held().update(state=State.WAITING, worker="")
            enqueue(job)

    def _end(self, state: State, *, error: str = "") -> None:
        ended = self.held().update(
            state=state, error=error, doing="", lease_until=None, finished_at=timezone.now()
        )
        self._require(ended)

    def _require(self, held: object) -> None:
        if not held:
            self.lost = True
            raise LeaseLost

    def _beat(self) -> None:
        """The thread: look twice a second, renew three times a lease. A database error is tried again."""
        try:
            while not self._closing.wait(LOOK_SECONDS):
                try:
                    if time.monotonic() - self._renewed >= self._seconds / 3:
                        self.renew()
                    self.look()
                except LeaseLost:
                    return
                except DatabaseError as error:
                    logger.warning("job %s: the lease could not be renewed: %s", self.job_id, error)
                    connection.close()
        finally:
            connection.close()


def _others_can_see_the_job() -> bool:
    """Not in an open transaction nor in memory (as in tests): then no other process can take the job, and the
    thread's own connection could not see it either; `check` looks instead."""
    in_memory = getattr(connection, "is_in_memory_db", None)
    return not connection.in_atomic_block and not (in_memory and in_memory())


def carry_out(job_id: int, body: Callable[[Lease], None]) -> None:
    """Claim the job that is due first, run `body(lease)`, and write how it ended.

    A task's whole body. `job_id` is the job that the turn was enqueued for; whichever job of its kind and
    queue is due first gets the turn. Does nothing when none waits. An exception fails the job with its text;
    being cancelled, stopped or making way is no failure. When the database fails, nothing can be written: the
    exception is passed on, and the job is resumed when its lease has run out.
    """
    named = Job.objects.filter(pk=job_id).first()
    lease = _claim_for(named) if named else None
    if lease is None:
        logger.info("job %s: nothing to do, no such job waits", job_id)
        return
    try:
        _run(lease, body)
    except LeaseLost:
        logger.warning(
            "job %s: attempt %s lost its lease; nothing more is written", lease.job_id, lease.attempt
        )


def _claim_for(job: Job) -> Lease | None:
    return claim_next(job.kind, job.queue, worker=worker_name(Queue(job.queue).worker))


def _run(lease: Lease, body: Callable[[Lease], None]) -> None:
    try:
        with lease:
            body(lease)
    except (LeaseLost, *OUTAGES):
        raise
    except CancelAsked:
        lease.cancel()
    except (GiveBack, SystemExit, KeyboardInterrupt) as reason:
        lease.give_back()
        if not isinstance(reason, GiveBack):
            raise
    except Exception as error:
        logger.exception("job %s failed", lease.job_id)
        lease.fail(f"{type(error).__name__}: {error}")
    else:
        lease.finish()
