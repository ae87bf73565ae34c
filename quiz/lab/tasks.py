"""What a lab worker does with a run: each point not yet stored, one at a time, in a child process."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import translation

from quiz.lab import children, demos, device
from quiz.lab.admission import BUDGET_SECONDS, need_of
from quiz.lab.demos.demo import Configuration, Demo
from quiz.lab.models import Point, Run
from quiz.lab.outcomes import SHARE, Outcome
from quiz.work.kinds import job_kind
from quiz.work.leasing import Lease, carry_out

try:
    from django.tasks import task
except ImportError:
    from django_tasks import task  # type: ignore[no-redef]

KIND = "lab_run"


@job_kind(KIND)
@task(queue_name="lab")
def measure(job_id: int) -> None:
    """Claim the job and measure; does nothing when another worker has it."""
    carry_out(job_id, run_points)


def run_points(lease: Lease) -> None:
    """Measure the points in order, each stored as it comes; start at the first one without a result."""
    run = Run.objects.get(job_id=lease.job_id)
    demo = demos.get(run.demo)
    points = demo.points(run.parameters)
    stored = set(run.points.values_list("position", flat=True))
    done = len(stored)
    for position, configuration in enumerate(points):
        if position in stored:
            continue
        lease.step(done, of=len(points), doing=demo.point_name(configuration))
        here = device.here()
        asked = {**configuration, "device": here.kind}
        found = measure_point(demo, asked, lease=lease, here=here)
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
    lease.step(done, of=len(points))


def measure_point(
    demo: Demo, configuration: Configuration, *, lease: Lease, here: device.Device
) -> dict[str, Any]:
    """Admission once more, against what is free now; then the child. Always a result with its prediction."""
    room = int(here.free_bytes * SHARE)
    with translation.override("en"):  # what is stored does not depend on who asked
        need = need_of(demo, configuration, kind=here.kind)
    if need.total > room:
        found = {
            "outcome": Outcome.REFUSED.value,
            "reason": f"needs {need.total} bytes, {room} may be used ({here.free_bytes} free × {SHARE})",
            "needed_bytes": need.total,
            "free_bytes": here.free_bytes,
        }
    else:
        limits = children.Limits(
            seconds=settings.LAB_POINT_SECONDS,
            memory=room if here.kind == "cpu" else host_room(here),
            address_space=here.kind == "cpu",
        )
        found = children.measure(configuration, limits=limits, budget=BUDGET_SECONDS, check=lease.check)
    return {**demo.foretold(configuration), **found}


def host_room(here: device.Device) -> int:
    """Bytes of the host that a child measuring on a GPU may hold."""
    return int(here.host_free_bytes * SHARE)
