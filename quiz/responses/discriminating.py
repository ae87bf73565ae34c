"""Whether a family tells strong from weak people apart: the point-biserial correlation. Pure.

For each person: whether their first variant of the family went right at once (0 or 1), against their share
right at once over all other families. The family itself is left out of the share, for it would correlate
with itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

LEAST_PEOPLE = 20
LEAST_OTHERS = 5  # variants of other families that a person must have begun for their share to mean something


class Tally(NamedTuple):
    """One person's work on one family in one version; there may be tens of thousands of them."""

    person: Hashable
    family: str
    version: int
    begun: int
    right: int
    first_was_right: bool


Totals = Mapping[Hashable, tuple[int, int]]  # person → how much they began, and did right at once


def totals(tallies: Iterable[Tally]) -> Totals:
    """Everybody's work over all the families that are tallied."""
    found: dict[Hashable, tuple[int, int]] = {}
    for person, _family, _version, begun, right, _first in tallies:
        before = found.get(person, (0, 0))
        found[person] = (before[0] + begun, before[1] + right)
    return found


def discriminations(tallies: Sequence[Tally], everywhere: Totals) -> dict[tuple[str, int], float]:
    """Family and version → the correlation, in [−1, 1]; only with enough people and both outcomes.

    `tallies` hold all versions of the families in them, `everywhere` the work on all families.
    """
    here: dict[tuple[Hashable, str], tuple[int, int]] = {}
    for person, family, _version, begun, right, _first in tallies:
        before = here.get((person, family), (0, 0))
        here[person, family] = (before[0] + begun, before[1] + right)
    points: dict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    for person, family, version, _begun, _right, first_was_right in tallies:
        (begun, right), (own_begun, own_right) = everywhere[person], here[person, family]
        others = begun - own_begun
        if others >= LEAST_OTHERS:
            points[family, version].append((int(first_was_right), (right - own_right) / others))
    found = {key: point_biserial(pairs) for key, pairs in points.items() if len(pairs) >= LEAST_PEOPLE}
    return {key: value for key, value in found.items() if value is not None}


def point_biserial(pairs: Iterable[tuple[int, float]]) -> float | None:
    """The correlation of a 0/1 outcome with a number: (M₁ − M₀)/s · √(p(1 − p)), s over all (divided by n).

    None when there is only one outcome, or when all numbers are the same.
    """
    outcome, number = np.array(list(pairs), dtype=np.float64).T
    spread, p = float(number.std()), float(outcome.mean())
    if p in (0.0, 1.0) or spread < 1e-12:
        return None
    gap = float(number[outcome == 1].mean() - number[outcome == 0].mean())
    return gap / spread * float(np.sqrt(p * (1 - p)))
