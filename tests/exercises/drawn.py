"""What the tests of families share: the slugs, variants over many seeds, and typed answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import draw_variant
from quiz.exercises.types import Value
from quiz.exercises.variants import Variant

SLUGS = tuple(family.slug for family in registry.all_families())
FIRST = frozenset(
    {"attention_row", "causal_row", "full_output", "kv_cache", "mha_shape", "scaled_entry", "softmax_row"}
)


def seeds_of(slug: str) -> int:
    """How many seeds `make test` looks at: the families of the first pages are proved most."""
    return 1000 if slug in FIRST else 100


@lru_cache(maxsize=len(SLUGS))
def variants(slug: str) -> tuple[Variant, ...]:
    """The first variants of a family, drawn once for all tests."""
    return tuple(variants_from(slug, range(seeds_of(slug))))


def variants_from(slug: str, seeds: range) -> Iterator[Variant]:
    family = registry.get(slug)
    return (draw_variant(family, seed) for seed in seeds)


def rounded(value: Value, places: int = 3) -> Value:
    """Every number of a value rounded, as somebody would write it down."""
    if isinstance(value, list):
        return [rounded(item, places) for item in value]
    return round(value, places) if isinstance(value, float) else value


def typed(value: Value) -> str:
    """A value as a candidate could type it: JSON, with −∞ as "-inf"."""
    return json.dumps(as_json(value))
