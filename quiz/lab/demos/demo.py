"""What a demonstration is: parameters, the points they ask for, what each point needs, and how to tell it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from quiz.figures.series import Chart

if TYPE_CHECKING:
    from quiz.lab.columns import Column
    from quiz.lab.results import Row

Parameters = Mapping[str, Any]
Configuration = dict[str, Any]

registered: dict[str, Demo] = {}
DemoT = TypeVar("DemoT", bound="type[Demo]")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One thing to choose. `kind`: "some" (at least one of the options), "one", or "switch" (yes or no).

    `visitor_most`: the largest option that visitors may choose, as the name of a setting.
    """

    name: str
    label: Any
    kind: str
    options: tuple[tuple[Any, Any], ...] = ()
    default: Any = None
    most: int = 0
    visitor_most: str = ""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Parameters under a name, to start from."""

    name: Any
    note: Any
    parameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Term:
    """One summand of a point's memory: what it is, its formula, its bytes."""

    name: str
    formula: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A figure of the measurement that two runs are compared by, point by point.

    `kind`: "time" (milliseconds, drawn too), "bytes" (drawn too), "error" or "number". Only a time that comes
    with quartiles gets a verdict: `low` and `high` name them.
    """

    title: Any
    name: str
    kind: str
    low: str = ""
    high: str = ""


TIME = Compared(
    title=gettext_lazy("Time (median)"), name="median_ms", kind="time", low="p25_ms", high="p75_ms"
)
PEAK = Compared(title=gettext_lazy("Peak memory"), name="peak_bytes", kind="bytes")
ERROR = Compared(title=gettext_lazy("Largest error"), name="error", kind="error")


@dataclass(frozen=True, kw_only=True)
class Insight:
    """The plain-language reading: what to look at, what it means in an interview, what it does not show."""

    look: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class Demo(ABC):
    """One demonstration. Its points are a pure function of its parameters, in the order they are measured.

    A point is a configuration that `module` measures: `python -m MODULE --json CONFIGURATION` prints one flat
    JSON object with an "outcome". Two of its names have a meaning here: `way` says which ways to do a thing
    are compared (a series of the charts, a row of the table), `x` the size that grows (`symbol` in formulas).
    """

    slug: ClassVar[str]
    place: ClassVar[int]  # in the list of demonstrations
    title: ClassVar[Any]
    line: ClassVar[Any]  # what it shows, in one line
    sentence: ClassVar[Any]
    parameters: ClassVar[tuple[Parameter, ...]]
    presets: ClassVar[tuple[Preset, ...]]
    columns: ClassVar[tuple[Column, ...]]
    note: ClassVar[Any]  # beneath the table: how its figures are counted
    module: ClassVar[str] = "attention_core.benchmark"
    way: ClassVar[str] = "backend"
    x: ClassVar[str] = "length"
    symbol: ClassVar[str] = "n"
    baselines: ClassVar[
        tuple[str, ...]
    ] = ()  # the first of these that was measured: what speed-ups count from
    most_budgets: ClassVar[float] = math.inf  # of repetitions: its module ends by itself after so many
    compared: ClassVar[tuple[Compared, ...]] = (TIME, PEAK, ERROR)  # of two runs, as far as both have them

    def complete(self, parameters: Parameters) -> dict[str, Any]:
        """Stored parameters, with the default of each that this demonstration did not have yet."""
        return {one.name: parameters.get(one.name, one.default) for one in self.parameters}

    @abstractmethod
    def points(self, parameters: Parameters) -> tuple[Configuration, ...]:
        """What is measured, without the device, which the worker adds."""

    @abstractmethod
    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        """The bytes that measuring this point needs at one time, as a sum."""

    @abstractmethod
    def calls_flops(self, configuration: Configuration) -> int:
        """FLOPs that one call really carries out, for the rough time; the same on every kind of device."""

    @abstractmethod
    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        """What is known of a point before it is measured; stored also when it cannot be."""

    @abstractmethod
    def point_name(self, configuration: Configuration) -> str:
        """A short name without words: `flash 1024`."""

    @abstractmethod
    def summary(self, parameters: Parameters) -> str:
        """The parameters in one line."""

    @abstractmethod
    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        """The figures of a run."""

    def pictures(self, rows: Sequence[Row]) -> tuple[SafeString, ...]:
        """Other figures, as HTML."""
        return ()

    @abstractmethod
    def insight(self, rows: Sequence[Row]) -> Insight:
        """What the figures say, computed from them."""


def options(*values: Any) -> tuple[tuple[Any, str], ...]:
    """Options that are called what they are."""
    return tuple((value, str(value)) for value in values)


def register(demo: DemoT) -> DemoT:
    """Class decorator: an instance joins the registry."""
    registered[demo.slug] = demo()
    return demo
