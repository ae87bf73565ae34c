"""Has the same been measured already? Then the stored run answers, unless one asks to measure again.

The same: the same points of the same demonstration, on a device of the same name, with the same number of
threads, the same torch and the same meaning of what is measured. A run in which a point ended for a reason of
that moment (no memory, out of time, crashed) answers nothing.
"""

from __future__ import annotations

from typing import Any

from attention_core.measuring import MEASURING_VERSION
from quiz.lab.admission import Assessment
from quiz.lab.device import Device
from quiz.lab.models import Run
from quiz.lab.outcomes import Outcome
from quiz.lab.starting import fingerprint

LASTING = (Outcome.MEASURED, Outcome.WRONG, Outcome.UNSUPPORTED)
LOOKED_AT = 5  # the latest of the same runs


def answer(assessment: Assessment) -> Run | None:
    """The latest finished run that measured the same; None where there is none. At most two queries."""
    if assessment.device is None:
        return None
    same = Run.objects.the_same(fingerprint(assessment)).with_job().prefetch_related("points")
    for run in same[:LOOKED_AT]:
        points = list(run.points.all())
        positions = {point.position for point in points}
        if len(positions) == len(assessment.needs) and all(
            point.outcome in LASTING and _is_by(point.measurement, assessment.device) for point in points
        ):
            return run
    return None


def _is_by(measurement: dict[str, Any], device: Device) -> bool:
    """Whether these figures come from such a device, with the same versions."""
    machine = measurement.get("machine") or {}
    name = machine.get("device") if device.kind == "cuda" else machine.get("processor")
    told = (name, machine.get("threads"), machine.get("torch"), machine.get("measuring"))
    return told == (device.name, device.threads, device.torch, MEASURING_VERSION)
