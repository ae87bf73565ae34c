"""The named mistakes: each is the right pipeline with a step replaced.

A wrong answer is diagnosed by comparing it with what each mistake gives on the same inputs, so a mistake
must leave the intermediates that somebody making it would write down. Where that takes two steps (scaling
after the softmax is *not* scaling before and scaling later), `also` holds the second. Two mistakes compose
when they change no step in common.

    scoring    which vectors meet, by what the scores are divided, how they are capped
    hiding     masks, windows, biases
    weighing   scores into weights, and what the weights mix
    rotating   rotary positions: mistakes against `ROTATED`, the pipeline with RoPE
    probing    inputs on which each mistake shows
    symptoms   what can be seen of a mistake from outside

To add one: write its step in the module of that step, append a `Fault`, and say in `probing` where it shows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Unpack

from attention_core.arrays import Array
from attention_core.faults.fault import Fault
from attention_core.faults.hiding import HIDING
from attention_core.faults.rotating import ROTATED, ROTATING
from attention_core.faults.scoring import SCORING
from attention_core.faults.weighing import WEIGHING, dropout_left_on
from attention_core.inputs import Options
from attention_core.pipeline import RIGHT, Step, Steps, follow, prepare

FAULTS: Mapping[str, Fault] = MappingProxyType(
    {fault.name: fault for fault in (*SCORING, *WEIGHING, *HIDING, *ROTATING)}
)

# The mistakes told apart in each exercise family.
ATTENTION_ROW = (
    "no_scale",
    "scale_by_d_k",
    "scale_by_sqrt_d_model",
    "softmax_over_columns",
    "softmax_over_all",
    "transposed_scores",
    "mix_with_keys",
    "no_softmax",
    "uniform_weights",
    "transposed_weights",
    "scaled_after_softmax",
    "swapped_keys_and_values",
    "unnormalised",
)
FULL_OUTPUT = (
    "no_scale",
    "softmax_over_columns",
    "softmax_over_all",
    "transposed_scores",
    "mix_with_keys",
    "causal_applied",
    "scaled_after_softmax",
    "swapped_keys_and_values",
    "unnormalised",
)
CAUSAL_ROW = (
    "no_mask",
    "reversed_mask",
    "diagonal_hidden",
    "sees_one_ahead",
    "filled_with_zero",
    "masked_after_softmax",
    "softmax_over_columns",
    "uniform_weights",
    "additive_01_mask",
)


SCALED_ENTRY = (
    "no_scale",
    "scale_by_d_k",
    "scale_by_sqrt_d_model",
    "scale_inverted",
    "scale_by_sqrt_length",
    "scale_by_sqrt_heads",
    "cosine_scores",
)
SATURATION = ("no_scale", "scale_by_d_k", "scaled_weights")
SOFTMAX_ROW = (
    "linear_shares",
    "base_two",
    "unnormalised",
    "unnormalised_shifted",
    "log_weights",
    "divided_by_length",
    "hard_maximum",
    "sigmoid_weights",
)
TEMPERATURE = ("scale_inverted", "scaled_weights", "no_scale", "weights_to_a_power")
WEIGHTED_SUM = ("mix_with_keys", "hard_maximum", "uniform_weights", "mix_with_turned_values", "unit_weights")
TWO_HEADS = ("scale_by_sqrt_d_model", "no_scale", "one_big_head", "scale_by_d_k")
PADDING_ROW = (
    "no_mask",
    "filled_with_zero",
    "masked_after_softmax",
    "inverted_polarity",
    "uniform_weights",
    "additive_01_mask",
    "query_rows_masked",
)
BOTH_MASKS = ("only_causal", "only_padding", "hidden_by_both")
VISIBLE_PAIRS = ("window_ignored", "window_without_itself", "no_mask", "window_two_sided", "window_one_wider")
NAN_ROWS = ("nan_rows", "finite_fill")
ALIBI = (
    "bias_sign_flipped",
    "alibi_heads_from_zero",
    "alibi_slope_by_head",
    "alibi_without_slope",
    "bias_ignored",
)
ROTARY = tuple(fault.name for fault in ROTATING)

# Two mistakes that undo each other: columns of Sᵀ, turned back, are the rows of S.
CANCELLING = frozenset({("transposed_scores", "columns_transposed")})


def steps_with(*names: str) -> Steps:
    """The pipeline with these mistakes in it; none gives the right one.

    Raises ValueError for an unknown name, or for two mistakes that change the same step.

    >>> steps_with("no_scale").scale is FAULTS["no_scale"].replacement
    True
    """
    changes: dict[str, Step] = {}
    for name in names:
        if name not in FAULTS:
            raise ValueError(f"fault {name!r} is unknown; known are {', '.join(FAULTS)}")
        new = FAULTS[name].changes
        both = changes.keys() & new.keys()
        if both:
            raise ValueError(f"faults {', '.join(names)} cannot be combined: both change {', '.join(both)}")
        changes |= new
    return replace(RIGHT, **changes) if changes else RIGHT


def composes(*names: str) -> bool:
    """True when these mistakes change no step in common.

    >>> composes("no_scale", "no_softmax"), composes("no_scale", "scale_by_d_k")
    (True, False)
    """
    steps = [step for name in names for step in FAULTS[name].changes]
    return len(steps) == len(set(steps))


def pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every two of these mistakes that can be made at once.

    >>> list(pairs(["no_scale", "scale_by_d_k", "no_softmax"]))
    [('no_scale', 'no_softmax'), ('scale_by_d_k', 'no_softmax')]
    """
    return (pair for pair in combinations(names, 2) if composes(*pair))


def broken(*names: str) -> Callable[..., Array]:
    """An implementation of attention with these mistakes in it: `f(q, k, v, **options)`, as `attention`.

    >>> broken("unit_weights")([[1.0]], [[1.0], [2.0]], [[1.0], [1.0]]).tolist()
    [[2.0]]
    """
    steps = steps_with(*names)

    def attend(q: Array, k: Array, v: Array, **options: Unpack[Options]) -> Array:
        return follow(prepare(q, k, v, **options), steps).output

    return attend


__all__ = [
    "ALIBI", "ATTENTION_ROW", "BOTH_MASKS", "CANCELLING", "CAUSAL_ROW", "FAULTS", "FULL_OUTPUT", "NAN_ROWS",
    "PADDING_ROW",
    "ROTARY", "ROTATED", "SATURATION", "SCALED_ENTRY", "SOFTMAX_ROW", "TEMPERATURE", "TWO_HEADS",
    "VISIBLE_PAIRS", "WEIGHTED_SUM", "Fault", "broken", "composes", "dropout_left_on", "pairs", "steps_with",
]  # fmt: skip
