"""A new kernel beside the old one: what evidence would let one keep it (question 39)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import costs
from attention_core.benchmark_rollout import NEW, OLD, PADDING
from quiz.figures.axes import significant
from quiz.figures.series import Chart, Mark, Series
from quiz.lab.columns import CALLS, LENGTH, Column, difference, number
from quiz.lab.demos.choices import NUMBER_FORMAT, heads, width
from quiz.lab.demos.comparing import order, unsteady
from quiz.lab.demos.demo import (
    Compared,
    Configuration,
    Demo,
    Insight,
    Parameter,
    Parameters,
    Preset,
    Term,
    options,
    register,
)
from quiz.lab.demos.figures import description, gaps, words
from quiz.lab.formatting import milliseconds
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row

PERCENTILES = (50, 90, 99)


def _latency(which: str, title: Any, *, percent: int) -> Compared:
    quartiles = {"low": f"{which}_p25_ms", "high": f"{which}_p75_ms"} if percent == 50 else {}
    return Compared(title=title, name=f"{which}_p{percent}_ms", kind="time", **quartiles)


@register
class Rollout(Demo):
    """Causal attention, batch 1; one point measures both kernels on the same inputs, in turns."""

    slug = "rollout"
    place = 5
    module = "attention_core.benchmark_rollout"
    way = "new"
    compared = (
        _latency("new", gettext_lazy("New kernel, median"), percent=50),
        _latency("old", gettext_lazy("Old kernel, median"), percent=50),
        _latency("new", gettext_lazy("New kernel, P99"), percent=99),
        _latency("old", gettext_lazy("Old kernel, P99"), percent=99),
        Compared(title=gettext_lazy("Error of the new kernel"), name="new_error_max", kind="error"),
        Compared(title=gettext_lazy("Moved by later tokens"), name="causality", kind="error"),
        Compared(title=gettext_lazy("Moved by padding"), name="padding", kind="error"),
    )
    title = gettext_lazy("A new kernel beside the old: keep it or revert it?")
    line = gettext_lazy(
        "Error, causality, padding, latency percentiles: the evidence that question 39 asks for."
    )
    sentence = gettext_lazy(
        "Two kernels on the same inputs. Is the new one as exact as the old, does it keep causality and "
        "ignore padding, and only then: what do its latency percentiles say?"
    )
    parameters = (
        Parameter(
            name="old", label=gettext_lazy("Old kernel"), kind="one", options=options(*OLD), default="naive"
        ),
        Parameter(
            name="new",
            label=gettext_lazy("New kernels"),
            kind="some",
            options=tuple(
                (name, gettext_lazy("leaky (a planted mistake)") if name == "leaky" else name) for name in NEW
            ),
            default=["flash", "leaky"],
            most=len(NEW),
        ),
        Parameter(
            name="lengths",
            label=gettext_lazy("Sequence lengths n"),
            kind="some",
            options=options(*(2**exponent for exponent in range(4, 13))),
            default=[128, 512],
            most=5,
            visitor_most="LAB_VISITOR_MAX_LENGTH",
        ),
        heads(1, 4, 8, 16, default=4),
        width(32, 64, 128, default=64),
        NUMBER_FORMAT,
    )
    presets = (
        Preset(
            name=gettext_lazy("A good one and a leaky one"),
            note=gettext_lazy("four points, under a minute"),
            parameters={
                "old": "naive", "new": ["flash", "leaky"], "lengths": [128, 512], "heads": 4, "width": 64,
                "dtype": "float32",
            },
        ),
        Preset(
            name=gettext_lazy("bfloat16"),
            note=gettext_lazy("errors a thousand times larger, and still right"),
            parameters={
                "old": "naive", "new": ["flash", "leaky"], "lengths": [128, 512], "heads": 4, "width": 64,
                "dtype": "bfloat16",
            },
        ),
    )  # fmt: skip
    columns = (
        Column(title=gettext_lazy("new"), cell=lambda row: row.way, number=False, figure=False),
        LENGTH,
        Column(title=gettext_lazy("error, old"), cell=difference("old_error_max"), figure=False),
        Column(title=gettext_lazy("error, new"), cell=difference("new_error_max"), figure=False),
        Column(title=gettext_lazy("mean"), cell=difference("new_error_mean"), figure=False),
        Column(title=gettext_lazy("99 %"), cell=difference("new_error_p99"), figure=False),
        Column(title=gettext_lazy("allowed"), cell=difference("allowed_error"), figure=False),
        Column(title=gettext_lazy("new − old"), cell=difference("difference_max"), figure=False),
        Column(title=gettext_lazy("moved by later tokens"), cell=difference("causality"), figure=False),
        Column(title=gettext_lazy("moved by padding"), cell=difference("padding"), figure=False),
        *(
            Column(title=format_lazy(title, percent), cell=number(f"{which}_p{percent}_ms"))
            for percent in PERCENTILES
            for which, title in (("old", gettext_lazy("old P{}, ms")), ("new", gettext_lazy("new P{}, ms")))
        ),
        CALLS,
    )
    note = gettext_lazy(
        "Error: largest difference from float64 over the whole output; allowed is twice that of the old "
        "kernel and a few roundings. Later tokens: the second half of keys and values changed, earlier "
        "outputs may not move by one bit. Padding: 64 tokens appended. Times are taken in turns, and only of "
        "a kernel that passes."
    )

    def points(self, parameters: Parameters) -> tuple[Configuration, ...]:
        shared = {name: parameters[name] for name in ("old", "heads", "width", "dtype")}
        return tuple(
            {"new": new, "length": length, "seed": 0, **shared}
            for length in sorted(set(parameters["lengths"]))
            for new in NEW
            if new in parameters["new"]
        )

    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        heads, width = configuration["heads"], configuration["width"]
        length = configuration["length"] + PADDING
        outputs = 12 * heads * length * width * 8
        scores = 4 * heads * length * length * 8
        return (
            Term(name=_("inputs and outputs, in float64 too"), formula="12·H·(n + 64)·d·8 B", size=outputs),
            Term(name=_("scores and weights in float64"), formula="4·H·(n + 64)²·8 B", size=scores),
        )

    def calls_flops(self, configuration: Configuration) -> int:
        length = configuration["length"]
        return 4 * costs.attention_flops(
            batch=1, heads=configuration["heads"], queries=length, keys=length, width=configuration["width"]
        )

    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        return {}

    def point_name(self, configuration: Configuration) -> str:
        return f"{configuration['new']} {configuration['length']}"

    def summary(self, parameters: Parameters) -> str:
        new = ", ".join(name for name in NEW if name in parameters["new"])
        lengths = ", ".join(str(length) for length in sorted(parameters["lengths"]))
        shape = f"n {lengths} · H {parameters['heads']} × d {parameters['width']}"
        return f"{parameters['old']} → {new} · {shape} · {parameters['dtype']}"

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        found = []
        for new in NEW:
            own = sorted((row for row in rows if row.way == new), key=lambda row: row.x)
            if any(row.is_measured for row in own):
                found.append(_chart(new, own))
        return tuple(found)

    def insight(self, rows: Sequence[Row]) -> Insight:
        look = [sentence for row in rows for sentence in _look(row)]
        passed = [row for row in rows if row.is_measured and row.number("new_p99_ms")]
        return Insight(look=tuple(look), say=tuple(_say(passed)), limits=tuple(_limits(rows) if look else ()))


def _chart(new: str, rows: Sequence[Row]) -> Chart:
    series = [
        Series(
            name=str(name),
            marks=tuple(
                Mark(x=row.x, y=middle, low=middle, high=row.number(f"{which}_p99_ms"))
                for row in rows
                if row.is_measured and (middle := row.number(f"{which}_p50_ms"))
            ),
            gaps=gaps(rows),
        )
        for which, name in (
            ("new", new),
            ("old", _("%(name)s (old)") % {"name": rows[0].configuration["old"]}),
        )
    ]
    return Chart(
        slug=f"latency-{new}",
        title=_("Latency of %(new)s beside the old kernel") % {"new": new},
        description=description(series, _("milliseconds")),
        x_title=_("sequence length n"),
        y_title=_("milliseconds (median; bars: up to P99)"),
        series=tuple(series),
        words=words(),
    )


def _look(row: Row) -> list[str]:
    """The evidence of one point: errors first, then latencies where there are any."""
    allowed, new, old = (row.number(name) for name in ("allowed_error", "new_error_max", "old_error_max"))
    said: dict[str, Any] = {"name": row.name}
    if row.outcome == Outcome.WRONG and allowed and new:
        mean, leak = row.number("new_error_mean") or 0, row.number("causality") or 0
        said |= {
            "new": f"{new:.1e}",
            "allowed": f"{allowed:.1e}",
            "mean": f"{mean:.1e}",
            "leak": f"{leak:.1e}",
        }
        return [
            _(
                "%(name)s: revert. Its largest error is %(new)s where %(allowed)s is allowed (the mean, "
                "%(mean)s, would hide it), and later tokens move earlier outputs by %(leak)s. It has no time "
                "here."
            )
            % said
        ]
    if not row.is_measured or not (allowed and new and old):
        return []
    middle, tail = (
        significant(
            (row.number(f"old_p{percent}_ms") or 0) / (row.number(f"new_p{percent}_ms") or 1), digits=2
        )
        for percent in (50, 99)
    )
    said |= {"new": f"{new:.1e}", "old": f"{old:.1e}", "middle": middle, "tail": tail}
    said["p99"] = milliseconds(row.number("new_p99_ms"))
    even = _verdict(row) == "even"
    overlap = (
        [_("Its quartiles overlap with the old one's: the medians do not tell them apart.")] if even else []
    )
    return [
        _(
            "%(name)s: the gates are passed. Largest error %(new)s, the old one's %(old)s; no output moves "
            "with later tokens. Old time over new: %(middle)s at the median, %(tail)s at P99 (%(p99)s)."
        )
        % said,
        *overlap,
    ]


def _verdict(row: Row) -> str:
    """How the new kernel compares by its quartiles; empty where they were not kept."""
    new, old = ((row.number(f"{which}_p25_ms"), row.number(f"{which}_p75_ms")) for which in ("new", "old"))
    return order(new, old) if None not in (*new, *old) else ""


def _say(passed: Sequence[Row]) -> list[str]:
    if not passed:
        return []
    return [
        _(
            "I would keep a kernel only in this order: error on a par with the old one's against float64 "
            "(largest, not mean); causality and padding to the letter; no loss of quality; and then P99 by "
            "length, in turns on the same machine. Any semantic failure reverts it, however fast it is. That "
            "is question 39."
        )
    ]


def _limits(rows: Sequence[Row]) -> list[str]:
    return [
        *unsteady(rows),
        _("With so few calls, P99 is about the slowest one: it needs thousands, and real traffic."),
        _("Quality on a task and streaming against the full pass are further gates, not measured here."),
    ]
