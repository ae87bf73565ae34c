"""Planted points of the lab: rows and runs whose figures the tests choose."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from attention_core.measuring import MEASURING_VERSION
from quiz.accounts.models import User, Visitor
from quiz.lab import demos
from quiz.lab.admission import assess
from quiz.lab.demos.demo import Demo
from quiz.lab.device import Device
from quiz.lab.models import Point, Run
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row
from quiz.lab.starting import fingerprint
from quiz.work.models import Job, Queue, State, Worker

DEMO = demos.get("attention_length")
PARAMETERS: dict[str, Any] = {
    "backends": ["flash", "naive"],
    "lengths": [128, 256],
    "heads": 4,
    "width": 64,
    "dtype": "float32",
    "causal": False,
    "backward": False,
}
GIB = 2**30
CPU = Device(
    name="Planted",
    total_bytes=16 * GIB,
    free_bytes=8 * GIB,
    host_free_bytes=8 * GIB,
    threads=2,
    torch="2.13.0",
)
GPU = replace(
    CPU, kind="cuda", name="Planted GPU", total_bytes=64 * GIB, free_bytes=48 * GIB, host_free_bytes=8 * GIB
)
MACHINE = {
    "measuring": MEASURING_VERSION, "device": "cpu", "processor": "Planted", "cores": 2, "threads": 2,
    "system": "Linux x86_64",
    "python": "3.11.7", "torch": "2.13.0", "numpy": "2.4.6", "cuda": None, "tf32": False,
}  # fmt: skip


def measured(median: float, *, spread: float = 0.1, peak: int | None = None, **more: Any) -> dict[str, Any]:
    """A measurement with quartiles `spread` below and above its median."""
    return {
        "outcome": "measured",
        "median_ms": median,
        "p25_ms": median * (1 - spread),
        "p75_ms": median * (1 + spread),
        "min_ms": median * (1 - 2 * spread),
        "n": 20,
        "cold_ms": median * 3,
        "flops": 2**20,
        "peak_bytes": peak,
        "predicted_peak_bytes": peak,
        "error": 1.5e-7,
        "allowed_error": 3e-7,
        "rows_checked": 64,
        "kernel": "aten::_softmax",
        "backend_ran": more.pop("backend_ran", None),
        "reason": None,
        "machine": MACHINE,
        **more,
    }


def row(backend: str, length: int, measurement: dict[str, Any], *, position: int = 0) -> Row:
    ran = measurement.get("backend_ran") or backend
    return Row(
        position=position,
        attempt=1,
        configuration={"backend": backend, "length": length, "device": "cpu", "dtype": "float32"},
        outcome=Outcome(measurement["outcome"]),
        measurement={**measurement, "backend_ran": ran},
        measured_at=datetime(2026, 1, 2, tzinfo=UTC),
        demo=DEMO,
    )


def a_run(
    *,
    user: User | None = None,
    visitor: Visitor | None = None,
    state: State = State.WAITING,
    parameters: dict[str, Any] | None = None,
    device: str = "cpu",
    demo: Demo = DEMO,
    **job: Any,
) -> Run:
    """A run with its job; a started one has begun a minute ago."""
    begun = None if state == State.WAITING else timezone.now()
    job = {"due_at": timezone.now(), **job}
    made = Job.objects.create(queue=Queue.LAB, kind="lab_run", state=state, started_at=begun, **job)
    return Run.objects.create(
        user=user,
        visitor=visitor,
        job=made,
        demo=demo.slug,
        parameters=parameters or PARAMETERS,
        device=device,
        fingerprint=fingerprint(assess(demo, parameters or PARAMETERS, CPU if device == "cpu" else GPU)),
    )


def store(run: Run, position: int, measurement: dict[str, Any], *, attempt: int = 1) -> Point:
    """Store a point of the run as a worker would."""
    demo = demos.get(run.demo)
    configuration = {**demo.points(run.parameters)[position], "device": run.device}
    found = {"backend_ran": configuration[demo.way], **measurement}
    if found["backend_ran"] is None:
        found["backend_ran"] = configuration[demo.way]
    return Point.objects.create(
        run=run,
        position=position,
        attempt=attempt,
        configuration=configuration,
        outcome=found["outcome"],
        measurement=found,
    )


def a_worker(device: Device | None = CPU, *, name: str = "host-1-lab") -> Worker:
    """A live lab worker that has declared this device."""
    now = timezone.now()
    return Worker.objects.create(
        name=name,
        queue=Queue.LAB,
        host="host",
        resources={} if device is None else {**asdict(device), "label": device.label},
        started_at=now,
        seen_at=now,
    )
