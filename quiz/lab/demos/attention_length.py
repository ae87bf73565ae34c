"""Time and memory of attention against its length, forward or a training call: six ways to compute it."""

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
    ERRORS,
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
from quiz.lab.demos.attention_memory import peak_of, terms_of, trains
from quiz.lab.demos.choices import NUMBER_FORMAT, heads, width
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
from quiz.lab.demos.figures import Axes, memory_chart, time_chart
from quiz.lab.results import Row

# The order of the chart's series: the sentence is about the first. FlexAttention is not among them: what its
# compiled mask needs has no law, and unfused it would only be `naive` once more.
BACKENDS = ("flash", "naive", "math", "efficient", "cudnn", "triton_flash")
EVERYWHERE = BACKENDS[:3]  # the others exist on CUDA only
UNFUSED = ("naive", "math")
LENGTHS = tuple(2**exponent for exponent in range(4, 16))


def _chosen(**others: Any) -> dict[str, Any]:
    """A preset's parameters: the quick ones but for `others`."""
    return {
        "backends": list(EVERYWHERE), "lengths": [128, 256, 512], "heads": 4, "width": 64, "dtype": "float32",
        "causal": False, "backward": False, **others,
    }  # fmt: skip


@register
class AttentionLength(Demo):
    """Batch 1, T = S = length, random normal inputs from one seed; gradients from one upstream gradient."""

    slug = "attention_length"
    place = 1
    baselines = ("naive", "math")
    line = gettext_lazy("Who is faster, and who runs out of memory first, as the sequence grows?")
    columns = (WAY, LENGTH, MEDIAN, QUARTILES, CALLS, COLD, SPEED, PEAK, PREDICTED, ERRORS, KERNEL)
    note = gettext_lazy(
        "Speed: 4·H·d FLOP for each pair that may attend, softmax not counted; with a causal mask exactly "
        "the visible pairs; a backward pass counts 2.5 times the forward one, for everybody (five products "
        "where two were; naive and math, which kept the weights, make four). Where the card's dense peak "
        "for the number format is published, the share of it stands beside; a speed beyond it is a mistake "
        "and is not shown. Peak: memory beyond the inputs during one call, taken in a call of its own; "
        "gradients are outputs; on a card also what the driver says the process holds, with its context and"
        " workspaces. Error: largest difference from the float64 reference on 64 query rows or all of them,"
        " checked before any timing; after the slash that of the gradients, of those which the same rows "
        "send. Calls follow one another, with warm caches; the first is never mixed into the median. On a "
        "card they queue up before they are timed, so that launching them is not counted."
    )
    title = gettext_lazy("Attention: time and memory against length")
    sentence = gettext_lazy(
        "The same attention computed in several ways: naive (stores the n × n scores and weights), PyTorch's "
        "unfused math path, and fused kernels that go through K and V in tiles: FlashAttention, and on a GPU "
        "three more. Which is faster, and who runs out of memory first?"
    )
    parameters = (
        Parameter(
            name="backends",
            label=gettext_lazy("Ways to compute it"),
            kind="some",
            options=tuple((name, name if name in EVERYWHERE else f"{name} (GPU)") for name in BACKENDS),
            default=list(EVERYWHERE),
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
        heads(1, 2, 4, 8, 16, 32, default=4),
        width(32, 64, 128, 256, default=64),
        NUMBER_FORMAT,
        Parameter(
            name="causal",
            label=gettext_lazy("Causal mask"),
            kind="switch",
            default=False,
        ),
        Parameter(
            name="backward",
            label=gettext_lazy("Backward pass too, as in training"),
            kind="switch",
            default=False,
        ),
    )
    presets = (
        Preset(
            name=gettext_lazy("Quick"),
            note=gettext_lazy("nine points, under a minute"),
            parameters=_chosen(),
        ),
        Preset(
            name=gettext_lazy("Causal"),
            note=gettext_lazy("half of the pairs are hidden: who makes use of it?"),
            parameters=_chosen(lengths=[128, 256, 512, 1024], heads=8, causal=True),
        ),
        Preset(
            name=gettext_lazy("Training"),
            note=gettext_lazy("forward and backward: who has to keep the n × n weights?"),
            parameters=_chosen(causal=True, backward=True),
        ),
        Preset(
            name=gettext_lazy("bfloat16, short"),
            note=gettext_lazy("where flash is not always the faster one"),
            parameters=_chosen(lengths=[128, 256, 512, 1024], heads=8, dtype="bfloat16"),
        ),
        Preset(
            name=gettext_lazy("Long"),
            note=gettext_lazy("up to 8192: the n × n matrices become gigabytes"),
            parameters=_chosen(lengths=[512, 1024, 2048, 4096, 8192], heads=8, causal=True),
        ),
        Preset(
            name=gettext_lazy("Every kernel"),
            note=gettext_lazy("six ways in bfloat16, for a GPU: three of them exist only there"),
            parameters=_chosen(
                backends=list(BACKENDS), lengths=[512, 1024, 2048, 4096], heads=16, width=128,
                dtype="bfloat16", causal=True,
            ),
        ),
    )  # fmt: skip

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
        if _trains(parameters):
            shared["passes"] = "training"
        return {"backend": backend, "length": length, "batch": 1, "seed": 0, **shared}

    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        return terms_of(configuration)

    def calls_flops(self, configuration: Configuration) -> int:
        """Fused kernels leave hidden tiles out, and make Q Kᵀ again on their way back; the others compute the
        whole square, and have the weights still.
        """
        length, fused = configuration["length"], configuration["backend"] not in UNFUSED
        forward = costs.attention_flops(
            batch=configuration["batch"],
            heads=configuration["heads"],
            queries=length,
            keys=length,
            width=configuration["width"],
            causal="top_left" if configuration["causal"] and fused else None,
        )
        products = (7 if fused else 6) if trains(configuration) else 2
        return products * forward // 2

    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        return {"predicted_peak_bytes": peak_of(configuration)}

    def point_name(self, configuration: Configuration) -> str:
        return f"{configuration['backend']} {configuration['length']}"

    def summary(self, parameters: Parameters) -> str:
        lengths = sorted(parameters["lengths"])
        span = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]}–{lengths[-1]}"
        ways = ", ".join(backend for backend in BACKENDS if backend in parameters["backends"])
        rule = _("causal") if parameters["causal"] else _("no mask")
        shape = f"n {span} · H {parameters['heads']} × d {parameters['width']}"
        passes = [_("forward and backward")] if _trains(parameters) else []
        return " · ".join((ways, shape, parameters["dtype"], *passes, rule))

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        if not any(trains(row.configuration) for row in rows):
            return (time_chart(rows, BACKENDS), memory_chart(rows, BACKENDS))
        x = _("sequence length n")
        time = Axes(
            title=_("Time of forward and backward against length"),
            x=x,
            y=_("milliseconds (median; bars: quartiles)"),
        )
        memory = Axes(
            title=_("Peak memory of a training call against length"),
            x=x,
            y=_("MiB beyond the inputs (peak of one call)"),
        )
        return (time_chart(rows, BACKENDS, time), memory_chart(rows, BACKENDS, memory))

    def insight(self, rows: Sequence[Row]) -> Insight:
        return insight(rows)


def _trains(parameters: Parameters) -> bool:
    """Runs from before there was a choice are forward only."""
    return bool(parameters.get("backward"))
