"""What a chart is made of: marks with quartiles, gaps with reasons, series, and the chart's own words."""

from __future__ import annotations

from dataclasses import dataclass, field

from quiz.figures.axes import Scale, drawable, significant

MOST_SERIES = 6


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One measured value with its quartiles."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A place without a value, and why. `memory`: for want of memory (✗); otherwise another reason (!)."""

    x: float
    reason: str
    memory: bool = True


@dataclass(frozen=True, kw_only=True)
class Series:
    """One line. `predicted` is drawn as dots without markers."""

    name: str
    marks: tuple[Mark, ...] = ()
    gaps: tuple[Gap, ...] = ()
    predicted: tuple[tuple[float, float], ...] = ()
    scales: tuple[Scale, Scale] = ("log", "log")  # of the axes it is drawn on, x and y

    @property
    def drawn(self) -> tuple[Mark, ...]:
        """The marks that have a place on the axes, by x."""
        return tuple(sorted((m for m in self.marks if self._fits(m.x, m.y)), key=lambda m: m.x))

    @property
    def foretold(self) -> tuple[tuple[float, float], ...]:
        return tuple(sorted(pair for pair in self.predicted if self._fits(*pair)))

    @property
    def missing(self) -> tuple[Gap, ...]:
        return tuple(sorted((g for g in self.gaps if drawable(g.x, self.scales[0])), key=lambda g: g.x))

    def _fits(self, x: float, y: float) -> bool:
        return drawable(x, self.scales[0]) and drawable(y, self.scales[1])


@dataclass(frozen=True, kw_only=True)
class Words:
    """The chart's own words."""

    table: str = "The data as a table"
    nothing: str = "Nothing measured yet"
    memory: str = "not enough memory"
    other: str = "see the table"
    predicted: str = "predicted"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What is drawn. `slug` makes the element ids and must be unique on the page."""

    slug: str
    title: str
    description: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    words: Words = field(default_factory=Words)

    def __post_init__(self) -> None:
        if len(self.series) > MOST_SERIES:
            raise ValueError(f"a chart tells at most {MOST_SERIES} series apart, not {len(self.series)}")
        if len({series.scales for series in self.series}) > 1:
            raise ValueError("the series of a chart share their axes")

    @property
    def scales(self) -> tuple[Scale, Scale]:
        """How x and y grow along their axes."""
        return self.series[0].scales if self.series else ("log", "log")


def describe_mark(mark: Mark) -> str:
    """`1.23 (1.1–1.3)`."""
    text = significant(mark.y)
    if mark.low is not None and mark.high is not None:
        text += f" ({significant(mark.low)}–{significant(mark.high)})"
    return text
