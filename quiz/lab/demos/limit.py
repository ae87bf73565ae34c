"""Out of memory: the longest sequence that an allowance takes, by the law and by trying."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import costs
from attention_core.benchmark_limit import CHECKED_HEADS, SEARCH, Configuration, drawn_length
from quiz.figures.series import Chart, Gap, Mark, Series
from quiz.lab import columns as shown
from quiz.lab.columns import KERNEL, WAY, Column
from quiz.lab.demos import demo
from quiz.lab.demos.choices import NUMBER_FORMAT, heads, width
from quiz.lab.demos.demo import (
    Compared,
    Demo,
    Insight,
    Parameter,
    Parameters,
    Preset,
    Term,
    options,
    register,
)
from quiz.lab.demos.figures import by_way, description, gaps, words
from quiz.lab.demos.limit_insight import BACKENDS, insight, is_limit
from quiz.lab.formatting import size
from quiz.lab.results import Row


def _real(row: Row) -> str:
    real = row.number("real_n")
    if real is None:
        return "–"
    return f"{real:.0f}" if is_limit(row) else f"≥ {real:.0f}"


def _count(name: str) -> Any:
    def cell(row: Row) -> str:
        value = row.number(name)
        return "–" if value is None else f"{value:.0f}"

    return cell


def _ratio(row: Row) -> str:
    value = row.number("ratio")
    return "–" if value is None or not is_limit(row) else f"{value:.3f}"


def _left(row: Row) -> str:
    return size(row.number("left_bytes")) if is_limit(row) else "–"


def _refused(row: Row) -> str:
    """What was asked for when it failed for the last time, out of what the allocator said."""
    found = re.search(r"ried to allocate ([\d.]+) (\w+)", str(row.measurement.get("said") or ""))
    if not found:
        return "–"
    return size(int(found[1])) if found[2] == "bytes" else f"{found[1]} {found[2]}"


@register
class Limit(Demo):
    """One point is one allowance: a search of tries, each under a limit that refuses and kills nothing."""

    slug = "limit"
    place = 3
    module = "attention_core.benchmark_limit"
    x = "allowance"
    symbol = "M"
    most_budgets = SEARCH
    compared = (
        Compared(title=gettext_lazy("Longest n that ran"), name="limit_n", kind="number"),
        Compared(title=gettext_lazy("Largest error"), name="error", kind="error"),
    )
    title = gettext_lazy("Out of memory: the predicted limit and the real one")
    line = gettext_lazy("The longest sequence that a memory takes, predicted to the token and found safely.")
    sentence = gettext_lazy(
        "So many MiB beyond the inputs, and not one more: what is the longest sequence that still runs? The "
        "law of each way predicts it; then lengths are tried under a limit that refuses an allocation before "
        "anything is touched."
    )
    parameters = (
        Parameter(
            name="backends",
            label=gettext_lazy("Ways to compute it"),
            kind="some",
            options=options(*BACKENDS),
            default=["flash", "naive"],
            most=len(BACKENDS),
        ),
        Parameter(
            name="allowances",
            label=gettext_lazy("Memory M beyond the inputs, in MiB"),
            kind="some",
            options=options(*(2**exponent for exponent in range(3, 13))),
            default=[8, 16, 32, 64],
            most=5,
            visitor_most="LAB_VISITOR_POINT_MIB",
        ),
        heads(8, 16, 32, default=32),
        width(64, 128, default=128),
        NUMBER_FORMAT,
    )
    presets = (
        Preset(
            name=gettext_lazy("Quick"),
            note=gettext_lazy("eight points, about a minute"),
            parameters={
                "backends": ["flash", "naive"], "allowances": [8, 16, 32, 64], "heads": 32, "width": 128,
                "dtype": "float32",
            },
        ),
        Preset(
            name=gettext_lazy("Matrices only"),
            note=gettext_lazy("naive and math to 1 GiB: sixty-four times the memory, eight times the length"),
            parameters={
                "backends": ["naive", "math"], "allowances": [16, 64, 256, 1024], "heads": 32, "width": 128,
                "dtype": "float32",
            },
        ),
    )  # fmt: skip
    columns = (
        WAY,
        Column(title=gettext_lazy("M, MiB"), cell=lambda row: str(row.x), figure=False),
        Column(title=gettext_lazy("predicted n"), cell=_count("predicted_n"), figure=False),
        Column(title=gettext_lazy("longest n that ran"), cell=_real),
        Column(title=gettext_lazy("shortest that did not"), cell=_count("failed_n")),
        Column(title=gettext_lazy("real / predicted"), cell=_ratio),
        Column(title=gettext_lazy("M − law"), cell=_left),
        Column(title=gettext_lazy("refused last"), cell=_refused),
        Column(title=gettext_lazy("tries"), cell=_count("tries")),
        shown.ERROR,
        KERNEL,
    )
    note = gettext_lazy(
        "M counts beyond the process and its inputs. On the CPU the address space is limited while a try "
        "runs; on a GPU, the allocator's share of the card. ≥: the search ended first, for want of time or "
        "far beyond the law, so this is a lower bound and not the limit. M − law: what is left of M when "
        "the law's bytes for that n are taken off. Bars in the chart reach up to the shortest n that did "
        "not run. Refused last: the one allocation that was too much. Error: at the longest n, against "
        "float64."
    )

    def points(self, parameters: Parameters) -> tuple[demo.Configuration, ...]:
        chosen = [backend for backend in BACKENDS if backend in parameters["backends"]]
        shared = {name: parameters[name] for name in ("heads", "width", "dtype")}
        return tuple(
            {"backend": backend, "allowance": allowance, "seed": 0, **shared}
            for allowance in sorted(set(parameters["allowances"]))
            for backend in chosen
        )

    def terms(self, configuration: demo.Configuration) -> tuple[Term, ...]:
        point = _read(configuration)
        itemsize, n = costs.itemsize(point.dtype), drawn_length(max(1, point.predicted_n))
        inputs = 3 * point.heads * n * point.width * itemsize
        heads, rows = min(CHECKED_HEADS, point.heads), min(n, costs.CHECKED_ROWS)
        wide = heads * ((4 * n + 2 * rows) * point.width + 6 * rows * n) * 8
        return (
            Term(
                name=_("Q, K and V a little longer than predicted"),
                formula=f"3·H·n·d·{itemsize} B",
                size=inputs,
            ),
            Term(name=_("a draft in float32"), formula="H·n·d·4 B", size=point.heads * n * point.width * 4),
            Term(
                name=_("the allowance M, and a result that is kept"),
                formula="2·M",
                size=2 * point.allowance_bytes,
            ),
            Term(
                name=_("the check in float64"),
                formula=f"{heads}·((4n + 2·{rows})·d + 6·{rows}·n)·8 B",
                size=wide,
            ),
        )

    def calls_flops(self, configuration: demo.Configuration) -> int:
        """At the predicted length."""
        point = _read(configuration)
        n = point.predicted_n
        return costs.attention_flops(batch=1, heads=point.heads, queries=n, keys=n, width=point.width)

    def foretold(self, configuration: demo.Configuration) -> dict[str, Any]:
        point = _read(configuration)
        return {"predicted_n": point.predicted_n, "allowance_bytes": point.allowance_bytes}

    def point_name(self, configuration: demo.Configuration) -> str:
        return f"{configuration['backend']} {configuration['allowance']} MiB"

    def summary(self, parameters: Parameters) -> str:
        allowances = sorted(parameters["allowances"])
        span = str(allowances[0]) if len(allowances) == 1 else f"{allowances[0]}–{allowances[-1]}"
        ways = ", ".join(backend for backend in BACKENDS if backend in parameters["backends"])
        shape = f"H {parameters['heads']} × d {parameters['width']}"
        return f"{ways} · M {span} MiB · {shape} · {parameters['dtype']}"

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        series = []
        for name, own in by_way(rows, BACKENDS):
            predicted = tuple((float(row.x), float(n)) for row in own if (n := row.number("predicted_n")))
            series.append(Series(name=name, marks=_marks(own), gaps=_gaps(own), predicted=predicted))
        return (
            Chart(
                slug="limit",
                title=_("The longest sequence against memory"),
                description=description(series, _("tokens")),
                x_title=_("memory M beyond the inputs, MiB"),
                y_title=_("longest n that ran"),
                series=tuple(series),
                words=words(),
            ),
        )

    def insight(self, rows: Sequence[Row]) -> Insight:
        return insight(rows)


def _read(configuration: demo.Configuration) -> Configuration:
    return Configuration(**{name: value for name, value in configuration.items() if name != "device"})


def _marks(rows: Sequence[Row]) -> tuple[Mark, ...]:
    return tuple(
        Mark(x=row.x, y=real, low=real, high=(row.number("failed_n") or 0) - 1)
        for row in rows
        if is_limit(row) and (real := row.number("real_n"))
    )


def _gaps(rows: Sequence[Row]) -> tuple[Gap, ...]:
    """What has no limit: no value at all, or only a lower bound."""
    bounds = tuple(
        Gap(x=row.x, reason=_("not reached: at least %(n)d") % {"n": real}, memory=False)
        for row in rows
        if row.is_measured and not is_limit(row) and (real := row.number("real_n"))
    )
    return (*gaps(rows), *bounds)
