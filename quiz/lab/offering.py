"""What the lab offers a person now: the form, what the chosen run would cost, and whether it may start."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.conf import settings
from django.utils import formats, timezone
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from quiz.accounts.people import Person
from quiz.lab.admission import Assessment, assess, best_device, largest_size, largest_size_within
from quiz.lab.answering import answer
from quiz.lab.demos.demo import Demo
from quiz.lab.device import Device
from quiz.lab.formatting import duration, size
from quiz.lab.forms import ParametersForm, allowed, state
from quiz.lab.limits import Allowance, allowance
from quiz.lab.models import Run
from quiz.work.jobs import workers_alive
from quiz.work.models import Queue


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A live lab worker. `device` is None until it has declared itself."""

    name: str
    device: Device | None


@dataclass(frozen=True, kw_only=True)
class PresetLink:
    name: str
    note: str
    query: str
    offered: bool


@dataclass(frozen=True, kw_only=True)
class Offer:
    """The lab's first page for one person and one choice of parameters."""

    demo: Demo
    form: ParametersForm
    workers: tuple[Seen, ...]
    allowance: Allowance
    assessment: Assessment | None
    answer: Run | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of device that live workers measure on; a person chooses where there are two."""
        found = {seen.device.kind for seen in self.workers if seen.device and seen.device.can_measure}
        return tuple(kind for kind in ("cuda", "cpu") if kind in found)

    @property
    def can_measure(self) -> bool:
        """A live worker that has torch, or one that is still starting."""
        return any(seen.device is None or seen.device.can_measure for seen in self.workers)

    @property
    def lab_installed(self) -> bool:
        return bool(settings.LAB_INSTALLED)

    @property
    def may_start(self) -> bool:
        return self.assessment is not None and not self.refusals

    @cached_property
    def refusals(self) -> tuple[str, ...]:
        """Every reason why this run may not start now."""
        found = []
        if not self.can_measure:
            found.append(_("No worker is there to measure."))
        if self.assessment is not None:
            found += room_refusals(self.demo, self.assessment)
            found += size_refusals(self.assessment, self.allowance)
            found += time_refusals(self.assessment.seconds, self.allowance)
        return (*found, *allowance_refusals(self.allowance))

    @property
    def too_slow(self) -> tuple[str, ...]:
        """Points that will probably be stopped by the time limit of a point."""
        needs = self.assessment.needs if self.assessment else ()
        slow = [need for need in needs if need.seconds > settings.LAB_POINT_SECONDS]
        return tuple(self.demo.point_name(need.configuration) for need in slow)

    @property
    def presets(self) -> tuple[PresetLink, ...]:
        return tuple(
            PresetLink(
                name=str(preset.name),
                note=str(preset.note),
                query=state(self.demo, preset.parameters).urlencode(),
                offered=allowed(self.demo, preset.parameters, visitor=self.form.visitor),
            )
            for preset in self.demo.presets
        )


def offer(person: Person, demo: Demo, data: MultiValueDict[str, str], *, now: datetime) -> Offer:
    """Read the form, look at the workers, add up, see whether it was measured already. Seven queries at most.

    The device is the one asked for as `device` if a live worker has it, else a GPU if there is one.
    """
    form = ParametersForm(demo, data, visitor=person.user is None)
    workers = tuple(
        Seen(name=row.name, device=Device.from_resources(row.resources))
        for row in workers_alive(now, queue=Queue.LAB)
    )
    devices = [seen.device for seen in workers if seen.device is not None]
    asked = [device for device in devices if device.kind == data.get("device")]
    device = best_device(asked) or best_device(devices)
    assessment = assess(demo, form.parameters, device) if form.is_valid() else None
    return Offer(
        demo=demo,
        form=form,
        workers=workers,
        allowance=allowance(person, now=now),
        assessment=assessment,
        answer=answer(assessment) if assessment else None,
    )


def room_refusals(demo: Demo, assessment: Assessment) -> list[str]:
    """The refusal for want of memory, with the largest size that would be admitted for each way."""
    device = assessment.device
    if assessment.is_admitted or device is None:
        return []
    largest = ", ".join(
        f"{need.configuration[demo.way]} {largest_size(demo, need.configuration, device)}"
        for need in assessment.largest
    )
    lengths = ", ".join(str(most) for most in assessment.impossible_sizes)
    return [
        _(
            "Not enough memory at %(symbol)s = %(lengths)s: nine tenths of the %(free)s that are free are "
            "%(room)s. Largest %(symbol)s that would be admitted: %(largest)s."
        )
        % {
            "symbol": demo.symbol,
            "lengths": lengths,
            "free": size(device.free_bytes),
            "room": size(assessment.room),
            "largest": largest,
        }
    ]


def size_refusals(assessment: Assessment, allowed_now: Allowance) -> list[str]:
    """The refusal of points that need more than this person may take, with the largest size that is in."""
    most = allowed_now.point_bytes
    if all(need.total <= most for need in assessment.needs):
        return []
    largest = max(assessment.needs, key=lambda need: need.total)
    ways = ", ".join(
        f"{need.configuration[assessment.demo.way]} "
        f"{largest_size_within(assessment.demo, need.configuration, room=most, kind=assessment.kind)}"
        for need in assessment.largest
    )
    return [
        _(
            "%(name)s needs %(needed)s; a point may take %(most)s here. Largest %(symbol)s that would be "
            "admitted: %(largest)s."
        )
        % {
            "name": largest.name,
            "needed": size(largest.total),
            "most": size(most),
            "symbol": assessment.demo.symbol,
            "largest": ways,
        }
    ]


def time_refusals(seconds: float, allowed_now: Allowance) -> list[str]:
    """Every limit that a run of so many predicted seconds would pass: of a run, a person, the site."""
    limits = (
        (allowed_now.run_seconds, _("It would take about %(time)s; a run may take %(most)s here.")),
        (
            allowed_now.seconds_left,
            _("It would take about %(time)s; you have %(most)s of measuring left in these 24 hours."),
        ),
        (
            allowed_now.site_seconds_left,
            _("It would take about %(time)s; this site has %(most)s of measuring left in these 24 hours."),
        ),
    )
    told = {"time": duration(seconds)}
    return [text % {**told, "most": duration(most)} for most, text in limits if seconds > most]


def allowance_refusals(allowed_now: Allowance) -> list[str]:
    found = []
    if allowed_now.a_day == 0:
        found.append(_("Visitors cannot start runs here: sign in."))
    elif allowed_now.left == 0 and allowed_now.again_at is not None:
        moment = formats.date_format(timezone.localtime(allowed_now.again_at), "SHORT_DATETIME_FORMAT")
        found.append(
            _("You have started %(used)d of %(most)d runs in 24 hours. You can start again from %(moment)s.")
            % {"used": allowed_now.used, "most": allowed_now.a_day, "moment": moment}
        )
    if allowed_now.queue_is_full:
        found.append(
            _("The queue is full (%(count)d runs). Try again later.") % {"count": allowed_now.waiting}
        )
    return found
