"""Decoding with a KV cache: time a token and bytes of the cache, MHA against GQA against MQA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import costs
from attention_core.benchmark_decode import GROUP, SHARING, STEPS, kv_heads
from quiz.figures.series import Chart
from quiz.lab import columns as shown
from quiz.lab.columns import CALLS, COLD, LENGTH, MEDIAN, QUARTILES, WAY, Column, memory
from quiz.lab.demos.choices import NUMBER_FORMAT, width
from quiz.lab.demos.comparing import pairs_of, unsteady, verdict
from quiz.lab.demos.demo import (
    ERROR,
    TIME,
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
from quiz.lab.demos.figures import Axes, memory_chart, time_chart
from quiz.lab.formatting import milliseconds, size, times
from quiz.lab.results import Row


def _bandwidth(row: Row) -> str:
    moved = row.number("bytes_a_second")
    return "–" if moved is None else f"{size(moved)}/s"


@register
class Decode(Demo):
    """One layer, one new token, random normal inputs from one seed."""

    slug = "decode"
    place = 2
    module = "attention_core.benchmark_decode"
    way = "sharing"
    baselines = ("mha",)
    compared = (
        TIME,
        Compared(title=gettext_lazy("Bytes of the cache"), name="peak_bytes", kind="bytes"),
        ERROR,
    )
    title = gettext_lazy("Decoding with a KV cache: MHA, GQA, MQA")
    line = gettext_lazy(
        "What one more token costs when its past is read from a cache, and what sharing keys saves."
    )
    sentence = gettext_lazy(
        "A decoder reads its whole KV cache for every new token. With MHA every query head has its own keys "
        "and values, with GQA four heads share them, with MQA all do. How do time a token and bytes grow?"
    )
    parameters = (
        Parameter(
            name="sharing",
            label=gettext_lazy("Who shares keys and values"),
            kind="some",
            options=options(*SHARING),
            default=list(SHARING),
            most=len(SHARING),
        ),
        Parameter(
            name="lengths",
            label=gettext_lazy("Tokens in the cache n"),
            kind="some",
            options=options(*(2**exponent for exponent in range(4, 17))),
            default=[256, 512, 1024],
            most=6,
            visitor_most="LAB_VISITOR_MAX_LENGTH",
        ),
        Parameter(
            name="heads",
            label=gettext_lazy("Query heads"),
            kind="one",
            options=options(4, 8, 16, 32),
            default=32,
        ),
        width(64, 128, default=128),
        NUMBER_FORMAT,
    )
    presets = (
        Preset(
            name=gettext_lazy("Quick"),
            note=gettext_lazy("nine points, under a minute"),
            parameters={
                "sharing": list(SHARING), "lengths": [256, 512, 1024], "heads": 32, "width": 128,
                "dtype": "float32",
            },
        ),
        Preset(
            name=gettext_lazy("Long"),
            note=gettext_lazy("up to 16384: the cache of one layer becomes half a gigabyte"),
            parameters={
                "sharing": list(SHARING), "lengths": [1024, 4096, 16384], "heads": 32, "width": 128,
                "dtype": "float32",
            },
        ),
    )  # fmt: skip
    columns = (
        WAY,
        Column(
            title=gettext_lazy("key heads"), cell=lambda row: str(_shared(row.configuration)), figure=False
        ),
        LENGTH,
        MEDIAN,
        QUARTILES,
        CALLS,
        COLD,
        Column(title=gettext_lazy("reads the cache at"), cell=_bandwidth),
        Column(title=gettext_lazy("cache"), cell=memory("peak_bytes"), figure=False),
        Column(title=gettext_lazy("predicted"), cell=memory("predicted_peak_bytes"), figure=False),
        shown.ERROR,
    )
    note = gettext_lazy(
        "Time: one step with the cache full, writing the new key and value and two batched products with the "
        "cache. Cache: memory that making it took, beside 2·G·n·d·bytes. Error: largest difference of eight "
        "decoded rows from the same rows of the full causal pass in float64, checked before any timing."
    )

    def points(self, parameters: Parameters) -> tuple[Configuration, ...]:
        chosen = [sharing for sharing in SHARING if sharing in parameters["sharing"]]
        shared = {name: parameters[name] for name in ("heads", "width", "dtype")}
        found: list[Configuration] = []
        for index, length in enumerate(sorted(set(parameters["lengths"]))):
            for sharing in chosen if index % 2 == 0 else chosen[::-1]:
                found.append({"sharing": sharing, "length": length, "batch": 1, "seed": 0, **shared})
        return tuple(found)

    def terms(self, configuration: Configuration) -> tuple[Term, ...]:
        heads, length, width = (configuration[name] for name in ("heads", "length", "width"))
        shared, itemsize = _shared(configuration), costs.itemsize(configuration["dtype"])
        cache = _cache_bytes(configuration)
        draft = shared * length * width * 4
        check = (3 * shared + 2 * heads) * length * width * 8 + 4 * heads * STEPS * length * 8
        return (
            Term(name=_("the cache"), formula=f"2·G·n·d·{itemsize} B", size=cache),
            Term(name=_("the same once more, to write from"), formula=f"2·G·n·d·{itemsize} B", size=cache),
            Term(name=_("a draft in float32"), formula="G·n·d·4 B", size=draft),
            Term(
                name=_("the check in float64"),
                formula=f"K, V: (3·G + 2·H)·n·d·8 + {STEPS} rows: 4·H·{STEPS}·n·8 B",
                size=check,
            ),
        )

    def calls_flops(self, configuration: Configuration) -> int:
        return costs.attention_flops(
            batch=1,
            heads=configuration["heads"],
            queries=1,
            keys=configuration["length"],
            width=configuration["width"],
        )

    def foretold(self, configuration: Configuration) -> dict[str, Any]:
        return {"predicted_peak_bytes": _cache_bytes(configuration)}

    def point_name(self, configuration: Configuration) -> str:
        return f"{configuration['sharing']} {configuration['length']}"

    def summary(self, parameters: Parameters) -> str:
        lengths = sorted(parameters["lengths"])
        span = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]}–{lengths[-1]}"
        ways = ", ".join(sharing for sharing in SHARING if sharing in parameters["sharing"])
        return (
            f"{ways} · n {span} · H {parameters['heads']} × d {parameters['width']} · {parameters['dtype']}"
        )

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        x = _("tokens in the cache n")
        time = Axes(title=_("Time of one token"), x=x, y=_("milliseconds (median; bars: quartiles)"))
        cache = Axes(title=_("Bytes of the cache"), x=x, y=_("MiB of one layer"))
        return (time_chart(rows, SHARING, time), memory_chart(rows, SHARING, cache))

    def insight(self, rows: Sequence[Row]) -> Insight:
        found = [row for row in rows if row.is_measured]
        if not found:
            return Insight()
        limits = [
            *unsteady(rows),
            _("One layer and its attention only: in a model the weights are read for every token as well."),
        ]
        return Insight(look=tuple(_look(rows)), say=tuple(_say(found)), limits=tuple(limits))


def _shared(configuration: Configuration) -> int:
    return kv_heads(configuration["sharing"], configuration["heads"])


def _cache_bytes(configuration: Configuration) -> int:
    return costs.kv_cache_bytes(
        layers=1,
        batch=1,
        length=configuration["length"],
        kv_heads=_shared(configuration),
        head_width=configuration["width"],
        itemsize=costs.itemsize(configuration["dtype"]),
    )


def _look(rows: Sequence[Row]) -> list[str]:
    """Each sharing way against MHA at the longest cache that both have."""
    sentences = {
        "faster": _(
            "At n = %(n)s a token takes %(one)s with %(way)s and %(other)s with mha: %(ratio)s times as fast."
        ),
        "slower": _(
            "At n = %(n)s a token takes %(one)s with %(way)s and %(other)s with mha: %(ratio)s times as "
            "long, although it reads less. Something other than the bytes decides here."
        ),
        "even": _(
            "At n = %(n)s a token takes %(one)s with %(way)s and %(other)s with mha: the quartiles overlap, "
            "so this run does not tell which is faster."
        ),
    }
    found = []
    for way in ("gqa", "mqa"):
        pairs = pairs_of(rows, way, "mha")
        if not pairs:
            continue
        one, other = pairs[-1]
        ratio = (other.median or 1) / (one.median or 1)
        said = {"n": one.x, "way": way, "one": milliseconds(one.median), "other": milliseconds(other.median)}
        found.append(sentences[verdict(pairs[-1])] % {**said, "ratio": times(max(ratio, 1 / ratio))})
        found.append(
            _("Its cache is exactly %(ratio)s times smaller: %(one)s instead of %(other)s.")
            % {
                "ratio": times((other.predicted or 1) / (one.predicted or 1)),
                "one": size(one.predicted),
                "other": size(other.predicted),
            }
        )
    return found


def _say(measured: Sequence[Row]) -> list[str]:
    longest = max(measured, key=lambda row: (row.x, row.predicted or 0))
    return [
        _(
            "A decoding step reads the whole cache once, 2·G·n·d numbers a layer, and uses each in only H/G "
            "multiplications: bandwidth limits it, not arithmetic. Here the largest cache was %(bytes)s a "
            "layer at n = %(n)s."
        )
        % {"bytes": size(longest.predicted), "n": longest.x},
        _(
            "GQA and MQA share keys and values among query heads. The arithmetic stays the same; bytes to "
            "keep and to read shrink by H/G, which is what allows more sequences at a time. GQA with a group "
            "of %(group)d is the usual compromise, for quality suffers with MQA."
        )
        % {"group": GROUP},
    ]
