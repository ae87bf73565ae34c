"""Variants as they were asked: a stored draw is what everyone sees and what is marked, never a new draw."""

from __future__ import annotations

import json

from quiz.exercises import registry
from quiz.exercises.drawing import restore, vary
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.variants import Variant
from quiz.responses import models


class EarlierVersion(LookupError):
    """An earlier version of its family, or a family that is gone, asked this: today's cannot tell of it."""


def open_variant(slug: str, seed: int) -> Variant:
    """The variant behind an address: the stored draw of the family's version, or a fresh one when nobody has
    answered it yet.

    Raises `UnknownFamily` and `SeedError`. One query; nothing is written.
    """
    version = registry.get(slug).version
    stored = models.Variant.objects.filter(family=slug, seed=seed, version=version).first()
    return as_asked(stored) if stored else vary(slug, seed)


def as_asked(stored: models.Variant) -> Variant:
    """The variant of a stored row, from its drawn values. Raises `EarlierVersion`."""
    if not is_current(stored):
        raise EarlierVersion(f"{stored}, version {stored.version}")
    return restore(stored.family, stored.seed, stored.version, stored.drawn)


def is_current(stored: models.Variant) -> bool:
    """Whether its family, as it is today, drew it."""
    try:
        return stored.version == registry.get(stored.family).version
    except UnknownFamily:
        return False


def keep(variant: Variant) -> models.Variant:
    """The stored row of a variant, made on first need. Call inside a transaction."""
    row, _made = models.Variant.objects.get_or_create(
        family=variant.family.slug,
        seed=variant.seed,
        version=variant.version,
        defaults={"drawn": json.loads(json.dumps(variant.drawn))},
    )
    return row
