"""The plain-language reading of attention against length: every ratio is computed from the run's own rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _

from quiz.lab.demos.comparing import Pair, pairs_of, unsteady, verdict
from quiz.lab.demos.demo import Insight
from quiz.lab.formatting import milliseconds, size, times
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row

FLASH, BASELINES = "flash", ("naive", "math")


def insight(rows: Sequence[Row]) -> Insight:
    """What to look at, what to say, what it does not show. No sentence without data behind it."""
    pairs = {name: _pairs(rows, name) for name in BASELINES}
    baseline = next((name for name in BASELINES if pairs[name]), None)
    look = [sentence for name in BASELINES for sentence in _speed(pairs[name], name)]
    look += _memory(rows) + _limits_met(rows) + _fallbacks(rows)
    return Insight(
        look=tuple(look),
        say=tuple(_say(pairs[baseline], baseline, rows) if baseline else _say_memory(rows)),
        limits=tuple(_does_not_show(rows)),
    )


def _pairs(rows: Sequence[Row], name: str) -> list[Pair]:
    return pairs_of(rows, FLASH, name)


def _ratio(pair: Pair) -> float:
    """How many times as long the other takes."""
    flash, other = pair
    return (other.median or math.nan) / (flash.median or math.nan)


def _speed(pairs: Sequence[Pair], name: str) -> list[str]:
    if not pairs:
        return []
    longest = pairs[-1]
    flash, other = longest
    said = {
        "n": flash.x,
        "name": name,
        "flash": milliseconds(flash.median),
        "other": milliseconds(other.median),
        "ratio": times(max(_ratio(longest), 1 / _ratio(longest))),
    }
    sentences = {
        "faster": _(
            "At n = %(n)s flash takes %(flash)s and %(name)s %(other)s: flash is %(ratio)s times as fast."
        ),
        "slower": _(
            "At n = %(n)s flash takes %(flash)s and %(name)s %(other)s: flash takes %(ratio)s times as long."
        ),
        "even": _(
            "At n = %(n)s flash takes %(flash)s and %(name)s %(other)s: the quartiles overlap, so this "
            "run does not tell which is faster."
        ),
    }
    return [sentences[verdict(longest)] % said, *_turning(pairs, name)]


def _turning(pairs: Sequence[Pair], name: str) -> list[str]:
    """Where the order changes with the length, if it changes once."""
    told = [(pair[0].x, verdict(pair)) for pair in pairs if verdict(pair) != "even"]
    changes = [i for i in range(1, len(told)) if told[i][1] != told[i - 1][1]]
    if len(changes) != 1:
        return []
    before, after = told[changes[0] - 1], told[changes[0]]
    said = {"name": name, "before": before[0], "after": after[0]}
    if after[1] == "faster":
        return [
            _("Up to n = %(before)s flash is slower than %(name)s, from %(after)s on it is faster.") % said
        ]
    return [_("Up to n = %(before)s flash is faster than %(name)s, from %(after)s on it is slower.") % said]


def _has_peak(row: Row) -> bool:
    """Whether the measured peak can be believed: not far below what the call's output alone must take."""
    return row.is_measured and bool(row.peak) and (row.peak or 0) >= 0.8 * (row.predicted or 0)


def _peak_pairs(rows: Sequence[Row], name: str) -> list[Pair]:
    return [pair for pair in _pairs(rows, name) if all(_has_peak(row) for row in pair)]


def _memory(rows: Sequence[Row]) -> list[str]:
    found = []
    for name in BASELINES:
        pairs = _peak_pairs(rows, name)
        if pairs:
            flash, other = pairs[-1]
            ratio = (other.peak or 0) / (flash.peak or 1)
            if ratio > 1:
                found.append(
                    _("Peak memory at n = %(n)s: %(name)s %(other)s, flash %(flash)s (%(ratio)s times less).")
                    % {"n": flash.x, "name": name, "other": size(other.peak), "flash": size(flash.peak),
                       "ratio": times(ratio)}
                )  # fmt: skip
    growth = [text for name in (*BASELINES, FLASH) if (text := _growth(rows, name))]
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


def _limits_met(rows: Sequence[Row]) -> list[str]:
    found = []
    for name in (*BASELINES, FLASH):
        short = [row.x for row in rows if row.way == name and row.lacks_memory]
        if short:
            n = min(short)
            ran = any(row.way == FLASH and row.is_measured and row.x == n for row in rows)
            text = _("%(name)s finds no room at n = %(n)s.")
            if ran and name != FLASH:
                text = _("%(name)s finds no room at n = %(n)s; flash still runs there.")
            found.append(text % {"name": name, "n": n})
    return found


def _fallbacks(rows: Sequence[Row]) -> list[str]:
    found = []
    for row in rows:
        said = {"name": row.way, "n": row.x, "kernel": row.measurement.get("kernel") or "–"}
        if row.fell_back:
            found.append(
                _("%(name)s at n = %(n)s: another kernel ran (%(kernel)s), so it has no time here.") % said
            )
        elif row.outcome == Outcome.WRONG:
            found.append(_("%(name)s at n = %(n)s: the result was wrong, so it has no time here.") % said)
    return found


def _say(pairs: Sequence[Pair], name: str, rows: Sequence[Row]) -> list[str]:
    """What to say in an interview, by what this run found at its longest common length."""
    flash, _other = pairs[-1]
    said = {"name": name, "n": flash.x, "ratio": times(max(_ratio(pairs[-1]), 1 / _ratio(pairs[-1])))}
    sentences = {
        "faster": _(
            "FlashAttention computes the same numbers. It wins by moving less data: tiles of K and V, an "
            "online softmax, and no n × n matrix in memory. I measured it %(ratio)s times as fast as "
            "%(name)s at n = %(n)s."
        ),
        "slower": _(
            "FlashAttention is not always faster. It saves memory traffic; where the n × n matrix is small, "
            "or the plain matrix product is very well tuned, that saving buys nothing. At n = %(n)s I "
            "measured it taking %(ratio)s times as long as %(name)s."
        ),
        "even": _(
            "FlashAttention saves memory traffic, not arithmetic. At n = %(n)s I could not tell its time "
            "from that of %(name)s: the quartiles overlap."
        ),
    }
    return [sentences[verdict(pairs[-1])] % said, *_say_memory(rows)]


def _say_memory(rows: Sequence[Row]) -> list[str]:
    """The memory argument, only where this run measured it."""
    for name in BASELINES:
        pairs = _peak_pairs(rows, name)
        if pairs and (pairs[-1][1].peak or 0) > (pairs[-1][0].peak or 0):
            flash, other = pairs[-1]
            return [
                _(
                    "The sure gain is memory: %(name)s stores scores and weights, so its peak grows with n²; "
                    "flash keeps the output and one number a row, so it grows with n. At n = %(n)s that was "
                    "%(other)s against %(flash)s."
                )
                % {"name": name, "n": flash.x, "other": size(other.peak), "flash": size(flash.peak)}
            ]
    return []


def _does_not_show(rows: Sequence[Row]) -> list[str]:
    if not any(row.is_measured for row in rows):
        return []
    on_cpu = all(row.machine.get("device", "cpu") == "cpu" for row in rows if row.is_measured)
    found = unsteady(rows)
    found += [_("Forward pass only, batch 1, one machine: nothing here is about training or another card.")]
    if on_cpu:
        found.append(
            _("Measured on a CPU: the shape of the curves carries over, the times and ratios do not.")
        )
    return found
