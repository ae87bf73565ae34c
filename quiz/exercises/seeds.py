"""Seeds: which are allowed, and the stream of random numbers that one gives to one family.

The stream depends on the seed, the family's slug and its version, so that two families never share
their draws and a new version of a family draws anew.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

MAX_SEED = 2**63 - 1  # what the commands take
PUBLIC_SEEDS = 2**31  # seeds in public addresses and the API lie below this


class SeedError(ValueError):
    """A seed that is no whole number from 0 to the limit."""


def check_seed(seed: int, *, limit: int = MAX_SEED) -> int:
    """`seed` itself when it is an integer with 0 ≤ seed ≤ limit; SeedError otherwise."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= limit:
        raise SeedError(f"seed {seed!r}: a whole number from 0 to {limit} is expected")
    return seed


def stream(seed: int, *, slug: str, version: int) -> np.random.Generator:
    """The family's own generator for this seed; the same on every machine."""
    return np.random.default_rng(np.random.SeedSequence([seed, _key(slug, version)]))


@lru_cache(maxsize=1024)
def _key(slug: str, version: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{slug}:{version}".encode()).digest()[:8], "big")
