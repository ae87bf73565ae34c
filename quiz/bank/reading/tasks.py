"""The six practice tasks of the start page: their names, in the order in which its text lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

TASKS = ("implementation", "comparison", "faults", "complexity", "block", "oral")


@dataclass(frozen=True, kw_only=True)
class Task:
    slug: str
    text: SafeString
    is_ticked: bool


def tasks(points: Sequence[SafeString], ticked: frozenset[str]) -> tuple[Task, ...]:
    """The tasks as the page shows them to someone who has ticked some."""
    return tuple(
        Task(slug=slug, text=text, is_ticked=slug in ticked)
        for slug, text in zip(TASKS, points, strict=False)  # an instructor's own text may list fewer
    )
