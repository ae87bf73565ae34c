"""The fault drill: four mistakes, each with the symptom one would notice and the check that catches it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from attention_core.fault_report import FAULTS
from quiz.figures.axes import significant
from quiz.figures.matrix import matrix
from quiz.figures.series import Chart
from quiz.lab.columns import Column, number
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
from quiz.lab.results import Row

NAMES = {
    "reversed_mask": gettext_lazy("reversed causal mask"),
    "no_scale": gettext_lazy("missing 1/√d"),
    "softmax_over_columns": gettext_lazy("softmax over the wrong axis"),
    "nan_rows": gettext_lazy("fully masked row"),
}
NOTICED = {
    "reversed_mask": gettext_lazy(
        "share of weight on later tokens (training looks splendid, generation fails)"
    ),
    "no_scale": gettext_lazy("mean of each row's largest weight (softmax saturates, gradients vanish)"),
    "softmax_over_columns": gettext_lazy("largest sum of a row of weights (outputs are no averages)"),
    "nan_rows": gettext_lazy("rows that are NaN after one more layer (one row spoils all)"),
}
CHECKED = {
    "reversed_mask": gettext_lazy("change the last token: by how much do earlier outputs move? (0)"),
    "no_scale": gettext_lazy("standard deviation of the scores for normal inputs (about 1)"),
    "softmax_over_columns": gettext_lazy("how far row sums are from 1 (0)"),
    "nan_rows": gettext_lazy("outputs that are not finite (0)"),
}
CAUSES = {
    "reversed_mask": gettext_lazy(
        "Reversed mask: every query sees itself and the future. At training time the answer is among the "
        "keys, so the loss falls; when generating, there is no future to copy from. Build masks in one "
        "place, and test that changing token j leaves all outputs before j alone."
    ),
    "no_scale": gettext_lazy(
        "Missing scale: a product of d normal numbers has variance d, so scores spread over ±√d and the "
        "softmax becomes a choice. Test the standard deviation of the scores, not the loss."
    ),
    "softmax_over_columns": gettext_lazy(
        "Wrong axis: columns sum to 1 instead of rows, shapes stay right and nothing fails. Test that each "
        "row of weights sums to 1; ones in V must come out as ones."
    ),
    "nan_rows": gettext_lazy(
        "Fully masked row: −∞ everywhere gives 0/0. Decide what such a row means (here: zeros), guard it "
        "before the softmax, and test inputs that are all padding."
    ),
}


def _said(words: dict[str, Any], row: Row) -> str:
    return str(words[row.way])


@register
class FaultDrill(Demo):
    """Deterministic: no times, no torch; the same report on every machine."""

    slug = "fault_drill"
    place = 4
    module = "attention_core.fault_report"
    way = "fault"
    x = "tokens"
    compared = (
        Compared(title=gettext_lazy("The check, right"), name="check_right", kind="number"),
        Compared(title=gettext_lazy("The check, broken"), name="check_broken", kind="number"),
        Compared(title=gettext_lazy("The symptom, broken"), name="symptom_broken", kind="number"),
    )
    title = gettext_lazy("Fault drill: four mistakes and what catches them")
    line = gettext_lazy(
        "Reversed mask, missing scale, wrong softmax axis, fully masked row: symptom and check of each."
    )
    sentence = gettext_lazy(
        "Four mistakes put into attention one at a time. None raises an error. What would one notice, and "
        "which check catches it? Nothing is timed: every number is the same on every machine."
    )
    parameters = (
        Parameter(
            name="faults",
            label=gettext_lazy("Mistakes"),
            kind="some",
            options=tuple((name, NAMES[name]) for name in FAULTS),
            default=list(FAULTS),
            most=len(FAULTS),
        ),
        Parameter(
            name="tokens", label=gettext_lazy("Tokens"), kind="one", options=options(4, 6, 8), default=4
        ),
        Parameter(
            name="width",
            label=gettext_lazy("Head width d"),
            kind="one",
            options=options(4, 16, 64, 256),
            default=64,
        ),
    )
    presets = (
        Preset(
            name=gettext_lazy("All four"),
            note=gettext_lazy("four tokens, width 64"),
            parameters={"faults": list(FAULTS), "tokens": 4, "width": 64},
        ),
        Preset(
            name=gettext_lazy("Narrow"),
            note=gettext_lazy("width 4: a missing scale hardly shows"),
            parameters={"faults": list(FAULTS), "tokens": 4, "width": 4},
        ),
    )
    columns = (
        Column(title=gettext_lazy("mistake"), cell=lambda row: _said(NAMES, row), number=False, figure=False),
        Column(title=gettext_lazy("what one notices"), cell=lambda row: _said(NOTICED, row), number=False),
        Column(title=gettext_lazy("right"), cell=number("symptom_right")),
        Column(title=gettext_lazy("broken"), cell=number("symptom_broken")),
        Column(
            title=gettext_lazy("the check (what it should give)"),
            cell=lambda row: _said(CHECKED, row),
            number=False,
        ),
        Column(title=gettext_lazy("right"), cell=number("check_right")),
        Column(title=gettext_lazy("broken"), cell=number("check_broken")),
        Column(title=gettext_lazy("largest change of the output"), cell=number("difference")),
    )
    note = gettext_lazy(
        "Standard normal inputs from one seed, computed in float64 by attention_core: the right pipeline, "
        "and the same with one step replaced. A dash as the largest change: the output is not a number."
    )

    def points(self, parameters: Parameters) -> tuple[Configuration, ...]:
        shared = {"tokens": parameters["tokens"], "width": parameters["width"], "seed": 0}
        return tuple({"fault": fault, **shared} for fault in FAULTS if fault in parameters["faults"])

    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        size = 3 * configuration["tokens"] * configuration["width"] * 8
        return (Term(name=_("Q, K and V"), formula="3·n·d·8 B", size=size),)

    def calls_flops(self, configuration: Configuration) -> int:
        return 4 * int(configuration["tokens"]) ** 2 * int(configuration["width"])

    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        return {}

    def point_name(self, configuration: Configuration) -> str:
        return str(configuration["fault"])

    def summary(self, parameters: Parameters) -> str:
        chosen = ", ".join(str(NAMES[fault]) for fault in FAULTS if fault in parameters["faults"])
        return f"{chosen} · n {parameters['tokens']} · d {parameters['width']}"

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        return ()

    def pictures(self, rows: Sequence[Row]) -> tuple[SafeString, ...]:
        """The weights of each mistake beside the right ones."""
        found = []
        for row in rows:
            if row.is_measured and "weights_right" in row.measurement:
                right, broken = (_weights(row, which) for which in ("right", "broken"))
                name = f"<h2>{NAMES[row.way]}</h2>"  # our own words
                found.append(mark_safe(f'{name}<div class="side-by-side">{right}{broken}</div>'))  # noqa: S308
        return tuple(found)

    def insight(self, rows: Sequence[Row]) -> Insight:
        told = [row for row in rows if row.is_measured and row.number("check_broken") is not None]
        look = tuple(
            _("%(mistake)s: %(check)s: %(right)s when right, %(broken)s here.")
            % {
                "mistake": NAMES[row.way],
                "check": CHECKED[row.way],
                "right": significant(row.number("check_right") or 0),
                "broken": significant(row.number("check_broken") or 0),
            }
            for row in told
        )
        limits = (_("Small inputs in float64: what low precision adds is not shown here."),) if told else ()
        return Insight(look=look, say=tuple(str(CAUSES[row.way]) for row in told), limits=limits)


def _weights(row: Row, which: str) -> str:
    told = row.measurement[f"weights_{which}"]
    values = [[float("nan") if weight is None else weight for weight in line] for line in told]
    heat = all(weight is not None for line in told for weight in line)
    note = _("right") if which == "right" else _("broken")
    return matrix(values, name="A", note=note, heat=heat, copyable=False, language=get_language() or "en")
