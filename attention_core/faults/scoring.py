"""Mistakes in the scores, their scale and their cap: which vectors meet, and by what they are divided."""

from attention_core.arrays import Array
from attention_core.faults.fault import Fault
from attention_core.pipeline import Trace, hide
from attention_core.softmax import softmax_along

# ---- score ----


def _transposed(t: Trace) -> Array:
    return t.k @ t.q.mT


def _queries_with_values(t: Trace) -> Array:
    return t.q @ t.v.mT


def _keys_with_keys(t: Trace) -> Array:
    return t.k @ t.k.mT


def _queries_with_queries(t: Trace) -> Array:
    return t.q @ t.q.mT


def _inputs_with_inputs(t: Trace) -> Array:
    t.d_model  # noqa: B018  # refuses a trace that has no x
    x = t.x if t.q.ndim == t.x.ndim else t.x[..., None, :, :]
    return x @ x.mT + 0.0 * (t.q @ t.k.mT)  # spread over the heads


def _over_all_heads(t: Trace) -> Array:
    scores = t.q @ t.k.mT
    if scores.ndim < 3:
        return scores
    return t.xp.sum(scores, axis=-3, keepdims=True) + 0.0 * scores


def _tiled_keys(t: Trace) -> Array:
    return t.q @ _tiled(t, t.k).mT


def _tiled(t: Trace, repeated: Array) -> Array:
    """Heads 1, 2, 1, 2 where the right ones are 1, 1, 2, 2."""
    if repeated.ndim < 3:
        return repeated
    heads = repeated.shape[-3]
    source = [head % t.groups * (heads // t.groups) for head in range(heads)]
    return t.xp.stack([repeated[..., head, :, :] for head in source], axis=-3)


# ---- scale ----


def _unscaled(t: Trace) -> Array:
    """The scores as they are."""
    return t.scores


def _by_d_k(t: Trace) -> Array:
    return t.scores / t.q.shape[-1]


def _by_sqrt_d_model(t: Trace) -> Array:
    return t.scores / t.d_model**0.5


def _by_sqrt_length(t: Trace) -> Array:
    return t.scores / t.k.shape[-2] ** 0.5


def _by_sqrt_heads(t: Trace) -> Array:
    return t.scores / (t.q.shape[-3] if t.q.ndim > 2 else 1) ** 0.5


def _by_sqrt_of_all_heads(t: Trace) -> Array:
    heads = t.q.shape[-3] if t.q.ndim > 2 else 1
    return t.scores / (heads * t.q.shape[-1]) ** 0.5


def _inverted(t: Trace) -> Array:
    return t.scores / t.scale


def _cosine(t: Trace) -> Array:
    def lengths(x: Array) -> Array:
        return t.xp.sqrt(t.xp.sum(x * x, axis=-1, keepdims=True))

    return t.scores / (lengths(t.q) * lengths(t.k).mT)


def _scaled_weights(t: Trace) -> Array:
    return softmax_along(t.masked, -1, t.xp) * t.scale


def _powered_weights(t: Trace) -> Array:
    return softmax_along(t.masked, -1, t.xp) ** (1.0 / t.scale)


# ---- cap ----


def _uncapped(t: Trace) -> Array:
    return t.scaled


def _mask_then_cap(t: Trace) -> Array:
    masked = hide(t, t.visible)
    return masked if t.softcap is None else t.softcap * t.xp.tanh(masked / t.softcap)


# ---- mix (with a changed score) ----


def _mix_tiled(t: Trace) -> Array:
    return t.weights @ _tiled(t, t.v)


def _mix_keys(t: Trace) -> Array:
    return t.weights @ t.k


def _mix_then_scale(t: Trace) -> Array:
    return (t.weights @ t.v) * t.scale


SCORING = (
    Fault("no_scale", "scale", _unscaled),
    Fault("scale_by_d_k", "scale", _by_d_k),
    Fault("scale_by_sqrt_d_model", "scale", _by_sqrt_d_model),
    Fault("transposed_scores", "score", _transposed),
    Fault("scaled_after_softmax", "scale", _unscaled, also=(("mix", _mix_then_scale),)),
    Fault("swapped_keys_and_values", "score", _queries_with_values, also=(("mix", _mix_keys),)),
    Fault("keys_with_keys", "score", _keys_with_keys),
    Fault("queries_with_queries", "score", _queries_with_queries),
    Fault("raw_input_scores", "score", _inputs_with_inputs),
    Fault("one_big_head", "score", _over_all_heads, also=(("scale", _by_sqrt_of_all_heads),)),
    Fault("tiled_groups", "score", _tiled_keys, also=(("mix", _mix_tiled),)),
    Fault("scale_by_sqrt_length", "scale", _by_sqrt_length),
    Fault("scale_by_sqrt_heads", "scale", _by_sqrt_heads),
    Fault("scale_inverted", "scale", _inverted),
    Fault("cosine_scores", "scale", _cosine),
    Fault("scaled_weights", "scale", _unscaled, also=(("normalise", _scaled_weights),)),
    Fault("weights_to_a_power", "scale", _unscaled, also=(("normalise", _powered_weights),)),
    Fault("cap_ignored", "cap", _uncapped),
    Fault("capped_after_mask", "cap", _uncapped, also=(("mask", _mask_then_cap),)),
)
