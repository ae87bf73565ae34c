"""What a probe is: some calls of an implementation, and what in their outputs would give a mistake away."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Implementation = Callable[..., Any]
Shows = Callable[[Sequence[Numbers]], bool]

CHANGED = 1e-6  # a smaller difference is rounding


@dataclass(frozen=True)
class Call:
    """One call: q (…, T, D), k (…, S, D), v (…, S, Dv) and the keyword arguments of `attention`."""

    q: Numbers
    k: Numbers
    v: Numbers
    options: Mapping[str, Any] = field(default_factory=dict)

    def by(self, implementation: Implementation) -> Numbers:
        """What an implementation answers."""
        with np.errstate(all="ignore"):
            return np.asarray(implementation(self.q, self.k, self.v, **self.options), dtype=np.float64)

    def with_keys(self, *positions: int, shift: Numbers) -> "Call":
        """The same with `shift` added to the keys at these positions."""
        return replace(self, k=_shifted(self.k, positions, shift))

    def with_values(self, *positions: int, shift: Numbers) -> "Call":
        """The same with `shift` added to the values at these positions."""
        return replace(self, v=_shifted(self.v, positions, shift))

    def with_tokens(self, *positions: int, shift: Numbers) -> "Call":
        """The same with `shift` added to both the keys and the values at these positions."""
        return self.with_keys(*positions, shift=shift).with_values(*positions, shift=shift)

    def asking(self, **options: Any) -> "Call":
        """The same with these keyword arguments."""
        return replace(self, options={**self.options, **options})


@dataclass(frozen=True)
class Probe:
    """Calls to make, in order, and `shows`: whether their outputs have the symptom that `name` names."""

    name: str
    calls: tuple[Call, ...]
    shows: Shows

    def outputs(self, implementation: Implementation) -> list[Numbers]:
        """What an implementation answers to each call."""
        return [call.by(implementation) for call in self.calls]

    def found(self, implementation: Implementation) -> bool:
        """True when the implementation has the symptom."""
        return self.shows(self.outputs(implementation))


def apart(first: Numbers, second: Numbers) -> bool:
    """True when two outputs differ by more than rounding, or in where they are no numbers."""
    unlike = np.isnan(first) != np.isnan(second)
    return bool((unlike | (np.abs(first - second) > CHANGED)).any())


def _shifted(x: Numbers, positions: tuple[int, ...], shift: Numbers) -> Numbers:
    moved = x.copy()
    moved[..., list(positions), :] += shift
    return moved
