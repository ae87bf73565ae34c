"""Jobs for the tests. A result is a Visitor row written under the lease: as many rows, as many results."""

from __future__ import annotations

import subprocess
import sys
import time

from quiz.accounts.models import Visitor
from quiz.work.kinds import job_kind, task_of
from quiz.work.leasing import Lease, carry_out

try:
    from django.tasks import task
except ImportError:
    from django_tasks import task


@job_kind("slow")
@task(queue_name="checks")
def slow(job_id: int) -> None:
    carry_out(job_id, _slow)


def _slow(lease: Lease) -> None:
    """Two seconds of work in small steps, then one result."""
    for done in range(20):
        lease.step(done, of=20, doing=f"attempt {lease.attempt}")
        time.sleep(0.1)
    with lease.writing():
        Visitor.objects.create()


@job_kind("blind")
@task(queue_name="checks")
def blind(job_id: int) -> None:
    carry_out(job_id, _blind)


def _blind(lease: Lease) -> None:
    """Work that never checks, so that only the write itself can find out that the lease is lost."""
    until = time.monotonic() + 2
    while time.monotonic() < until:
        time.sleep(0.05)
    with lease.writing():
        Visitor.objects.create()


@job_kind("measuring")
@task(queue_name="lab")
def measuring(job_id: int) -> None:
    carry_out(job_id, _measuring)


def _measuring(lease: Lease) -> None:
    """Waits for a child of its own, as a measurement does, and ends it when it must stop."""
    command = [sys.executable, "-c", "import time; time.sleep(601)"]
    with subprocess.Popen(command, start_new_session=True) as child:
        try:
            while child.poll() is None:
                lease.check()
                time.sleep(0.05)
        finally:
            child.kill()


@job_kind("quick")
@task(queue_name="checks")
def quick(job_id: int) -> None:
    carry_out(job_id, lambda lease: lease.step(1, of=1))


def places() -> list[int]:
    """The jobs in the dummy queue of the test settings, in order."""
    return [result.args[0] for result in task_of("quick").get_backend().results]
