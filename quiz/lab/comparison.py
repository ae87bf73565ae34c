"""Two runs of one demonstration side by side: what differs, each common point, charts laid over each other.

A ratio of times is given only where it means something: never between a CPU and a GPU, and a verdict only
where one machine measured both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quiz.figures.axes import significant
from quiz.figures.series import Chart, Mark, Series
from quiz.lab.demos.comparing import order, unsteady
from quiz.lab.demos.demo import Compared, Demo, Parameter
from quiz.lab.demos.figures import MIB, description, words
from quiz.lab.formatting import milliseconds, size, times
from quiz.lab.results import Row
from quiz.lab.showing import Findings

Pair = tuple[Row, Row]
# What makes a machine another one, and what may change on the same one.
MACHINE = ("device", "uuid", "processor", "cores", "threads", "system")
VERSIONS = ("torch", "cuda", "cudnn", "driver", "python", "numpy", "tf32", "measuring")
NAMES = {
    "device": gettext_lazy("device"),
    "uuid": gettext_lazy("card"),
    "processor": gettext_lazy("processor"),
    "cores": gettext_lazy("cores"),
    "threads": gettext_lazy("threads"),
    "system": gettext_lazy("system"),
    "driver": gettext_lazy("driver"),
    "measuring": gettext_lazy("meaning of the figures"),
}
SAME = 0.05  # two amounts of memory that differ by less are not drawn over each other
NOT_OF_THE_POINT = {"device", "seed"}


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two. `key` names it in addresses; `letter` is A or B; `partly` says when it is not whole."""

    letter: str
    key: str
    name: str
    found: Findings
    url: str = ""
    partly: str = ""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Something that is not the same: of which kind, and what each side has."""

    label: str
    a: str
    b: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A common point in a table. `said`: how B compares, in words; `verdict` is empty where there is none."""

    name: str
    a: str
    b: str
    said: str = ""
    verdict: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One figure at all common points."""

    compared: Compared
    lines: tuple[Line, ...]

    @property
    def slug(self) -> str:
        return self.compared.name.replace("_", "-")

    @property
    def has_ratio(self) -> bool:
        return any(line.said for line in self.lines)

    @property
    def has_verdicts(self) -> bool:
        return any(line.verdict for line in self.lines)

    @property
    def has_even(self) -> bool:
        return any(line.verdict == "even" for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A and B of the same demonstration."""

    a: Side
    b: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    @property
    def demo(self) -> Demo:
        return self.a.found.demo

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The points that both have, by size and then by way."""
        of_a, of_b = self._by_place
        ways = list(dict.fromkeys(row.way for row in self.a.found.rows))
        both = [(row, of_b[place]) for place, row in of_a.items() if place in of_b]
        return tuple(sorted(both, key=lambda pair: (pair[0].x, ways.index(pair[0].way), pair[0].position)))

    @property
    def only_a(self) -> list[str]:
        of_a, of_b = self._by_place
        return [row.name for place, row in of_a.items() if place not in of_b]

    @property
    def only_b(self) -> list[str]:
        of_a, of_b = self._by_place
        return [row.name for place, row in of_b.items() if place not in of_a]

    @cached_property
    def _by_place(self) -> tuple[dict[tuple[Any, ...], Row], dict[tuple[Any, ...], Row]]:
        names = _names(self.demo, (self.a.found.rows, self.b.found.rows))
        by_a, by_b = (
            {tuple(str(row.configuration.get(name)) for name in names): row for row in side.found.rows}
            for side in (self.a, self.b)
        )
        return by_a, by_b

    @property
    def parameters(self) -> list[Difference]:
        """The parameters that were chosen differently."""
        a, b = self.a.found.parameters, self.b.found.parameters
        return [
            Difference(label=str(p.label), a=_chosen(p, a.get(p.name)), b=_chosen(p, b.get(p.name)))
            for p in self.demo.parameters
            if a.get(p.name) != b.get(p.name)
        ]

    @property
    def other_work(self) -> str:
        """The parameters that make the same point other work; empty where they only choose other points."""
        a, b = self.a.found.parameters, self.b.found.parameters
        return ", ".join(
            str(p.label) for p in self.demo.parameters if p.kind != "some" and a.get(p.name) != b.get(p.name)
        )

    @property
    def machine(self) -> list[Difference]:
        return _machine(self.a.found, self.b.found, MACHINE)

    @property
    def versions(self) -> list[Difference]:
        return _machine(self.a.found, self.b.found, VERSIONS)

    @property
    def across_kinds(self) -> bool:
        """A CPU on one side, a GPU on the other."""
        of_a, of_b = (
            {str(row.configuration.get("device", "cpu")).split(":")[0] for row in side.found.rows}
            for side in (self.a, self.b)
        )
        return of_a != of_b

    @property
    def has_times(self) -> bool:
        return any(table.compared.kind == "time" for table in self.tables)

    @property
    def doubts(self) -> list[str]:
        """What speaks against believing the times of either side."""
        return [
            f"{side.letter}: {sentence}"
            for side in (self.a, self.b)
            for sentence in (unsteady(side.found.rows) if self.has_times else ())
        ]

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Each figure that some common point has on both sides."""
        return tuple(
            Table(compared=compared, lines=tuple(self._line(compared, pair) for pair in self.pairs))
            for compared in self.demo.compared
            if any(all(_value(row, compared) is not None for row in pair) for pair in self.pairs)
        )

    @property
    def charts(self) -> tuple[Chart, ...]:
        """A over B for each way and figure; no times of a CPU over those of a GPU."""
        return tuple(
            chart
            for table in self.tables
            if table.compared.kind == "bytes" or (table.compared.kind == "time" and not self.across_kinds)
            for chart in _charts(table.compared, self.pairs, self.demo)
        )

    def _line(self, compared: Compared, pair: Pair) -> Line:
        said, verdict = "", ""
        a, b = (_value(row, compared) for row in pair)
        if compared.kind == "time" and a and b and not self.across_kinds:
            verdict = "" if self.machine or not compared.low else _verdict(pair, compared)
            said = _said(b / a, verdict)
        return Line(
            name=pair[0].name,
            a=_printed(pair[0], compared),
            b=_printed(pair[1], compared),
            said=said,
            verdict=verdict,
        )

    @property
    def outcomes(self) -> tuple[Line, ...]:
        """How common points ended: those without figures, or all where there is no figure to compare."""
        return tuple(
            Line(name=a.name, a=str(a.outcome.label), b=str(b.outcome.label))
            for a, b in self.pairs
            if not self.tables or not (a.is_measured and b.is_measured)
        )

    @property
    def reading(self) -> str:
        """The verdicts of the first time, counted."""
        timed = next((table for table in self.tables if table.compared.kind == "time"), None)
        told = [line.verdict for line in timed.lines if line.verdict] if timed else []
        if timed is None or not told:
            return ""
        return _(
            "%(figure)s: of %(all)d common points B is faster at %(faster)d and slower at %(slower)d; at "
            "%(even)d the quartiles overlap."
        ) % {
            "figure": timed.compared.title,
            "all": len(told),
            **{name: told.count(name) for name in ("faster", "slower", "even")},
        }


def _names(demo: Demo, sides: Iterable[Sequence[Row]]) -> tuple[str, ...]:
    """What tells points apart: the way, the size, and whatever else varies within a run."""
    varying: set[str] = set()
    for rows in sides:
        for name in {name for row in rows for name in row.configuration}:
            if len({str(row.configuration.get(name)) for row in rows}) > 1:
                varying.add(name)
    return (demo.way, demo.x, *sorted(varying - {demo.way, demo.x} - NOT_OF_THE_POINT))


def _chosen(parameter: Parameter, value: Any) -> str:
    if value is None:
        return "–"
    if parameter.kind == "switch":
        return _("yes") if value else _("no")
    names = dict(parameter.options)
    chosen = value if isinstance(value, list) else [value]
    return ", ".join(str(names.get(item, item)) for item in chosen)


def _machine(a: Findings, b: Findings, names: Sequence[str]) -> list[Difference]:
    """What the machines do not share; nothing where a side says nothing of its machine."""
    if not (a.machines and b.machines):
        return []
    found = []
    for name in names:
        told = [
            ", ".join(
                dict.fromkeys(
                    str(machine[name]) for machine in side.machines if machine.get(name) is not None
                )
            )
            for side in (a, b)
        ]
        if told[0] != told[1]:
            label = str(NAMES.get(name, name))
            found.append(Difference(label=label, a=told[0] or "–", b=told[1] or "–"))
    return found


def _value(row: Row, compared: Compared) -> float | None:
    """The figure of a row; a time only of a measured one."""
    return row.number(compared.name) if row.is_measured or compared.kind != "time" else None


def _printed(row: Row, compared: Compared) -> str:
    value = _value(row, compared)
    if value is None:
        return "–" if row.is_measured else "✗" if row.lacks_memory else "!"
    if compared.kind == "time":
        return milliseconds(value)
    if compared.kind == "bytes":
        return size(value)
    return f"{value:.1e}" if compared.kind == "error" and value else significant(value)


def _verdict(pair: Pair, compared: Compared) -> str:
    """How B compares with A by their quartiles; empty where they were not kept."""
    a, b = ((row.number(compared.low), row.number(compared.high)) for row in pair)
    return order(b, a) if None not in (*a, *b) else ""


def _said(ratio: float, verdict: str) -> str:
    """`ratio` is B's time over A's."""
    if verdict == "even":
        return _("even")
    sentence = _("%(ratio)s× as fast") if ratio < 1 else _("%(ratio)s× as long")
    return sentence % {"ratio": times(max(ratio, 1 / ratio))}


def _charts(compared: Compared, pairs: Sequence[Pair], demo: Demo) -> tuple[Chart, ...]:
    """A chart for each way that has several sizes: A and B over each other."""
    names = [
        name for name in _names(demo, ([a for a, _b in pairs], [b for _a, b in pairs])) if name != demo.x
    ]
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(" ".join(str(pair[0].configuration.get(name)) for name in names), []).append(pair)
    found = []
    for index, (label, own) in enumerate(groups.items()):
        series = tuple(
            Series(name=letter, marks=tuple(_marks([pair[side] for pair in own], compared)))
            for side, letter in enumerate("AB")
        )
        if all(len(line.marks) > 1 for line in series) and not (compared.kind == "bytes" and _lie_on(series)):
            unit = _("milliseconds") if compared.kind == "time" else "MiB"
            found.append(
                Chart(
                    slug=f"{compared.name.replace('_', '-')}-{index}",
                    title=f"{label}: {compared.title}",
                    description=description(series, unit),
                    x_title=demo.symbol,
                    y_title=unit,
                    series=series,
                    words=words(),
                )
            )
    return tuple(found)


def _lie_on(series: Sequence[Series]) -> bool:
    """Whether the two lines could not be told apart in a drawing."""
    one, other = series
    return [mark.x for mark in one.marks] == [mark.x for mark in other.marks] and all(
        abs(a.y - b.y) <= SAME * max(a.y, b.y) for a, b in zip(one.marks, other.marks, strict=True)
    )


def _marks(rows: Sequence[Row], compared: Compared) -> Iterable[Mark]:
    unit = MIB if compared.kind == "bytes" else 1
    for row in rows:
        value = _value(row, compared)
        if value:
            low, high = (row.number(name) if name else None for name in (compared.low, compared.high))
            yield Mark(x=row.x, y=value / unit, low=low, high=high)
