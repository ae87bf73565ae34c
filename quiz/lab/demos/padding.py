"""Padding waste: batches as they arrive, sorted by length, and no padding at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import costs
from attention_core.benchmark_padding import CHECKED_ROWS, DISTRIBUTIONS, ORDERS, Configuration
from quiz.figures.axes import significant
from quiz.figures.series import Chart, Mark, Series
from quiz.lab import columns as shown
from quiz.lab.columns import CALLS, COLD, MEDIAN, PEAK, PREDICTED, QUARTILES, WAY, Column
from quiz.lab.demos import demo
from quiz.lab.demos.choices import NUMBER_FORMAT, heads, width
from quiz.lab.demos.comparing import pairs_of, unsteady, verdict
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
from quiz.lab.demos.figures import Axes, by_way, description, gaps, time_chart, words
from quiz.lab.formatting import milliseconds, times
from quiz.lab.results import Row

PADDED, SORTED, UNPADDED = ORDERS
BATCHES = (4, 8, 16, 32)
NAMES = {"long_tailed": gettext_lazy("long-tailed"), "uniform": gettext_lazy("uniform")}


def _share(name: str) -> Any:
    def cell(row: Row) -> str:
        value = row.number(name)
        return "–" if value is None else _percent(value)

    return cell


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _speed(row: Row) -> str:
    value = row.number("tokens_a_second")
    return "–" if value is None else f"{significant(value)}/s"


@register
class Padding(Demo):
    """One layer of attention over a whole set of sequences; every order computes the same useful rows."""

    slug = "padding"
    place = 6
    module = "attention_core.benchmark_padding"
    way = "order"
    x = "longest"
    baselines = (PADDED,)
    compared = (
        demo.TIME,
        Compared(title=gettext_lazy("Useful tokens a second"), name="tokens_a_second", kind="number"),
        demo.PEAK,
        demo.ERROR,
    )
    title = gettext_lazy("Padding waste: padded against length-sorted batches")
    line = gettext_lazy("How much of a batch is padding, what that costs, and what sorting by length saves.")
    sentence = gettext_lazy(
        "A batch is as long as its longest sequence; the others are filled up and masked. Masked does not "
        "mean free: the padding is computed all the same. The same sequences three times: batched as they "
        "arrive, sorted by length first, and one at a time without any padding."
    )
    parameters = (
        Parameter(
            name="orders",
            label=gettext_lazy("Ways to batch"),
            kind="some",
            options=options(*ORDERS),
            default=list(ORDERS),
            most=len(ORDERS),
        ),
        Parameter(
            name="distribution",
            label=gettext_lazy("Distribution of lengths"),
            kind="one",
            options=tuple((name, NAMES[name]) for name in DISTRIBUTIONS),
            default="long_tailed",
        ),
        Parameter(
            name="longest",
            label=gettext_lazy("Longest length m"),
            kind="some",
            options=options(*(2**exponent for exponent in range(5, 13))),
            default=[128, 256, 512],
            most=5,
            visitor_most="LAB_VISITOR_MAX_LENGTH",
        ),
        Parameter(
            name="count",
            label=gettext_lazy("Sequences"),
            kind="one",
            options=options(32, 64, 128, 256),
            default=128,
        ),
        Parameter(
            name="batch",
            label=gettext_lazy("Sequences in a batch"),
            kind="one",
            options=options(*BATCHES),
            default=16,
        ),
        heads(1, 4, 8, 16, default=4),
        width(32, 64, 128, default=64),
        NUMBER_FORMAT,
    )
    presets = (
        Preset(
            name=gettext_lazy("Long-tailed"),
            note=gettext_lazy("nine points, about a minute"),
            parameters={
                "orders": list(ORDERS), "distribution": "long_tailed", "longest": [128, 256, 512],
                "count": 128, "batch": 16, "heads": 4, "width": 64, "dtype": "float32",
            },
        ),
        Preset(
            name=gettext_lazy("Uniform"),
            note=gettext_lazy("every length equally likely: less waste, which sorting nearly removes"),
            parameters={
                "orders": list(ORDERS), "distribution": "uniform", "longest": [128, 256, 512],
                "count": 64, "batch": 16, "heads": 4, "width": 64, "dtype": "float32",
            },
        ),
    )  # fmt: skip
    columns = (
        WAY,
        Column(title="m", cell=lambda row: str(row.x), figure=False),
        Column(title=gettext_lazy("useful tokens"), cell=shown.number("useful_tokens"), figure=False),
        Column(title=gettext_lazy("computed"), cell=shown.number("computed_tokens"), figure=False),
        Column(title=gettext_lazy("of these padding"), cell=_share("wasted_tokens"), figure=False),
        Column(title=gettext_lazy("of the pairs padding"), cell=_share("wasted_pairs"), figure=False),
        MEDIAN,
        QUARTILES,
        CALLS,
        COLD,
        Column(title=gettext_lazy("useful tokens a second"), cell=_speed),
        PEAK,
        PREDICTED,
        shown.ERROR,
    )
    note = gettext_lazy(
        "Time: the whole set once, with copying each batch together. Tokens and pairs are counted exactly "
        "from the drawn lengths. Peak: of the largest batch, copies included. Checked before any timing: up "
        "to 16 rows of every sequence against the sequence alone in float64, and that no real number moves "
        "by one bit when something else stands in the padding."
    )
    symbol = "m"

    def points(self, parameters: Parameters) -> tuple[demo.Configuration, ...]:
        chosen = [order for order in ORDERS if order in parameters["orders"]]
        names = ("distribution", "count", "batch", "heads", "width", "dtype")
        shared = {name: parameters[name] for name in names}
        found: list[demo.Configuration] = []
        for index, longest in enumerate(sorted(set(parameters["longest"]))):
            for order in chosen if index % 2 == 0 else chosen[::-1]:
                found.append({"order": order, "longest": longest, "seed": 0, **shared})
        return tuple(found)

    def terms(self, configuration: demo.Configuration) -> tuple[Term, ...]:
        point = _read(configuration)
        tokens, size = int(point.counts["useful_tokens"]), costs.itemsize(point.dtype)
        longest, rows = max(point.lengths), min(max(point.lengths), CHECKED_ROWS)
        wide = (2 * longest + 4 * rows) * point.width + 4 * rows * longest
        return (
            Term(
                name=_("Q, K and V of every sequence"),
                formula=f"3·H·Σn·d·{size} B",
                size=3 * point.heads * tokens * point.width * size,
            ),
            Term(
                name=_("a draft in float32"),
                formula="H·Σn·d·4 B",
                size=point.heads * tokens * point.width * 4,
            ),
            Term(
                name=_("the largest batch, twice for the check"),
                formula="2·" + _("its peak"),
                size=2 * point.predicted_peak_bytes,
            ),
            Term(
                name=_("the check in float64"),
                formula=f"H·((2m + 4·{rows})·d + 4·{rows}·m)·8 B",
                size=point.heads * wide * 8,
            ),
        )

    def calls_flops(self, configuration: demo.Configuration) -> int:
        """The padding is computed like everything else."""
        point = _read(configuration)
        pairs = int(point.counts["computed_pairs"])
        return costs.attention_flops(batch=1, heads=point.heads, queries=1, keys=pairs, width=point.width)

    def foretold(self, configuration: demo.Configuration) -> dict[str, Any]:
        point = _read(configuration)
        return {"predicted_peak_bytes": point.predicted_peak_bytes, **point.counts}

    def point_name(self, configuration: demo.Configuration) -> str:
        return f"{configuration['order']} {configuration['longest']}"

    def summary(self, parameters: Parameters) -> str:
        lengths = sorted(parameters["longest"])
        span = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]}–{lengths[-1]}"
        ways = ", ".join(order for order in ORDERS if order in parameters["orders"])
        batches = f"{parameters['count']} / {parameters['batch']}"
        shape = f"H {parameters['heads']} × d {parameters['width']}"
        drawn = NAMES[parameters["distribution"]]
        return f"{ways} · {drawn} · m {span} · {batches} · {shape} · {parameters['dtype']}"

    def charts(self, rows: Sequence[Row]) -> tuple[Chart, ...]:
        time = Axes(
            title=_("Time of the whole set"),
            x=_("longest length m"),
            y=_("milliseconds (median; bars: quartiles)"),
        )
        return (time_chart(rows, ORDERS, time), _waste_chart(rows))

    def insight(self, rows: Sequence[Row]) -> Insight:
        found = [row for row in rows if row.is_measured]
        if not found:
            return Insight()
        return Insight(look=tuple(_look(rows)), say=tuple(_say(found)), limits=tuple(_limits(rows)))


def _read(configuration: demo.Configuration) -> Configuration:
    return Configuration(**{name: value for name, value in configuration.items() if name != "device"})


def _waste_chart(rows: Sequence[Row]) -> Chart:
    """Pairs computed for each useful one, against the batch size: this run's, and by the count for others."""
    series = []
    for name, own in by_way(rows, ORDERS):
        last = next((row for row in reversed(own) if row.is_measured), own[-1])
        mark = (Mark(x=_in_a_batch(last), y=_factor(last.configuration)),) if last.is_measured else ()
        counted = [{**last.configuration, "batch": batch} for batch in (1, 2, *BATCHES, 64)]
        line = () if name == UNPADDED else tuple((float(c["batch"]), _factor(c)) for c in counted)
        missing = () if mark else tuple(replace(gap, x=_in_a_batch(last)) for gap in gaps([last]))
        series.append(Series(name=name, marks=mark, predicted=line, gaps=missing))
    return Chart(
        slug="waste",
        title=_("Waste against the size of the batch"),
        description=description(series, _("pairs computed for each useful one")),
        x_title=_("sequences in a batch"),
        y_title=_("pairs computed for each useful one"),
        series=tuple(series),
        words=words(),
    )


def _in_a_batch(row: Row) -> int:
    return _read(row.configuration).at_a_time


def _factor(configuration: demo.Configuration) -> float:
    counts = _read(configuration).counts
    return counts["computed_pairs"] / counts["useful_pairs"]


def _look(rows: Sequence[Row]) -> list[str]:
    """What is padding at the longest length, then each other way against padded there."""
    found = []
    for row in (own[-1] for _name, own in by_way([r for r in rows if r.is_measured], (PADDED, SORTED))):
        found.append(
            _(
                "%(way)s, m = %(m)s: %(tokens)s of the computed tokens are padding, and %(pairs)s of the "
                "pairs: attention pays for padding by the square."
            )
            % {
                "way": row.way,
                "m": row.x,
                "tokens": _percent(row.number("wasted_tokens") or 0),
                "pairs": _percent(row.number("wasted_pairs") or 0),
            }
        )
    for way in (SORTED, UNPADDED):
        pairs = pairs_of(rows, way, PADDED)
        if pairs:
            found.append(_compared(pairs[-1]))
    return found


def _compared(pair: tuple[Row, Row]) -> str:
    sentences = {
        "faster": _(
            "At m = %(m)s the set takes %(one)s %(way)s and %(other)s padded: %(ratio)s times as fast. By "
            "the pairs it would be %(counted)s times."
        ),
        "slower": _(
            "At m = %(m)s the set takes %(one)s %(way)s and %(other)s padded: %(ratio)s times as long, "
            "although it computes %(counted)s times fewer pairs. Small calls cost more than they save here."
        ),
        "even": _(
            "At m = %(m)s the set takes %(one)s %(way)s and %(other)s padded: the quartiles overlap, so this "
            "run does not tell which is faster. By the pairs it would be %(counted)s times as fast."
        ),
    }
    one, other = pair
    ratio = (other.median or 1) / (one.median or 1)
    counted = (other.number("computed_pairs") or 1) / (one.number("computed_pairs") or 1)
    return sentences[verdict(pair)] % {
        "m": one.x,
        "way": one.way,
        "one": milliseconds(one.median),
        "other": milliseconds(other.median),
        "ratio": times(max(ratio, 1 / ratio)),
        "counted": times(counted),
    }


def _say(measured: Sequence[Row]) -> list[str]:
    last = max(measured, key=lambda row: (row.number("wasted_pairs") or 0, row.x))
    return [
        _(
            "A mask makes padding right, not free: the kernel computes the padded square and throws the rest "
            "away. I counted it: with %(way)s batches of %(batch)s, %(tokens)s of the tokens and %(pairs)s "
            "of the pairs were padding. Projections and the feed-forward waste the first share, attention "
            "the second."
        )
        % {
            "way": last.way,
            "batch": _in_a_batch(last),
            "tokens": _percent(last.number("wasted_tokens") or 0),
            "pairs": _percent(last.number("wasted_pairs") or 0),
        },
        _(
            "Sorting by length makes neighbours alike, but it has a price. In training, batches are no "
            "longer random: lengths go with topics, and gradients are biased from step to step. So one sorts "
            "within buckets: shuffle, cut into large buckets, sort inside, then shuffle the batches."
        ),
        _(
            "In serving, sorting means waiting for requests of like length, which latency forbids. There one "
            "packs: sequences lie end to end with their boundaries (varlen kernels, continuous batching), "
            "and nothing is padded."
        ),
    ]


def _limits(rows: Sequence[Row]) -> list[str]:
    return [
        *unsteady(rows),
        _(
            "“unpadded” here is one call a sequence. A varlen kernel does all of them in one launch; on a "
            "GPU many small calls are slow for another reason."
        ),
        _(
            "Lengths are drawn, not taken from real texts, and attention is not causal; projections and the "
            "feed-forward, which waste by tokens, are not timed."
        ),
    ]
