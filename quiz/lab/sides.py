"""Which two runs are compared: reading an address, offering what can be chosen, saying what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from quiz.accounts.people import Person
from quiz.lab import demos
from quiz.lab.comparison import Comparison, Side
from quiz.lab.demos.demo import Demo
from quiz.lab.models import Run
from quiz.lab.reference import Stored, stored
from quiz.lab.showing import findings, run_name
from quiz.work.models import State

OFFERED = 20  # runs of the person, and as many of others
LONGEST = 18  # digits of a run's number


@dataclass(frozen=True, kw_only=True)
class Choice:
    key: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Group:
    """Choices under a heading."""

    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    """The page: the form with what was chosen, and the comparison or every reason why there is none."""

    demo: Demo
    a: str
    b: str
    groups: tuple[Group, ...]
    problems: tuple[str, ...]
    comparison: Comparison | None
    is_missing: bool

    @property
    def status(self) -> int:
        """404 where a run does not exist, 422 where two cannot be compared."""
        return 404 if self.is_missing else 422 if self.problems else 200


def compare_page(person: Person, asked: QueryDict) -> ComparePage:
    """Read `a`, `b` and, for stored runs, `demo`. At most four queries. Raises UnknownDemo."""
    keys = {"A": asked.get("a", "").strip(), "B": asked.get("b", "").strip()}
    runs = _runs(keys.values())
    first = next((runs[key] for key in keys.values() if key in runs), None)
    demo = demos.get(first.demo if first else asked.get("demo") or demos.all_demos()[0].slug)
    kept = {one.key: one for one in stored(demo)}
    sides, problems, is_missing = [], [], False
    for letter, key in keys.items():
        if key in runs and runs[key].demo == demo.slug:
            problem = _problem(runs[key])
            sides.append(_side(letter, runs[key], demo))
            problems += [problem] if problem else []
        elif key in runs:
            problems.append(_other_demo(runs[key], demo))
        elif key in kept:
            sides.append(_stored_side(letter, kept[key]))
        elif key:
            is_missing = True
            problems.append(_("There is no run “%(key)s” to compare with.") % {"key": key[:40]})
    if keys["A"] and keys["A"] == keys["B"]:
        problems = [*problems[:1], _("A and B are the same run: choose another for one of them.")]
    whole = len(sides) == 2 and not problems
    comparison = Comparison(a=sides[0], b=sides[1]) if whole else None
    if comparison is not None and not comparison.pairs:
        problems.append(_("These two runs have no point in common: no way at the same size."))
    return ComparePage(
        demo=demo,
        a=keys["A"],
        b=keys["B"],
        groups=_groups(person, demo, kept.values(), runs.values()),
        problems=tuple(problems),
        comparison=comparison,
        is_missing=is_missing,
    )


def _runs(keys: Iterable[str]) -> dict[str, Run]:
    """The runs that the keys name, with their points, by key."""
    numbers = {key: int(key) for key in keys if key.isascii() and key.isdecimal() and len(key) <= LONGEST}
    if not numbers:
        return {}
    found = {
        run.pk: run
        for run in Run.objects.with_job().filter(pk__in=numbers.values()).prefetch_related("points")
        if run.demo in {demo.slug for demo in demos.all_demos()}
    }
    return {key: found[number] for key, number in numbers.items() if number in found}


def _problem(run: Run) -> str:
    if not run.job.is_finished:
        return _("%(run)s is not finished yet: wait until it is.") % {"run": run_name(run)}
    if not run.points.all():
        return _("%(run)s ended without a single point.") % {"run": run_name(run)}
    return ""


def _other_demo(run: Run, demo: Demo) -> str:
    return _("%(run)s is of “%(other)s”, not of “%(demo)s”: only runs of one demonstration compare.") % {
        "run": run_name(run),
        "other": demos.get(run.demo).title,
        "demo": demo.title,
    }


def _side(letter: str, run: Run, demo: Demo) -> Side:
    found = findings(run, demo)
    partly = ""
    if run.job.state != State.DONE:
        partly = _("%(state)s after %(done)d of %(all)d points") % {
            "state": run.job.get_state_display(),
            "done": len(found.rows),
            "all": found.all_points,
        }
    return Side(
        letter=letter,
        key=str(run.pk),
        name=run_name(run),
        found=found,
        url=reverse("lab:run", args=[run.pk]),
        partly=partly,
    )


def _stored_side(letter: str, one: Stored) -> Side:
    return Side(letter=letter, key=one.key, name=one.name, found=one.found)


def _groups(person: Person, demo: Demo, kept: Iterable[Stored], chosen: Iterable[Run]) -> tuple[Group, ...]:
    """What can be chosen: the person's own finished runs, the stored ones, those of others."""
    finished = Run.objects.with_job().filter(demo=demo.slug, job__state=State.DONE)
    mine = list(finished.filter(person.owns())[:OFFERED]) if person.is_known else []
    own = {run.pk for run in mine}
    others = [run for run in finished[: 2 * OFFERED] if run.pk not in own][:OFFERED]
    listed = own | {run.pk for run in others}
    further = [run for run in chosen if run.pk not in listed]
    groups = (
        (_("My runs"), [_choice(run) for run in mine]),
        (_("Stored with the program"), [Choice(key=one.key, label=_stored_label(one)) for one in kept]),
        (_("Runs of others"), [_choice(run) for run in (*others, *further)]),
    )
    return tuple(Group(title=title, choices=tuple(choices)) for title, choices in groups if choices)


def _choice(run: Run) -> Choice:
    day = formats.date_format(timezone.localtime(run.created_at), "SHORT_DATETIME_FORMAT")
    demo = demos.get(run.demo)
    return Choice(
        key=str(run.pk), label=f"{run_name(run)} · {demo.summary(demo.complete(run.parameters))} · {day}"
    )


def _stored_label(one: Stored) -> str:
    return f"{one.name} · {one.found.summary}"
