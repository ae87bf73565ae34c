"""Drawing variants: from a family and a seed to the first draw whose known mistakes can be told apart."""

from __future__ import annotations

from functools import lru_cache

from quiz.exercises import registry
from quiz.exercises.family import Family
from quiz.exercises.seeds import MAX_SEED, PUBLIC_SEEDS, SeedError, check_seed, stream
from quiz.exercises.types import Drawn
from quiz.exercises.variants import APART, Variant

__all__ = ["APART", "MAX_SEED", "MAX_TRIES", "PUBLIC_SEEDS", "CannotDraw", "SeedError"]
__all__ += ["draw_variant", "restore", "vary"]

MAX_TRIES = 2000
KEPT_VARIANTS = 1024


class CannotDraw(RuntimeError):
    """A family did not give a fit draw within the bounded number of tries: its constraints contradict."""


def vary(slug: str, seed: int) -> Variant:
    """The variant of this family and seed: the same for everybody, for ever within a version.

    Raises UnknownFamily, SeedError, CannotDraw. The latest variants are kept.
    """
    return _vary(registry.get(slug), check_seed(seed))


@lru_cache(maxsize=KEPT_VARIANTS)
def _vary(family: Family, seed: int) -> Variant:
    return draw_variant(family, seed)


def draw_variant(family: Family, seed: int, *, max_tries: int = MAX_TRIES) -> Variant:
    """As `vary`, always drawn anew. `Variant.tries` tells how many draws it took."""
    rng = stream(check_seed(seed), slug=family.slug, version=family.version)
    for tries in range(1, max_tries + 1):
        drawn = family.draw(rng)
        if not family.accepts(drawn):
            continue
        variant = Variant(family, seed, family.version, drawn, tries)
        if variant.told_apart:
            return variant
    raise CannotDraw(f"{family.slug}, seed {seed}: no fit draw in {max_tries} tries")


def restore(slug: str, seed: int, version: int, drawn: Drawn) -> Variant:
    """A stored variant as it was asked, whatever the family draws for this seed today."""
    return Variant(registry.get(slug), seed, version, drawn)
