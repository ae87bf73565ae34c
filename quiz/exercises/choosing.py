"""Choices: the options of a part in the order that was drawn, and the mistake that each wrong one shows.

A wrong option is a misconception that somebody holds, so each has one of its own: nothing chosen stays
unnamed. Families store the drawn order with the variant, so that a place gives nothing away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quiz.exercises.types import EXACT, Misconception, Option, Part, Text, Values, Wiring


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One option; `mistake` is the slug of the misconception that choosing it shows where it is wrong."""

    slug: str
    label: Text
    mistake: str
    drawing: Wiring | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A choice as one variant asks it: the options in the drawn order, and the slug of the right one."""

    name: str
    label: Text
    picks: tuple[Pick, ...]
    right: str
    stem: Text | None = None
    is_listing: bool = False

    @property
    def part(self) -> Part:
        options = tuple(Option(slug=p.slug, label=p.label, drawing=p.drawing) for p in self.picks)
        return Part(
            name=self.name,
            kind="choice",
            label=self.label,
            tolerance=EXACT,
            options=options,
            stem=self.stem,
            is_listing=self.is_listing,
        )

    @property
    def right_label(self) -> Text:
        return next(pick.label for pick in self.picks if pick.slug == self.right)


def shuffled(rng: np.random.Generator, slugs: Iterable[str]) -> list[str]:
    """The slugs in an order drawn anew, to be stored with the variant."""
    slugs = list(slugs)
    return [slugs[index] for index in rng.permutation(len(slugs))]


def sampled(rng: np.random.Generator, slugs: Iterable[str], count: int) -> list[str]:
    """`count` different ones of the slugs."""
    return shuffled(rng, slugs)[:count]


def in_order(picks: Mapping[str, Pick], order: Iterable[str]) -> tuple[Pick, ...]:
    """The options of a table as a variant stores their order."""
    return tuple(picks[slug] for slug in order)


def right_of(asked: Iterable[Asked]) -> Values:
    return {one.name: one.right for one in asked}


def mistakes_of(
    asked: Sequence[Asked], *, known: Iterable[Misconception], others: Values
) -> dict[str, Values]:
    """Each wrong option by its misconception, in the order of the family's table, the other choices and the
    `others` right. ValueError when two options of a variant share one misconception.
    """
    right = {**others, **right_of(asked)}
    found: dict[str, Values] = {}
    for one in asked:
        for pick in one.picks:
            if pick.slug == one.right:
                continue
            if pick.mistake in found:
                raise ValueError(f"two options show {pick.mistake!r}")
            found[pick.mistake] = {**right, one.name: pick.slug}
    return {m.slug: found[m.slug] for m in known if m.slug in found}
