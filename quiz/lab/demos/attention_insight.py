"""The plain-language reading of attention against length: every ratio is computed from the run's own rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _

from quiz.lab.demos.attention_memory import trains
from quiz.lab.demos.comparing import Pair, off_the_law, pairs_of, unsteady, verdict
from quiz.lab.demos.demo import Insight
from quiz.lab.formatting import milliseconds, size, times
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row

FUSED, BASELINES = ("flash", "cudnn", "triton_flash", "efficient"), ("naive", "math")


def insight(rows: Sequence[Row]) -> Insight:
    """What to look at, what to say, what it does not show. No sentence without data behind it.

    The sentences are about flash, or about the first other fused kernel where flash has no time.
    """
    way = next((name for name in FUSED if _has_time(rows, name)), FUSED[0])
    pairs = {name: pairs_of(rows, way, name) for name in BASELINES}
    baseline = next((name for name in BASELINES if pairs[name]), None)
    look = [sentence for name in BASELINES for sentence in _speed(pairs[name], name)]
    look += _other_kernels(rows, way) + _memory(rows, way) + _limits_met(rows, way) + _fallbacks(rows)
    return Insight(
        look=tuple(look),
        say=tuple(_say(pairs[baseline], baseline, rows) if baseline else _say_memory(rows, way)),
        limits=tuple(_does_not_show(rows)),
    )


def _has_time(rows: Sequence[Row], name: str) -> bool:
    return any(row.way == name and row.is_measured for row in rows)


def _ratio(pair: Pair) -> float:
    """How many times as long the other takes."""
    one, other = pair
    return (other.median or math.nan) / (one.median or math.nan)


def _larger(pair: Pair) -> str:
    return times(max(_ratio(pair), 1 / _ratio(pair)))


def _speed(pairs: Sequence[Pair], name: str) -> list[str]:
    if not pairs:
        return []
    one, other = pairs[-1]
    said = {
        "n": one.x,
        "way": one.way,
        "name": name,
        "one": milliseconds(one.median),
        "other": milliseconds(other.median),
        "ratio": _larger(pairs[-1]),
    }
    sentences = {
        "faster": _(
            "At n = %(n)s %(way)s takes %(one)s and %(name)s %(other)s: %(way)s is %(ratio)s times as fast."
        ),
        "slower": _(
            "At n = %(n)s %(way)s takes %(one)s and %(name)s %(other)s: %(way)s takes %(ratio)s times as "
            "long."
        ),
        "even": _(
            "At n = %(n)s %(way)s takes %(one)s and %(name)s %(other)s: the quartiles overlap, so this "
            "run does not tell which is faster."
        ),
    }
    return [sentences[verdict(pairs[-1])] % said, *_turning(pairs, name)]


def _turning(pairs: Sequence[Pair], name: str) -> list[str]:
    """Where the order changes with the length, if it changes once and is told apart everywhere else."""
    verdicts = [(pair[0].x, verdict(pair)) for pair in pairs]
    told = [one for one in verdicts if one[1] != "even"]
    changes = [i for i in range(1, len(told)) if told[i][1] != told[i - 1][1]]
    if len(changes) != 1:
        return []
    before, after = told[changes[0] - 1], told[changes[0]]
    if not all(before[0] < length < after[0] for length, said in verdicts if said == "even"):
        return []
    said = {"way": pairs[0][0].way, "name": name, "before": before[0], "after": after[0]}
    if after[1] == "faster":
        return [
            _("Up to n = %(before)s %(way)s is slower than %(name)s, from %(after)s on it is faster.") % said
        ]
    return [_("Up to n = %(before)s %(way)s is faster than %(name)s, from %(after)s on it is slower.") % said]


def _other_kernels(rows: Sequence[Row], way: str) -> list[str]:
    """The other fused kernels in one sentence, each at the longest length that it shares with `way`."""
    found = []
    words = {
        "faster": _("%(name)s %(other)s at n = %(n)s (%(ratio)s times as long)"),
        "slower": _("%(name)s %(other)s at n = %(n)s (%(ratio)s times as fast)"),
        "even": _("%(name)s %(other)s at n = %(n)s (not told apart)"),
    }
    for name in FUSED:
        pairs = pairs_of(rows, way, name) if name != way else []
        if pairs:
            other = pairs[-1][1]
            said = {"name": name, "n": other.x, "other": milliseconds(other.median)}
            found.append(words[verdict(pairs[-1])] % {**said, "ratio": _larger(pairs[-1])})
    if not found:
        return []
    return [_("The other fused kernels beside %(way)s: %(list)s.") % {"way": way, "list": "; ".join(found)}]


def _has_peak(row: Row) -> bool:
    """Whether the measured peak can be believed: not far below what the call's output alone must take."""
    return row.is_measured and bool(row.peak) and (row.peak or 0) >= 0.8 * (row.predicted or 0)


def _peak_pairs(rows: Sequence[Row], way: str, name: str) -> list[Pair]:
    return [pair for pair in pairs_of(rows, way, name) if all(_has_peak(row) for row in pair)]


def _memory(rows: Sequence[Row], way: str) -> list[str]:
    found = []
    for name in BASELINES:
        pairs = _peak_pairs(rows, way, name)
        if pairs:
            one, other = pairs[-1]
            ratio = (other.peak or 0) / (one.peak or 1)
            if ratio > 1:
                found.append(
                    _("Peak memory at n = %(n)s: %(name)s %(other)s, %(way)s %(one)s (%(ratio)s times less).")
                    % {"n": one.x, "name": name, "way": way, "other": size(other.peak),
                       "one": size(one.peak), "ratio": times(ratio)}
                )  # fmt: skip
    growth = [text for name in (*BASELINES, way) if (text := _growth(rows, name))]
    if growth:
        found.append(_("Growth of the peak: %(list)s.") % {"list": "; ".join(growth)})
    return found


def _growth(rows: Sequence[Row], name: str) -> str:
    """By how much the peak rose over the run's lengths, and the power of n that this is."""
    own = [row for row in rows if row.way == name and _has_peak(row)]
    own.sort(key=lambda row: row.x)
    if len(own) < 2 or own[0].x == own[-1].x:
        return ""
    first, last = own[0], own[-1]
    ratio = (last.peak or 1) / (first.peak or 1)
    power = math.log(ratio) / math.log(last.x / first.x)
    return _("%(name)s × %(ratio)s from n = %(first)s to %(last)s (about n^%(power).1f)") % {
        "name": name, "ratio": times(ratio), "first": first.x, "last": last.x, "power": power,
    }  # fmt: skip


def _limits_met(rows: Sequence[Row], way: str) -> list[str]:
    found = []
    for name in (*BASELINES, *FUSED):
        short = [row.x for row in rows if row.way == name and row.lacks_memory]
        if short:
            n = min(short)
            ran = any(row.way == way and row.is_measured and row.x == n for row in rows)
            text = _("%(name)s finds no room at n = %(n)s.")
            if ran and name != way:
                text = _("%(name)s finds no room at n = %(n)s; %(way)s still runs there.")
            found.append(text % {"name": name, "n": n, "way": way})
    return found


def _fallbacks(rows: Sequence[Row]) -> list[str]:
    found = []
    for row in rows:
        said = {"name": row.way, "n": row.x, "kernel": row.measurement.get("kernel") or "–"}
        if row.fell_back:
            found.append(
                _("%(name)s at n = %(n)s: another kernel ran (%(kernel)s), so it has no time here.") % said
            )
        elif row.outcome == Outcome.WRONG and row.measurement.get("implausible"):
            found.append(
                _("%(name)s at n = %(n)s: faster than the machine can be, so its time is not shown.") % said
            )
        elif row.outcome == Outcome.WRONG:
            found.append(_("%(name)s at n = %(n)s: the result was wrong, so it has no time here.") % said)
    absent = dict.fromkeys(
        row.way for row in rows if row.outcome == Outcome.UNSUPPORTED and not row.fell_back
    )
    absent = {name: None for name in absent if not _has_time(rows, name)}
    if absent:
        said = {"list": ", ".join(absent)}
        found.append(_("Not run with this choice on this machine: %(list)s; the table says why.") % said)
    return found


def _say(pairs: Sequence[Pair], name: str, rows: Sequence[Row]) -> list[str]:
    """What to say in an interview, by what this run found at its longest common length."""
    one = pairs[-1][0]
    said = {"way": one.way, "name": name, "n": one.x, "ratio": _larger(pairs[-1])}
    sentences = {
        "faster": _(
            "FlashAttention computes the same numbers. It wins by moving less data: tiles of K and V, an "
            "online softmax, and no n × n matrix in memory. I measured %(way)s %(ratio)s times as fast as "
            "%(name)s at n = %(n)s."
        ),
        "slower": _(
            "FlashAttention is not always faster. It saves memory traffic; where the n × n matrix is small, "
            "or the plain matrix product is very well tuned, that saving buys nothing. At n = %(n)s I "
            "measured %(way)s taking %(ratio)s times as long as %(name)s."
        ),
        "even": _(
            "FlashAttention saves memory traffic, not arithmetic. At n = %(n)s I could not tell the time of "
            "%(way)s from that of %(name)s: the quartiles overlap."
        ),
    }
    return [sentences[verdict(pairs[-1])] % said, *_say_backward(rows), *_say_memory(rows, one.way)]


def _say_backward(rows: Sequence[Row]) -> list[str]:
    if not any(trains(row.configuration) and row.is_measured for row in rows):
        return []
    return [
        _(
            "For the backward pass FlashAttention keeps only the output and one log-sum-exp a row, and makes "
            "the weights again tile by tile: five products where the forward pass has two. It computes more "
            "and moves less."
        )
    ]


def _say_memory(rows: Sequence[Row], way: str) -> list[str]:
    """The memory argument, only where this run measured it."""
    for name in BASELINES:
        pairs = _peak_pairs(rows, way, name)
        if pairs and (pairs[-1][1].peak or 0) > (pairs[-1][0].peak or 0):
            one, other = pairs[-1]
            text = _(
                "The sure gain is memory: %(name)s stores scores and weights, so its peak grows with n²; "
                "%(way)s keeps the output and one number a row, so it grows with n. At n = %(n)s that was "
                "%(other)s against %(one)s."
            )
            if trains(one.configuration):
                text = _(
                    "The sure gain is memory: %(name)s keeps the n × n weights for the backward pass and "
                    "adds two gradients of that size; %(way)s has only tensors of the size of Q, so it grows "
                    "with n. At n = %(n)s that was %(other)s against %(one)s."
                )
            said = {"name": name, "way": way, "n": one.x, "other": size(other.peak), "one": size(one.peak)}
            return [text % said]
    return []


def _does_not_show(rows: Sequence[Row]) -> list[str]:
    measured = [row for row in rows if row.is_measured]
    if not measured:
        return []
    found = unsteady(rows) + off_the_law(rows)
    if any(trains(row.configuration) for row in measured):
        found.append(
            _(
                "Attention alone, batch 1, one machine: a training step of a model has much more in it, and "
                "the gradients that arrive here are random."
            )
        )
    else:
        found.append(
            _("Forward pass only, batch 1, one machine: nothing here is about training or another card.")
        )
    if all(row.machine.get("device", "cpu") == "cpu" for row in measured):
        found.append(
            _("Measured on a CPU: the shape of the curves carries over, the times and ratios do not.")
        )
    return found
