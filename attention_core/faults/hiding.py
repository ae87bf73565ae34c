"""Mistakes in what is hidden: direction, polarity, fill, alignment, window, how two masks meet, the bias.

Those of the causal rule do nothing where no causal rule is asked, those of a window nothing without a window,
those of a bias nothing without one.
"""

from collections.abc import Callable

from attention_core import masks
from attention_core.arrays import Array, cast_to
from attention_core.faults.fault import Fault
from attention_core.pipeline import Step, Trace, hide
from attention_core.pipeline import mask as right_mask
from attention_core.softmax import softmax_along

FINITE_FILL = -1e9


def _positions(t: Trace) -> tuple[Array, Array]:
    return masks.positions(t.q.shape[-2], t.k.shape[-2], t.offset, like=t.q, xp=t.xp)


def _rule(t: Trace) -> Array:
    """key ≤ query, or None where no causal rule is asked."""
    rows, columns = _positions(t)
    return None if t.causal is None else columns <= rows


def _near(t: Trace, *, span: masks.Window | None = None, offset: int | None = None) -> Array:
    span = t.window if span is None else span
    if span is None:
        return None
    offset = t.offset if offset is None else offset
    return masks.window(t.q.shape[-2], keys=t.k.shape[-2], span=span, offset=offset, like=t.q)


# ---- the causal rule ----


def _causal_anyway(t: Trace) -> Array:
    rows, columns = _positions(t)
    return hide(t, masks.combine(t.visible, columns <= rows))


def _by_rule(rule: Callable[[Array, Array], Array]) -> Step:
    """The mask step with another rule in place of "key ≤ query"; right where no causal mask is asked."""

    def step(t: Trace) -> Array:
        if t.causal is None:
            return right_mask(t)
        rows, columns = _positions(t)
        return hide(t, masks.combine(t.mask, _near(t), rule(rows, columns)))

    return step


def _other_alignment(t: Trace) -> Array:
    if t.causal is None:
        return right_mask(t)
    queries, keys = t.q.shape[-2], t.k.shape[-2]
    offset = keys - queries if t.causal == "top_left" else 0
    rows, columns = masks.positions(queries, keys, offset, like=t.q, xp=t.xp)
    return hide(t, masks.combine(t.mask, _near(t, offset=offset), columns <= rows))


# ---- any mask ----


def _unmasked(t: Trace) -> Array:
    return hide(t, None)


def _zero_filled(t: Trace) -> Array:
    return hide(t, t.visible, fill=0.0)


def _finite_filled(t: Trace) -> Array:
    return hide(t, t.visible, fill=FINITE_FILL)


def _ones_added(t: Trace) -> Array:
    biased = hide(t, None)
    return biased if t.visible is None else biased + cast_to(t.visible, biased.dtype, t.xp)


def _polarity_inverted(t: Trace) -> Array:
    return hide(t, None if t.visible is None else ~t.visible)


def _rows_hidden(t: Trace) -> Array:
    if t.mask is None:
        return right_mask(t)
    spread = t.xp.broadcast_to(t.mask, (*t.mask.shape[:-2], *t.capped.shape[-2:]))
    filled = hide(t, spread.mT, fill=FINITE_FILL)
    rule = masks.combine(_rule(t), _near(t))
    return filled if rule is None else t.xp.where(rule, filled, -t.xp.inf)


def _softmax_then_mask(t: Trace) -> Array:
    weights = softmax_along(t.masked, -1, t.xp)
    return weights if t.visible is None else t.xp.where(t.visible, weights, 0.0)


# ---- two masks ----


def _causal_only(t: Trace) -> Array:
    return hide(t, masks.combine(_rule(t), _near(t)))


def _padding_only(t: Trace) -> Array:
    return hide(t, t.mask)


def _hidden_by_both(t: Trace) -> Array:
    rule = masks.combine(_rule(t), _near(t))
    if rule is None or t.mask is None:
        return right_mask(t)
    return hide(t, t.mask | rule)


# ---- the window ----


def _windowed(change: Callable[[int], int | None], *, causal: bool = True) -> Step:
    """The mask step with another left reach; `causal=False` also looks as far ahead."""

    def step(t: Trace) -> Array:
        if t.window is None or t.window[0] is None:
            return right_mask(t)
        left = change(t.window[0])
        span = (left, t.window[1] if causal else left)
        return hide(t, masks.combine(t.mask, _near(t, span=span), _rule(t) if causal else None))

    return step


def _without_itself(t: Trace) -> Array:
    if t.window is None:
        return right_mask(t)
    rows, columns = _positions(t)
    return hide(t, masks.combine(t.visible, columns != rows))


# ---- the bias ----


def _biased(factor: Callable[[Trace, int], float]) -> Step:
    """The mask step with each head's bias multiplied; heads count from 1."""

    def step(t: Trace) -> Array:
        if t.bias is None:
            return right_mask(t)
        heads = t.q.shape[-3] if t.q.ndim > 2 else 1
        factors = t.xp.asarray([factor(t, head) for head in range(1, heads + 1)], dtype=t.capped.dtype)
        column = t.xp.reshape(factors, (heads, 1, 1)) if t.q.ndim > 2 else factors[0]
        changed = t.capped + t.bias * column
        return changed if t.visible is None else t.xp.where(t.visible, changed, -t.xp.inf)

    return step


def _slope(t: Trace, head: int) -> float:
    """ALiBi's m_h = 2^(−8h/H), for a power of two of heads."""
    return float(2.0 ** (-8.0 * head / t.q.shape[-3]))


HIDING = (
    Fault("causal_applied", "mask", _causal_anyway),
    Fault("no_mask", "mask", _unmasked),
    Fault("reversed_mask", "mask", _by_rule(lambda row, column: column >= row)),
    Fault("diagonal_hidden", "mask", _by_rule(lambda row, column: column < row)),
    Fault("sees_one_ahead", "mask", _by_rule(lambda row, column: column <= row + 1)),
    Fault("filled_with_zero", "mask", _zero_filled),
    Fault("masked_after_softmax", "mask", _unmasked, also=(("normalise", _softmax_then_mask),)),
    Fault("additive_01_mask", "mask", _ones_added),
    Fault("other_alignment", "mask", _other_alignment),
    Fault("inverted_polarity", "mask", _polarity_inverted),
    Fault("query_rows_masked", "mask", _rows_hidden),
    Fault("finite_fill", "mask", _finite_filled),
    Fault("only_causal", "mask", _causal_only),
    Fault("only_padding", "mask", _padding_only),
    Fault("hidden_by_both", "mask", _hidden_by_both),
    Fault("window_ignored", "mask", _windowed(lambda left: None)),
    Fault("window_one_wider", "mask", _windowed(lambda left: left + 1)),
    Fault("window_two_sided", "mask", _windowed(lambda left: left, causal=False)),
    Fault("window_without_itself", "mask", _without_itself),
    Fault("bias_ignored", "mask", _biased(lambda t, head: 0.0)),
    Fault("bias_sign_flipped", "mask", _biased(lambda t, head: -1.0)),
    Fault("alibi_heads_from_zero", "mask", _biased(lambda t, head: _slope(t, head - 1) / _slope(t, head))),
    Fault("alibi_slope_by_head", "mask", _biased(lambda t, head: 2.0**-head / _slope(t, head))),
    Fault("alibi_without_slope", "mask", _biased(lambda t, head: 1.0 / _slope(t, head))),
)
