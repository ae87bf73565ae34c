"""What a lab worker does with a run: each point not yet stored, one at a time, in a child process."""

from __future__ import annotations

from quiz.lab import demos, device
from quiz.lab.measuring import measure_point
from quiz.lab.models import Point, Run
from quiz.work.kinds import job_kind
from quiz.work.leasing import Lease, carry_out

try:
    from django.tasks import task
except ImportError:
    from django_tasks import task  # type: ignore[no-redef]

KIND = "lab_run"


class NoSuchDevice(Exception):
    """The run asks for a kind of device that this worker does not have (any more)."""


@job_kind(KIND)
@task(queue_name="lab")
def measure(job_id: int) -> None:
    """Claim the job and measure; does nothing when another worker has it."""
    carry_out(job_id, run_points)


def run_points(lease: Lease) -> None:
    """Measure the points in order, each stored as it comes; start at the first one without a result.

    Between two points the run makes way for one that is due before it. Raises NoSuchDevice when the run asks
    for a GPU that is not there: another device is never taken in silence.
    """
    run = Run.objects.get(job_id=lease.job_id)
    demo = demos.get(run.demo)
    points = demo.points(demo.complete(run.parameters))
    stored = set(run.points.values_list("position", flat=True))
    done, measured = len(stored), 0
    for position, configuration in enumerate(points):
        if position in stored:
            continue
        lease.step(done, of=len(points), doing=demo.point_name(configuration))
        if measured:
            lease.make_way()
        here = device.here(run.device)
        if here.kind != run.device:
            raise NoSuchDevice("the run is for a GPU, and the worker has none")
        asked = {**configuration, "device": here.kind}
        found = measure_point(demo, asked, here=here, check=lease.check)
        with lease.writing():
            Point.objects.create(
                run=run,
                position=position,
                attempt=lease.attempt,
                configuration=asked,
                outcome=found["outcome"],
                measurement=found,
            )
        done += 1
        measured += 1
    lease.step(done, of=len(points))
