"""One point on this machine: admission against what is free now, then a child process with limits.

The worker and `manage.py lab` both measure through here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils import translation

from quiz.lab import children
from quiz.lab.admission import BUDGET_SECONDS, need_of
from quiz.lab.demos.demo import Configuration, Demo
from quiz.lab.device import Device
from quiz.lab.outcomes import SHARE, Outcome


def measure_point(
    demo: Demo, configuration: Configuration, *, here: Device, check: Callable[[], None]
) -> dict[str, Any]:
    """The measurement, always with what was foretold. `check` may raise to end the child (cancelled)."""
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
        found = children.measure(
            configuration, limits=limits, budget=BUDGET_SECONDS, check=check, module=demo.module
        )
    return {**demo.foretold(configuration), **found}


def host_room(here: Device) -> int:
    """Bytes of the host that a child measuring on a GPU may hold."""
    return int(here.host_free_bytes * SHARE)
