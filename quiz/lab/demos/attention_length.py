"""Time and memory of attention against its length: naive, PyTorch's unfused path, and flash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import costs
from quiz.figures.series import Chart
from quiz.lab.columns import (
    CALLS,
    COLD,
    ERROR,
    KERNEL,
    LENGTH,
    MEDIAN,
    PEAK,
    PREDICTED,
    QUARTILES,
    SPEED,
    WAY,
)
from quiz.lab.demos.attention_insight import insight
from quiz.lab.demos.demo import (
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
from quiz.lab.demos.figures import memory_chart, time_chart
from quiz.lab.results import Row

BACKENDS = ("flash", "naive", "math")  # the order of the chart's series: the sentence is about the first
LENGTHS = tuple(2**exponent for exponent in range(4, 16))


@register
class AttentionLength(Demo):
    """Batch 1, T = S = length, forward only, random normal inputs from one seed."""

    slug = "attention_length"
    place = 1
    baselines = ("naive", "math")
    line = gettext_lazy("Who is faster, and who runs out of memory first, as the sequence grows?")
    columns = (WAY, LENGTH, MEDIAN, QUARTILES, CALLS, COLD, SPEED, PEAK, PREDICTED, ERROR, KERNEL)
    note = gettext_lazy(
        "Speed: 4·H·d FLOP for each pair that may attend, softmax not counted; with a causal mask exactly "
        "the visible pairs. Peak: memory beyond the inputs during one call, taken in a call of its own. "
        "Error: largest difference from the float64 reference on 64 query rows or all of them, checked "
        "before any timing. The first call is never mixed into the median."
    )
    title = gettext_lazy("Attention: time and memory against length")
    sentence = gettext_lazy(
        "The same attention computed in three ways: naive (stores the n × n scores and weights), "
        "PyTorch's unfused math path, and FlashAttention (goes through K and V in tiles). Which is "
        "faster, and who runs out of memory first?"
    )
    parameters = (
        Parameter(
            name="backends",
            label=gettext_lazy("Ways to compute it"),
            kind="some",
            options=options(*BACKENDS),
            default=list(BACKENDS),
            most=len(BACKENDS),
        ),
        Parameter(
            name="lengths",
            label=gettext_lazy("Sequence lengths n"),
            kind="some",
            options=options(*LENGTHS),
            default=[128, 256, 512],
            most=8,
            visitor_most="LAB_VISITOR_MAX_LENGTH",
        ),
        Parameter(
            name="heads",
            label=gettext_lazy("Heads"),
            kind="one",
            options=options(1, 2, 4, 8, 16, 32),
            default=4,
        ),
        Parameter(
            name="width",
            label=gettext_lazy("Head width d"),
            kind="one",
            options=options(32, 64, 128, 256),
            default=64,
        ),
        Parameter(
            name="dtype",
            label=gettext_lazy("Number format"),
            kind="one",
            options=options("float32", "bfloat16", "float16"),
            default="float32",
        ),
        Parameter(
            name="causal",
            label=gettext_lazy("Causal mask"),
            kind="switch",
            default=False,
        ),
    )
    presets = (
        Preset(
            name=gettext_lazy("Quick"),
            note=gettext_lazy("nine points, under a minute"),
            parameters={
                "backends": list(BACKENDS),
                "lengths": [128, 256, 512],
                "heads": 4,
                "width": 64,
                "dtype": "float32",
                "causal": False,
            },
        ),
        Preset(
            name=gettext_lazy("Causal"),
            note=gettext_lazy("half of the pairs are hidden: who makes use of it?"),
            parameters={
                "backends": list(BACKENDS),
                "lengths": [128, 256, 512, 1024],
                "heads": 8,
                "width": 64,
                "dtype": "float32",
                "causal": True,
            },
        ),
        Preset(
            name=gettext_lazy("bfloat16, short"),
            note=gettext_lazy("where flash is not always the faster one"),
            parameters={
                "backends": list(BACKENDS),
                "lengths": [128, 256, 512, 1024],
                "heads": 8,
                "width": 64,
                "dtype": "bfloat16",
                "causal": False,
            },
        ),
        Preset(
            name=gettext_lazy("Long"),
            note=gettext_lazy("up to 8192: the n × n matrices become gigabytes"),
            parameters={
                "backends": list(BACKENDS),
                "lengths": [512, 1024, 2048, 4096, 8192],
                "heads": 8,
                "width": 64,
                "dtype": "float32",
                "causal": True,
            },
        ),
    )

    def points(self, parameters: Parameters) -> tuple[Configuration, ...]:
        """Short lengths first; within a length the ways in turn, every second length backwards, so that slow
        drift of the machine does not fall on one of them."""
        chosen = [backend for backend in BACKENDS if backend in parameters["backends"]]
        found: list[Configuration] = []
        for index, length in enumerate(sorted(set(parameters["lengths"]))):
            order = chosen if index % 2 == 0 else chosen[::-1]
            found += [self._configuration(parameters, backend, length) for backend in order]
        return tuple(found)

    @staticmethod
    def _configuration(parameters: Parameters, backend: str, length: int) -> Configuration:
        shared = {name: parameters[name] for name in ("heads", "width", "dtype", "causal")}
        return {"backend": backend, "length": length, "batch": 1, "seed": 0, **shared}

    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        shape = {name: configuration[name] for name in ("batch", "heads", "width")}
        length, dtype = configuration["length"], configuration["dtype"]
        itemsize = costs.itemsize(dtype)
        inputs = costs.qkv_bytes(queries=length, keys=length, itemsize=itemsize, **shape)
        total = costs.predicted_bytes(configuration["backend"], length=length, dtype=dtype, **shape)
        peak = costs.peak_bytes(configuration["backend"], length=length, dtype=dtype, **shape)
        found = [Term(name=_("Q, K and V"), formula=f"3·H·n·d·{itemsize} B", size=inputs)]
        if total - inputs > peak:
            formula = f"O: H·n·d·{itemsize} + K, V: 2·H·n·d·8 + 64 rows: H·64·(4n + d)·8 B"
            return (*found, Term(name=_("the check in float64"), formula=formula, size=total - inputs))
        return (*found, Term(name=_("the call itself"), formula=_peak_formula(configuration), size=peak))

    def calls_flops(self, configuration: Configuration) -> int:
        """Only flash leaves out hidden tiles; the others compute the whole square."""
        length = configuration["length"]
        skips = configuration["causal"] and configuration["backend"] == "flash"
        return costs.attention_flops(
            batch=configuration["batch"],
            heads=configuration["heads"],
            queries=length,
            keys=length,
            width=configuration["width"],
            causal="top_left" if skips else None,
        )

    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        shape = {name: configuration[name] for name in ("batch", "heads", "width", "length", "dtype")}
        return {"predicted_peak_bytes": costs.peak_bytes(configuration["backend"], **shape)}

    def point_name(self, configuration: Configuration) -> str:
        return f"{configuration['backend']} {configuration['length']}"

    def summary(self, parameters: Parameters) -> str:
        lengths = sorted(parameters["lengths"])
        span = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]}–{lengths[-1]}"
        ways = ", ".join(backend for backend in BACKENDS if backend in parameters["backends"])
        rule = _("causal") if parameters["causal"] else _("no mask")
        shape = f"n {span} · H {parameters['heads']} × d {parameters['width']}"
        return f"{ways} · {shape} · {parameters['dtype']} · {rule}"

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        return (time_chart(rows, BACKENDS), memory_chart(rows, BACKENDS))

    def insight(self, rows: Sequence[Row]) -> Insight:
        return insight(rows)


def _peak_formula(configuration: Configuration) -> str:
    size = costs.itemsize(configuration["dtype"])
    if configuration["backend"] == "flash":
        return f"H·n·(d·{size} + 4) B"
    if configuration["backend"] == "naive":
        return f"2·H·n²·{size} + H·n·d·{size} B"
    wide = max(size, 4)
    copies = f" + 4·H·n·d·{wide}" if wide > size else ""
    return f"2·H·n²·{wide} + H·n²{copies} + H·n·d·{size} B"
