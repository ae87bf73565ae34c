"""Fault drills: an implementation of attention with one or two mistakes in it, and probes that tell which.

    probe    what a probe is: calls, and what in their outputs gives a mistake away
    probes   the probes, by name

The implementation is a black box, called as `attention` is: nothing but its outputs can be looked at. Each
mistake of `DRILLED` has a set of symptoms that no other has (`table`), and two at once are drawn only where
both remain to be seen.

>>> sorted(symptoms(implementation("sees_one_ahead")))
['next_token_leaks']
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import faults
from attention_core.drills.probe import Call, Implementation, Probe
from attention_core.drills.probes import all_probes
from attention_core.faults.symptoms import UNFIT
from attention_core.pipeline import Steps, follow, prepare

DROPOUT = "dropout_left_on"
TWO_CALLS_DIFFER = "two_calls_differ"

PROBES: Mapping[str, Probe] = MappingProxyType({probe.name: probe for probe in all_probes()})

# A function of q, k and v alone cannot make the mistakes of rotary positions, of projections and of slopes.
DRILLED = (
    "no_scale", "scale_by_d_k", "scale_inverted", "scale_by_sqrt_length", "scale_by_sqrt_heads",
    "scaled_after_softmax", "cosine_scores", "base_two", "transposed_scores", "swapped_keys_and_values",
    "keys_with_keys", "queries_with_queries", "mix_with_keys", "mix_with_turned_values", "transposed_weights",
    "softmax_over_columns", "softmax_over_all", "columns_transposed", "no_softmax", "unnormalised",
    "unnormalised_shifted", "linear_shares", "log_weights", "divided_by_length", "divided_by_maximum",
    "sigmoid_weights", "hard_maximum", "uniform_weights", "unit_weights", "nan_rows", "causal_applied",
    "no_mask", "reversed_mask", "diagonal_hidden", "sees_one_ahead", "filled_with_zero",
    "masked_after_softmax", "additive_01_mask", "finite_fill", "other_alignment", "inverted_polarity",
    "query_rows_masked", "only_causal", "only_padding", "hidden_by_both", "window_ignored",
    "window_one_wider", "window_two_sided", "window_without_itself", "bias_ignored", "bias_sign_flipped",
    "cap_ignored", "capped_after_mask", "tiled_groups", "one_big_head", DROPOUT,
)  # fmt: skip
# These hide so much of another mistake that two pairs would look the same.
_ALONE = frozenset(
    ("transposed_scores", "scaled_after_softmax", "keys_with_keys", "cosine_scores", "hard_maximum",
     "softmax_over_columns", "softmax_over_all", "uniform_weights", "unit_weights", DROPOUT)
)  # fmt: skip
_DROPPED = 0.5


@dataclass(frozen=True)
class Drill:
    """A broken implementation `attend(q, k, v, **options)`, the mistakes in it, and the symptoms it shows."""

    names: tuple[str, ...]
    attend: Implementation
    symptoms: frozenset[str]


def implementation(*names: str, seed: int = 0) -> Implementation:
    """Attention with these mistakes, as a function of q, k, v and the keyword arguments of `attention`.

    `seed` is that of the dropout. Raises ValueError for an unknown name, or for two that change one step.

    >>> values = [[1.0], [2.0], [6.0]]
    >>> implementation("uniform_weights")([[1.0]], [[5.0], [0.0], [0.0]], values).tolist()
    [[3.0]]
    """
    if DROPOUT not in names:
        return faults.broken(*names)
    dropped = faults.dropout_left_on(p=_DROPPED, rng=np.random.default_rng(seed))
    steps: Steps = faults.steps_with(*(name for name in names if name != DROPOUT))
    if steps.mix is not faults.steps_with().mix:
        raise ValueError(f"faults {', '.join(names)} cannot be combined: both change mix")
    changed = Steps(steps.score, steps.scale, steps.cap, steps.mask, steps.normalise, dropped.replacement)

    def attend(q: Any, k: Any, v: Any, **options: Any) -> Any:
        return follow(prepare(q, k, v, **options), changed).output

    return attend


def symptoms(attend: Implementation) -> frozenset[str]:
    """The probes that an implementation fails, by name; none for a right one.

    When two equal calls differ, nothing else can be told, and that is the only symptom. "shapes_do_not_fit"
    stands for a probe that could not be made.

    >>> from attention_core import attention
    >>> symptoms(attention), sorted(symptoms(implementation("nan_rows")))
    (frozenset(), ['not_a_number', 'unseeing_row_not_zero'])
    """
    if _found(PROBES[TWO_CALLS_DIFFER], attend) == TWO_CALLS_DIFFER:
        return frozenset({TWO_CALLS_DIFFER})
    return frozenset(found for probe in PROBES.values() if (found := _found(probe, attend)) is not None)


def _found(probe: Probe, attend: Implementation) -> str | None:
    try:
        return probe.name if probe.found(attend) else None
    except ValueError:
        return UNFIT


@cache
def table() -> Mapping[str, frozenset[str]]:
    """The symptoms of each mistake of `DRILLED`, computed: no two have the same."""
    return MappingProxyType({name: symptoms(implementation(name)) for name in DRILLED})


def both_show(first: str, second: str) -> bool:
    """True when two mistakes can be made at once, and each keeps all its symptoms and has some of its own.

    >>> both_show("no_scale", "sees_one_ahead"), both_show("no_mask", "sees_one_ahead")
    (True, False)
    """
    if first == second or {first, second} & _ALONE or not faults.composes(first, second):
        return False
    one, two = table()[first], table()[second]
    return not (one <= two or two <= one) and symptoms(implementation(first, second)) >= one | two


def drill(*names: str, seed: int = 0) -> Drill:
    """The drill with these mistakes in it.

    >>> sorted(drill("no_scale", "finite_fill").symptoms)
    ['scale_argument_does_nothing', 'too_sharp', 'unseeing_row_not_zero']
    """
    attend = implementation(*names, seed=seed)
    return Drill(names=names, attend=attend, symptoms=symptoms(attend))


def draw(rng: np.random.Generator, *, mistakes: int = 1) -> Drill:
    """A drill with one mistake, or with two that both show; the same for the same state of `rng`.

    >>> drawn = draw(np.random.default_rng(0), mistakes=2)
    >>> drawn.symptoms == symptoms(drawn.attend)
    True
    """
    if mistakes not in (1, 2):
        raise ValueError(f"mistakes: given {mistakes}; expected 1 or 2")
    while True:
        names = tuple(DRILLED[int(index)] for index in rng.choice(len(DRILLED), size=mistakes, replace=False))
        if mistakes == 1 or both_show(*names):
            return drill(*names, seed=int(rng.integers(2**32)))


__all__ = [
    "DRILLED", "PROBES", "Call", "Drill", "Probe", "both_show", "draw", "drill", "implementation", "symptoms",
    "table",
]  # fmt: skip
