"""Fences that are not code: the first word after their marks names a function from source to safe HTML.

Figures enter the Markdown here. A function raises ExpressionError for what it cannot draw; pages then
show the source, and the sync and the admin tell its line.
"""

from __future__ import annotations

from collections.abc import Callable

BLOCKS: dict[str, Callable[[str], str]] = {}
