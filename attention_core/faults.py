"""The named mistakes: each is the right pipeline with a step replaced.

A wrong answer is diagnosed by comparing it with what each mistake gives on the same inputs, so a mistake
must leave the intermediates that somebody making it would write down. Where that takes two steps (scaling
after the softmax is *not* scaling before and scaling later), `also` holds the second. Two mistakes compose
when they change no step in common.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType

from attention_core import masks
from attention_core.arrays import Array, cast_to
from attention_core.pipeline import RIGHT, Step, Steps, Trace, hide
from attention_core.pipeline import mask as right_mask
from attention_core.softmax import softmax_along


@dataclass(frozen=True)
class Fault:
    """A mistake: its slug, the step it changes and what it does there; `also`: further steps it changes."""

    name: str
    step: str
    replacement: Step
    also: tuple[tuple[str, Step], ...] = ()

    @property
    def changes(self) -> dict[str, Step]:
        """Every changed step by name."""
        return {self.step: self.replacement, **dict(self.also)}


# ---- score and scale ----


def _transposed_scores(t: Trace) -> Array:
    return t.k @ t.q.mT


def _query_value_scores(t: Trace) -> Array:
    return t.q @ t.v.mT


def _unscaled(t: Trace) -> Array:
    return t.scores


def _by_d_k(t: Trace) -> Array:
    return t.scores / t.q.shape[-1]


def _by_sqrt_d_model(t: Trace) -> Array:
    return t.scores / t.d_model**0.5


# ---- mask ----


def _causal_anyway(t: Trace) -> Array:
    rows, columns = _positions(t)
    return hide(t, masks.combine(t.visible, columns <= rows))


def _unmasked(t: Trace) -> Array:
    return hide(t, None)


def _by_rule(rule: Callable[[Array, Array], Array]) -> Step:
    """The mask step with another rule in place of "key ≤ query"; right where no causal mask is asked."""

    def step(t: Trace) -> Array:
        if t.causal is None:
            return right_mask(t)
        rows, columns = _positions(t)
        near = None
        if t.window is not None:
            near = masks.window(
                t.q.shape[-2], keys=t.k.shape[-2], span=t.window, offset=t.offset, like=t.visible
            )
        return hide(t, masks.combine(t.mask, near, rule(rows, columns)))

    return step


def _zero_filled(t: Trace) -> Array:
    return hide(t, t.visible, fill=0.0)


def _ones_added(t: Trace) -> Array:
    biased = hide(t, None)
    return biased if t.visible is None else biased + cast_to(t.visible, biased.dtype, t.xp)


def _positions(t: Trace) -> tuple[Array, Array]:
    return masks.positions(t.q.shape[-2], t.k.shape[-2], t.offset, like=t.q, xp=t.xp)


# ---- normalise ----


def _over_columns(t: Trace) -> Array:
    return softmax_along(t.masked, -2, t.xp)


def _over_everything(t: Trace) -> Array:
    shape = tuple(t.masked.shape)
    flat = t.xp.reshape(t.masked, (*shape[:-2], shape[-2] * shape[-1]))
    return t.xp.reshape(softmax_along(flat, -1, t.xp), shape)


def _not_at_all(t: Trace) -> Array:
    return t.xp.where(t.masked == -t.xp.inf, 0.0, t.masked)


def _uniform(t: Trace) -> Array:
    flat = t.xp.where(t.masked == -t.xp.inf, t.masked, 0.0)
    return softmax_along(flat, -1, t.xp)


def _exponentials(t: Trace) -> Array:
    return t.xp.exp(t.masked)


def _softmax_then_mask(t: Trace) -> Array:
    weights = softmax_along(t.masked, -1, t.xp)
    return weights if t.visible is None else t.xp.where(t.visible, weights, 0.0)


# ---- mix ----


def _mix_keys(t: Trace) -> Array:
    return t.weights @ t.k


def _mix_transposed(t: Trace) -> Array:
    return t.weights.mT @ t.v


def _mix_then_scale(t: Trace) -> Array:
    return (t.weights @ t.v) * t.scale


_ALL = (
    Fault("no_scale", "scale", _unscaled),
    Fault("scale_by_d_k", "scale", _by_d_k),
    Fault("scale_by_sqrt_d_model", "scale", _by_sqrt_d_model),
    Fault("softmax_over_columns", "normalise", _over_columns),
    Fault("softmax_over_all", "normalise", _over_everything),
    Fault("transposed_scores", "score", _transposed_scores),
    Fault("mix_with_keys", "mix", _mix_keys),
    Fault("no_softmax", "normalise", _not_at_all),
    Fault("uniform_weights", "normalise", _uniform),
    Fault("transposed_weights", "mix", _mix_transposed),
    Fault("scaled_after_softmax", "scale", _unscaled, also=(("mix", _mix_then_scale),)),
    Fault("swapped_keys_and_values", "score", _query_value_scores, also=(("mix", _mix_keys),)),
    Fault("unnormalised", "normalise", _exponentials),
    Fault("causal_applied", "mask", _causal_anyway),
    Fault("no_mask", "mask", _unmasked),
    Fault("reversed_mask", "mask", _by_rule(lambda row, column: column >= row)),
    Fault("diagonal_hidden", "mask", _by_rule(lambda row, column: column < row)),
    Fault("sees_one_ahead", "mask", _by_rule(lambda row, column: column <= row + 1)),
    Fault("filled_with_zero", "mask", _zero_filled),
    Fault("masked_after_softmax", "mask", _unmasked, also=(("normalise", _softmax_then_mask),)),
    Fault("additive_01_mask", "mask", _ones_added),
)

FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for fault in _ALL})

# The mistakes told apart in each exercise family.
ATTENTION_ROW = tuple(FAULTS)[:13]
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


def steps_with(*names: str) -> Steps:
    """The pipeline with these mistakes in it; none gives the right one.

    Raises ValueError for an unknown name, or for two mistakes that change the same step.
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
    """True when these mistakes change no step in common."""
    steps = [step for name in names for step in FAULTS[name].changes]
    return len(steps) == len(set(steps))


def pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every two of these mistakes that can be made at once."""
    return (pair for pair in combinations(names, 2) if composes(*pair))
