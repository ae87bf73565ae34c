"""The plain-language reading of the memory limit: how it grows, and how far the law and reality are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _

from quiz.figures.axes import significant
from quiz.lab.demos.demo import Insight
from quiz.lab.demos.figures import by_way
from quiz.lab.formatting import size, times
from quiz.lab.results import Row

BACKENDS = ("flash", "naive", "math")


def insight(rows: Sequence[Row]) -> Insight:
    """From the limits that were met; a lower bound is told as one."""
    met = [row for row in rows if is_limit(row)]
    if not met:
        return Insight(look=tuple(_bounds(rows)))
    return Insight(
        look=(*_growths(met), *_apart(met), *_bounds(rows)), say=tuple(_say(met)), limits=tuple(_limits(met))
    )


def is_limit(row: Row) -> bool:
    """Whether the limit itself was met, and not only a lower bound."""
    return row.is_measured and row.number("failed_n") is not None


def _growths(met: Sequence[Row]) -> list[str]:
    """For each way, by how much the limit rose from its smallest to its largest allowance."""
    found = []
    for name, own in by_way(met, BACKENDS):
        first, last = own[0], own[-1]
        if first.x == last.x:
            continue
        memory, length = last.x / first.x, _n(last) / _n(first)
        found.append(
            _(
                "%(way)s, M from %(first)s to %(last)s MiB (× %(memory)s): the limit rises from n = %(from)d "
                "to %(to)d (× %(length)s, as M^%(power).2f; by the law as M^%(law).2f)."
            )
            % {
                "way": name,
                "first": first.x,
                "last": last.x,
                "memory": times(memory),
                "from": _n(first),
                "to": _n(last),
                "length": times(length),
                "power": math.log(length) / math.log(memory),
                "law": math.log(_predicted(last) / _predicted(first)) / math.log(memory),
            }
        )
    return found


def _n(row: Row) -> float:
    return row.number("real_n") or math.nan


def _predicted(row: Row) -> float:
    return row.number("predicted_n") or math.nan


def _apart(met: Sequence[Row]) -> list[str]:
    """How far prediction and reality are apart at the largest allowance, and by how many bytes."""
    found = []
    for name, own in by_way(met, BACKENDS):
        last, left = own[-1], own[-1].number("left_bytes") or 0
        said = {
            "way": name,
            "m": last.x,
            "predicted": _predicted(last),
            "real": _n(last),
            "ratio": significant(100 * (last.number("ratio") or 0)),
            "left": size(abs(left)),
        }
        if left >= 0:
            sentence = _(
                "%(way)s, M = %(m)s MiB: predicted n = %(predicted)d, real %(real)d (%(ratio)s %%). At "
                "most %(left)s went to what the law does not count."
            )
        else:
            sentence = _(
                "%(way)s, M = %(m)s MiB: predicted n = %(predicted)d, real %(real)d (%(ratio)s %%). The law "
                "asks for %(left)s more than was needed: not all that it counts lives at the same time."
            )
        found.append(sentence % said)
    return found


def _bounds(rows: Sequence[Row]) -> list[str]:
    return [
        _bound(row)
        % {"way": row.way, "m": row.x, "n": _n(row), "predicted": int(row.number("predicted_n") or 0)}
        for row in rows
        if row.is_measured and not is_limit(row) and row.number("real_n")
    ]


def _bound(row: Row) -> str:
    if row.measurement.get("ended_by") == "law":
        return _(
            "%(way)s, M = %(m)s MiB: n = %(n)d still ran, well beyond the predicted %(predicted)d, and "
            "nothing longer was tried: the law asks for more than is needed."
        )
    return _(
        "%(way)s, M = %(m)s MiB: the limit was not reached within the time; it is at least n = %(n)d. "
        "Linear memory is so cheap that time ends first."
    )


def _say(met: Sequence[Row]) -> list[str]:
    largest = max(met, key=lambda row: (row.x, _n(row)))
    return [
        _(
            "With O(n²) memory, four times the memory only doubles the length; with O(n) it quadruples it. "
            "That is why long context came with FlashAttention and not with larger cards alone."
        ),
        _(
            "I can predict the limit before running: solve peak(n) ≤ M for n. Here that was %(predicted)d "
            "for %(way)s in %(m)s MiB, and %(real)d ran."
        )
        % {
            "predicted": _predicted(largest),
            "way": largest.way,
            "m": largest.x,
            "real": _n(largest),
        },
        _(
            "Predicted and real differ by what no formula of the algorithm holds: tiles and workspaces of "
            "the kernel, copies in another layout or format, rounding and holes of the allocator. So one "
            "keeps a margin, refuses before allocating, and treats running out as a result to report, not a "
            "crash."
        ),
    ]


def _limits(met: Sequence[Row]) -> list[str]:
    found = [
        _(
            "Forward pass only, batch 1, no mask. In training, what is kept for the backward pass comes on "
            "top."
        )
    ]
    if all(row.machine.get("device", "cpu") == "cpu" for row in met):
        found.append(
            _(
                "On the CPU mapped memory is limited, not used memory: without such a limit Linux grants "
                "more than there is, and ends a process when it is touched."
            )
        )
    return found
