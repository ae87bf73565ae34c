"""Numbers as a reader sees them: the minus is U+2212, integers stay bare, −∞ is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable

MINUS = "\u2212"
PLACES = 3


def numeral(value: float, *, places: int | None = PLACES) -> str:
    """One number. `places` decimals unless it is an integer; None prints the shortest exact form."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return f"{MINUS}∞" if value < 0 else "∞"
    if value == int(value):
        return _signed(str(int(value)))
    return _signed(repr(float(value)) if places is None else f"{value:.{places}f}")


def places_for(values: Iterable[float]) -> int | None:
    """Decimals that a whole matrix shares: None when every number is exact within `PLACES` (0.5, 1.25)."""
    finite = [v for v in values if math.isfinite(v)]
    return None if all(round(v, PLACES) == v for v in finite) else PLACES


def _signed(digits: str) -> str:
    return digits.replace("-", MINUS)
