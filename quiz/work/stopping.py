"""One flag for this process: it has been asked to end, so a job should be given back at its next check.

A plain value, because a signal handler sets it: an Event's lock could be held by what the signal interrupted.
"""

from __future__ import annotations

_asked = False


def ask() -> None:
    global _asked
    _asked = True


def is_asked() -> bool:
    return _asked
