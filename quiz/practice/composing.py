"""Which exercises go into a practice set, and in what order. Pure: families and chance come from outside.

Short ones come first; a family comes twice at most, and never follows itself while another is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np

from quiz.exercises.family import Family
from quiz.exercises.seeds import PUBLIC_SEEDS

SIZE = 8


def about_section(families: Sequence[Family], number: str) -> list[Family]:
    """The families of a section: those that belong to it first, then those it shares."""
    own = [family for family in families if family.sections[0] == number]
    return own + [family for family in families if number in family.sections[1:]]


def against(families: Sequence[Family], mistake: str) -> list[Family]:
    """The families in which this mistake can be made."""
    return [family for family in families if any(known.slug == mistake for known in family.misconceptions)]


def one_handed(families: Sequence[Family]) -> list[Family]:
    return [family for family in families if family.one_handed]


def spread_out(families: Sequence[Family], rng: np.random.Generator) -> list[Family]:
    """The families in a chance order in which every section comes once before any comes again."""
    groups: dict[str, list[Family]] = {}
    for family in _shuffled(families, rng):
        groups.setdefault(family.sections[0], []).append(family)
    rounds = zip_longest(*groups.values())
    return [family for family in chain.from_iterable(rounds) if family is not None]


def compose(families: Sequence[Family], rng: np.random.Generator, *, size: int = SIZE) -> list[Family]:
    """The first `size` of the families, short ones first; when they are fewer, each may come once more."""
    first = sorted(families[:size], key=lambda family: family.minutes)
    again = [*_shuffled(first[:-1], rng), *first[-1:]]
    return first + again[: size - len(first)]


def fresh_items(families: Sequence[Family], rng: np.random.Generator) -> list[dict[str, object]]:
    """Each family with a seed of its own, as a set stores it."""
    return [{"family": family.slug, "seeds": [fresh_seed(rng)]} for family in families]


def fresh_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(PUBLIC_SEEDS))


def _shuffled(families: Sequence[Family], rng: np.random.Generator) -> list[Family]:
    return [families[int(place)] for place in rng.permutation(len(families))]
