"""Mistakes in turning scores into weights, and in what the weights mix."""

import math

import numpy as np

from attention_core.arrays import Array, shape_of
from attention_core.faults.fault import Fault
from attention_core.pipeline import Trace
from attention_core.softmax import softmax_along
from attention_core.training import dropout


def _visible_scores(t: Trace, *, otherwise: float = 0.0) -> Array:
    return t.xp.where(t.masked == -t.xp.inf, otherwise, t.masked)


def _maximum(t: Trace) -> Array:
    maximum = t.xp.max(t.masked, axis=-1, keepdims=True)
    return t.xp.where(maximum == -t.xp.inf, 0.0, maximum)


# ---- normalise ----


def _over_columns(t: Trace) -> Array:
    return softmax_along(t.masked, -2, t.xp)


def _columns_turned(t: Trace) -> Array:
    return softmax_along(t.masked, -2, t.xp).mT


def _over_everything(t: Trace) -> Array:
    shape = shape_of(t.masked)
    flat = t.xp.reshape(t.masked, (*shape[:-2], shape[-2] * shape[-1]))
    return t.xp.reshape(softmax_along(flat, -1, t.xp), shape)


def _not_at_all(t: Trace) -> Array:
    return _visible_scores(t)


def _uniform(t: Trace) -> Array:
    flat = t.xp.where(t.masked == -t.xp.inf, t.masked, 0.0)
    return softmax_along(flat, -1, t.xp)


def _exponentials(t: Trace) -> Array:
    return t.xp.exp(t.masked)


def _shifted_exponentials(t: Trace) -> Array:
    return t.xp.exp(t.masked - _maximum(t))


def _linear(t: Trace) -> Array:
    scores = _visible_scores(t)
    return scores / t.xp.sum(scores, axis=-1, keepdims=True)


def _base_two(t: Trace) -> Array:
    return softmax_along(t.masked * math.log(2.0), -1, t.xp)


def _logarithms(t: Trace) -> Array:
    weights = softmax_along(t.masked, -1, t.xp)
    return t.xp.where(weights == 0, 0.0, t.xp.log(t.xp.where(weights == 0, 1.0, weights)))


def _by_euclidean_length(t: Trace) -> Array:
    scores = _visible_scores(t)
    return scores / t.xp.sqrt(t.xp.sum(scores * scores, axis=-1, keepdims=True))


def _hard_maximum(t: Trace) -> Array:
    chosen = (t.masked == t.xp.max(t.masked, axis=-1, keepdims=True)) & (t.masked > -t.xp.inf)
    return t.xp.where(chosen, 1.0 + 0.0 * _visible_scores(t), 0.0)


def _sigmoid(t: Trace) -> Array:
    return 1.0 / (1.0 + t.xp.exp(-t.masked))


def _divided_by_maximum(t: Trace) -> Array:
    divided = _visible_scores(t) / t.xp.max(t.masked, axis=-1, keepdims=True)
    return softmax_along(t.xp.where(t.masked == -t.xp.inf, t.masked, divided), -1, t.xp)


def _ones(t: Trace) -> Array:
    return t.xp.where(t.masked == -t.xp.inf, 0.0, 1.0 + 0.0 * _visible_scores(t))


def _bare_formula(t: Trace) -> Array:
    exponentials = t.xp.exp(t.masked - _maximum(t))
    total = t.xp.sum(exponentials, axis=-1, keepdims=True)
    return exponentials / t.xp.where(total == 0, t.xp.nan, total)  # 0/0, without its warning


# ---- mix ----


def _mix_keys(t: Trace) -> Array:
    return t.weights @ t.k


def _mix_turned_values(t: Trace) -> Array:
    return t.weights @ t.v.mT


def _mix_transposed(t: Trace) -> Array:
    return t.weights.mT @ t.v


WEIGHING = (
    Fault("softmax_over_columns", "normalise", _over_columns),
    Fault("softmax_over_all", "normalise", _over_everything),
    Fault("mix_with_keys", "mix", _mix_keys),
    Fault("no_softmax", "normalise", _not_at_all),
    Fault("uniform_weights", "normalise", _uniform),
    Fault("transposed_weights", "mix", _mix_transposed),
    Fault("unnormalised", "normalise", _exponentials),
    Fault("unnormalised_shifted", "normalise", _shifted_exponentials),
    Fault("columns_transposed", "normalise", _columns_turned),
    Fault("linear_shares", "normalise", _linear),
    Fault("base_two", "normalise", _base_two),
    Fault("log_weights", "normalise", _logarithms),
    Fault("divided_by_length", "normalise", _by_euclidean_length),
    Fault("hard_maximum", "normalise", _hard_maximum),
    Fault("sigmoid_weights", "normalise", _sigmoid),
    Fault("divided_by_maximum", "normalise", _divided_by_maximum),
    Fault("unit_weights", "normalise", _ones),
    Fault("nan_rows", "normalise", _bare_formula),
    Fault("mix_with_turned_values", "mix", _mix_turned_values),
)


def dropout_left_on(*, p: float, rng: "np.random.Generator") -> Fault:
    """Attention dropout at evaluation: two calls differ. Not among FAULTS, because it needs `rng`.

    >>> dropout_left_on(p=0.1, rng=np.random.default_rng(0)).step
    'mix'
    """

    def mix(t: Trace) -> Array:
        return dropout(t.weights, p=p, rng=rng) @ t.v

    return Fault("dropout_left_on", "mix", mix)
