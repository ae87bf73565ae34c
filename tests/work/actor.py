"""What a test lets another process do: `python -m tests.work.actor VERB …`; answers in JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from datetime import datetime

import django

django.setup()

from django.contrib.sessions.models import Session  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from quiz.accounts.models import Visitor  # noqa: E402
from quiz.work import jobs  # noqa: E402
from quiz.work.beating import Beat  # noqa: E402
from quiz.work.leasing import LeaseLost, claim  # noqa: E402
from quiz.work.models import Job, Queue, Worker  # noqa: E402
from quiz.work.reaping import expire  # noqa: E402


def enqueue(kind: str, count: str = "1", queue: str = "checks") -> list[int]:
    made = []
    for _ in range(int(count)):
        with transaction.atomic():
            job = jobs.create(kind, queue=Queue(queue))
            jobs.enqueue(job)
        made.append(job.pk)
    return made


def claim_all(start_at: str) -> list[int]:
    """At a given moment, try to claim every job, as others do at that moment."""
    waiting = list(Job.objects.values_list("pk", flat=True))
    time.sleep(max(0.0, float(start_at) - time.time()))
    return [pk for pk in waiting if claim(pk, worker=f"racer-{os.getpid()}")]


def reap_all(start_at: str) -> int:
    time.sleep(max(0.0, float(start_at) - time.time()))
    return expire(timezone.now())


def write_for(seconds: str) -> int:
    """Write to two tables at once, as fast as the database allows; how many transactions were done."""
    until = time.monotonic() + float(seconds)
    done = 0
    while time.monotonic() < until:
        with transaction.atomic():
            Visitor.objects.count()
            visitor = Visitor.objects.create()
            Session.objects.create(session_key=visitor.pk.hex, session_data="", expire_date=timezone.now())
        done += 1
    return done


def hold_for(seconds: str) -> dict[str, object]:
    """Hold a job in this process for a while, checking as real work does; whether the lease was ever lost."""
    lease = claim(Job.objects.get().pk, worker="holder")
    assert lease is not None
    until = time.monotonic() + float(seconds)
    steps = 0
    try:
        with lease:
            while time.monotonic() < until:
                lease.step(steps, of=1000)
                steps += 1
                time.sleep(0.05)
    except LeaseLost:
        return {"lost": True, "steps": steps}
    return {"lost": False, "steps": steps}


def stopped_when_seen(queue: str) -> int:
    """Be a worker that is asked to end at the very moment it can first be seen; how many rows it leaves."""
    show = Beat.be_seen

    def show_and_be_stopped(beat: Beat, now: datetime) -> None:
        show(beat, now)
        Beat.be_seen = show  # type: ignore[method-assign]
        os.kill(os.getpid(), signal.SIGTERM)

    Beat.be_seen = show_and_be_stopped  # type: ignore[method-assign]
    call_command("worker", queue)
    return Worker.objects.count()


if __name__ == "__main__":
    verbs = (enqueue, claim_all, reap_all, write_for, hold_for, stopped_when_seen)
    answer = {verb.__name__: verb for verb in verbs}[sys.argv[1]](*sys.argv[2:])
    print(json.dumps(answer))
