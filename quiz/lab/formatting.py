"""Numbers of the lab for people: bytes, milliseconds, durations."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quiz.figures.axes import significant

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count: float | None) -> str:
    """Bytes in binary units with three significant digits: `68.2 MiB`, `1 GiB`."""
    if count is None:
        return "–"
    value, unit = float(count), 0
    while abs(value) >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{significant(value)} {UNITS[unit]}"


def milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{significant(value)} ms"


def rate(value: float | None) -> str:
    """FLOP/s with the prefix that fits."""
    if value is None:
        return "–"
    for limit, name in ((1e12, "TFLOP/s"), (1e9, "GFLOP/s")):
        if value >= limit:
            return f"{significant(value / limit)} {name}"
    return f"{significant(value / 1e6)} MFLOP/s"


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `10 min`, `2 h 5 min`."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, rest_seconds = divmod(rest, 60)
    if hours:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    if minutes and not rest_seconds:
        return _("%(minutes)s min") % {"minutes": minutes}
    if minutes:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest_seconds}
    return _("%(seconds)s s") % {"seconds": rest_seconds}


def threads_told(count: int) -> str:
    """`1 thread`, `2 threads`."""
    return ngettext("%(threads)s thread", "%(threads)s threads", count) % {"threads": count}


def times(ratio: float) -> str:
    """A ratio for a sentence: `3.1`, `12`."""
    return significant(ratio, digits=2)
