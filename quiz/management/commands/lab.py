"""`manage.py lab`, `manage.py lab DEMO --parameters lengths=128,256 causal=on`: measure from a terminal.

Needs no worker, browser or database. The same code measures as in a worker: admission, child processes with
limits. The bar goes to standard error, so that `--json` and `--csv` can be redirected.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from quiz.lab import demos, device
from quiz.lab.admission import Assessment, assess
from quiz.lab.demos.demo import Demo, Parameter
from quiz.lab.exporting import to_csv, to_json
from quiz.lab.forms import ParametersForm
from quiz.lab.measuring import measure_point
from quiz.lab.offering import room_refusals
from quiz.lab.outcomes import Outcome
from quiz.lab.printing import Bar, cost_lines, findings_lines, list_lines, parameter_lines
from quiz.lab.results import Row
from quiz.lab.showing import Findings

UNKNOWN, REFUSED, INTERRUPTED = 2, 3, 130  # exit codes


class Command(BaseCommand):
    help = "Measure a demonstration of the lab on this machine; without DEMO, list them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("demo", nargs="?", metavar="DEMO", help="the slug of a demonstration")
        parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
        parser.add_argument(
            "--parameters",
            nargs="+",
            default=[],
            metavar="NAME=VALUE[,VALUE]",
            help="instead of the defaults",
        )
        parser.add_argument("--cost", action="store_true", help="only say what it would cost")
        output = parser.add_mutually_exclusive_group()
        output.add_argument("--json", action="store_true", help="print JSON instead of the table")
        output.add_argument("--csv", action="store_true", help="print CSV instead of the table")
        parser.add_argument("--language", choices=["zh-hans", "en"], default="zh-hans")

    def handle(self, *args: Any, **options: Any) -> None:
        with translation.override(options["language"]):
            if options["demo"] is None:
                self.stdout.write("\n".join(list_lines(demos.all_demos())))
                return
            demo = _demo(options["demo"])
            parameters = read_parameters(demo, options["parameters"])
            here = _device(options["device"])
            self.stderr.write("\n".join(cost_lines(_admitted(demo, parameters, here))))
            if not options["cost"]:
                self._measure(demo, parameters, kind=options["device"], options=options)

    def _measure(self, demo: Demo, parameters: dict[str, Any], *, kind: str, options: dict[str, Any]) -> None:
        rows: list[Row] = []
        try:
            for row in measured(demo, parameters, kind=kind, bar=Bar(self.stderr)):
                rows.append(row)  # one at a time: an interruption keeps them
        except KeyboardInterrupt:
            self.stderr.write(_("Stopped. What has been measured:"))
        if options["json"]:
            self.stdout.write(to_json(demo, parameters, rows))
        elif options["csv"]:
            self.stdout.write(to_csv(rows), ending="")
        else:
            found = Findings(demo=demo, parameters=parameters, rows=rows)
            self.stdout.write("\n".join(findings_lines(found)))
        if len(rows) < len(demo.points(parameters)):
            sys.exit(INTERRUPTED)


def measured(demo: Demo, parameters: dict[str, Any], *, kind: str, bar: Bar) -> Iterator[Row]:
    """Each point as it comes. Whatever ends this early ends the measuring child too."""
    points = demo.points(parameters)
    for position, configuration in enumerate(points):
        bar.show(position, of=len(points), doing=demo.point_name(configuration))
        here = device.here(kind)
        asked = {**configuration, "device": here.kind}
        found = measure_point(demo, asked, here=here, check=lambda: None)
        yield Row(
            position=position,
            attempt=1,
            configuration=asked,
            outcome=Outcome(found["outcome"]),
            measurement=found,
            measured_at=timezone.now(),
            demo=demo,
        )
    bar.show(len(points), of=len(points), doing="")


def read_parameters(demo: Demo, given: list[str]) -> dict[str, Any]:
    """The parameters of `name=value,value` words, checked as the page's form checks them."""
    known = {parameter.name: parameter for parameter in demo.parameters}
    query = QueryDict(mutable=True)
    for parameter in demo.parameters:
        _put(query, parameter, parameter.default)
    for word in given:
        name, separator, value = word.partition("=")
        if not separator or name not in known:
            raise CommandError(_refusal(demo, word), returncode=UNKNOWN)
        _put(query, known[name], value.split(",") if known[name].kind == "some" else value)
    form = ParametersForm(demo, query, visitor=False)
    if not form.is_valid():
        said = "; ".join(f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
        raise CommandError(_refusal(demo, said), returncode=UNKNOWN)
    return form.parameters


def _put(query: QueryDict, parameter: Parameter, value: Any) -> None:
    if parameter.kind == "some":
        query.setlist(parameter.name, [str(item) for item in value])
    elif parameter.kind != "switch":
        query[parameter.name] = str(value)
    elif value in (True, "on"):
        query[parameter.name] = "on"
    elif value in (False, "off"):
        query.pop(parameter.name, None)
    else:
        raise CommandError(f"{parameter.name}={value}: on, off", returncode=UNKNOWN)


def _refusal(demo: Demo, said: str) -> str:
    return "\n".join([said, _("Parameters:"), *parameter_lines(demo)])


def _demo(slug: str) -> Demo:
    try:
        return demos.get(slug)
    except demos.UnknownDemo:
        known = ", ".join(demo.slug for demo in demos.all_demos())
        raise CommandError(
            _("unknown demonstration: %(slug)s; known: %(known)s") % {"slug": slug, "known": known},
            returncode=UNKNOWN,
        ) from None


def _device(kind: str) -> device.Device:
    here = device.here(kind)
    if not here.can_measure:
        raise CommandError(_("torch is not installed here, so nothing can be measured."), returncode=REFUSED)
    if kind == "cuda" and here.kind != "cuda":
        raise CommandError(_("torch finds no CUDA device here."), returncode=REFUSED)
    return here


def _admitted(demo: Demo, parameters: dict[str, Any], here: device.Device) -> Assessment:
    found = assess(demo, parameters, here)
    if not found.is_admitted:
        raise CommandError("\n".join(room_refusals(demo, found)), returncode=REFUSED)
    return found
