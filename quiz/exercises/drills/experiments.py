"""The probes of `attention_core.drills` as a candidate meets them: what was done, what should come of it, and
what an implementation answers. Probes that make the same calls are one experiment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from attention_core import attention, drills
from quiz.exercises.drills.experiment import Experiment
from quiz.exercises.drills.hiding_experiments import HIDING_EXPERIMENTS
from quiz.exercises.drills.looking import Seen
from quiz.exercises.drills.open_experiments import OPEN_EXPERIMENTS
from quiz.exercises.types import Table, Text

_RIGHT = "right"
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(OPEN_EXPERIMENTS | HIDING_EXPERIMENTS)


@cache
def _tried(fault: str) -> Mapping[str, tuple[Seen | None, frozenset[str]]]:
    """Experiment → what is seen of this fault, and what it fails; of a right implementation for "right"."""
    attend = attention if fault == _RIGHT else drills.implementation(fault)
    return {slug: one.tried(attend) for slug, one in EXPERIMENTS.items()}


@cache
def failing(fault: str) -> Mapping[str, frozenset[str]]:
    """Experiment → the probes of it that an implementation with this fault fails."""
    return MappingProxyType({slug: failed for slug, (_, failed) in _tried(fault).items()})


@cache
def clear(fault: str) -> tuple[str, ...]:
    """The experiments whose three decimals show what their probes found: a move where there is one, and with
    a failure other numbers than a right implementation gives."""
    return tuple(slug for slug in EXPERIMENTS if _is_clear(slug, *_tried(fault)[slug]))


def _is_clear(slug: str, seen: Seen | None, failed: frozenset[str]) -> bool:
    if seen is None:
        return True
    one = EXPERIMENTS[slug]
    if one.kind == "other":
        return not failed or seen != _tried(_RIGHT)[slug][0]
    first, second = (numbers for _, numbers in seen.lines)
    return (first != second) == ((one.kind == "moves") != bool(failed))


def told_apart(slug: str, fault: str, other: str) -> bool:
    """Whether an experiment comes out differently for two faults. With dropout left on nothing can be
    trusted but that two equal calls differ."""
    if drills.DROPOUT in (fault, other):
        return slug == "again"
    return failing(fault)[slug] != failing(other)[slug]


def as_table(number: int, slug: str, fault: str, seed: int) -> Table:
    """An experiment with an implementation that has this fault, as a candidate sees it: what was done, and
    the numbers. `seed` is that of the dropout, if that is the fault."""
    one = EXPERIMENTS[slug]
    seen, _ = one.tried(drills.implementation(fault, seed=seed + number))
    row = "" if seen is None else str(seen.place)
    caption = Text(
        f"探针 {number}：{one.did.zh.replace('{row}', row)}",
        f"Probe {number}: {one.did.en.replace('{row}', row)}",
    )
    if seen is None:
        failed = Text("报错：形状对不上", "an error: shapes do not fit")
        return Table(caption=caption, rows=((Text("结果", "result"), failed),))
    rows = tuple((name, *(Text(value, value) for value in numbers)) for name, numbers in seen.lines)
    return Table(caption=caption, rows=rows)
