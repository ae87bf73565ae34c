"""What can be seen of a mistake from outside: the checks one runs on an implementation that may be broken.

Each symptom is an experiment on `follow` that the right pipeline passes: change what must not matter and look
whether anything moved, or look for a promise that is not kept.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Unpack

import numpy as np

from attention_core.faults.probing import CONTRAST, differs, wave
from attention_core.inputs import Inputs, Options
from attention_core.pipeline import Steps, Trace, follow, prepare, prepare_from_x

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
UNFIT = "shapes_do_not_fit"
_MOVED = 1e-6
_X, *_MATRICES = (np.array(part, dtype=np.float64) for part in CONTRAST)
_SHIFT = np.array([0.7, -0.4])
_PADDED = np.array([True, True, False])


def _future_leaks(steps: Steps) -> bool:
    """With a causal rule, another last token changes an earlier row."""
    later = _X.copy()
    later[-1] += [1.0, -2.0, 0.5]
    first, second = (_run(steps, x, causal="top_left").output for x in (_X, later))
    return differs(first[:-1], second[:-1]) > _MOVED


def _past_unseen(steps: Steps) -> bool:
    """With a causal rule, another first token leaves the last row as it was."""
    earlier = _X.copy()
    earlier[0] += [1.0, -2.0, 0.5]
    first, second = (_run(steps, x, causal="top_left").output for x in (_X, earlier))
    return differs(first[-1:], second[-1:]) <= _MOVED


def _padding_matters(steps: Steps) -> bool:
    """Other numbers in a padded token change the output of the real ones."""
    other = _X.copy()
    other[-1] += [1.0, -2.0, 0.5]
    first, second = (_run(steps, x, mask=_PADDED).output for x in (_X, other))
    return differs(first[:-1], second[:-1]) > _MOVED


def _masks_do_not_meet(steps: Steps) -> bool:
    """With a causal rule and padding on the left, a padded token changes a real row."""
    other = _X.copy()
    other[0] += [1.0, -2.0, 0.5]
    traces = (_run(steps, x, mask=_PADDED[::-1], causal="top_left") for x in (_X, other))
    first, second = (t.output for t in traces)
    return differs(first[1:], second[1:]) > _MOVED


def _cached_row_differs(steps: Steps) -> bool:
    """The last query alone, over all keys, gets another row than in the full causal pass."""
    q, k, v = (wave(3, 2, phase=float(phase)) for phase in (1, 2, 3))
    full = follow(_self_attending(q, k, v, causal="bottom_right"), steps).output
    alone = follow(_self_attending(q[-1:], k, v, causal="bottom_right"), steps).output
    return differs(full[-1:], alone) > _MOVED


def _window_leaks(steps: Steps) -> bool:
    """A key outside the window changes the output."""
    q, k, v = (wave(3, 2, phase=float(phase)) for phase in (1, 2, 3))
    other = v.copy()
    other[0] += _SHIFT
    runs = (follow(_self_attending(q, k, x, causal="top_left", window=(1, 0)), steps) for x in (v, other))
    first, second = (t.output for t in runs)
    return differs(first[-1], second[-1]) > _MOVED


def _rows_do_not_sum_to_one(steps: Steps) -> bool:
    """Some row of weights, of a query that sees a key, sums to something else than 1."""
    traces = [_run(steps, _X), _run(steps, _X, causal="top_left"), _run(steps, _X, mask=_PADDED)]
    return any(differs(t.weights.sum(axis=-1), np.ones(3)) > _MOVED for t in traces)


def _negative_weights(steps: Steps) -> bool:
    """Some weight is below 0."""
    return bool((_run(steps, _X).weights < 0).any())


def _not_finite(steps: Steps) -> bool:
    """NaN or infinity where a query sees no key."""
    return not np.isfinite(_unseeing(steps)).all()


def _unseeing_row_not_zero(steps: Steps) -> bool:
    """A query that sees no key gets something else than zeros."""
    return differs(_unseeing(steps), np.zeros(2)) > _MOVED


def _key_order_matters(steps: Steps) -> bool:
    """Without a mask, the same keys and values in another order give another output."""
    q, k, v = (wave(3, 2, phase=float(phase)) for phase in (1, 2, 3))
    order = [2, 0, 1]
    first = follow(_self_attending(q, k, v), steps).output
    second = follow(_self_attending(q, k[order], v[order]), steps).output
    return differs(first, second) > _MOVED


def _common_shift_matters(steps: Steps) -> bool:
    """One vector added to all keys changes the output, though it adds one number to each row of scores."""
    q, k, v = (wave(3, 2, phase=float(phase)) for phase in (1, 2, 3))
    first, second = (follow(_self_attending(q, keys, v), steps).output for keys in (k, k + _SHIFT))
    return differs(first, second) > _MOVED


def _outside_the_values(steps: Steps) -> bool:
    """An output beyond the smallest or largest value of its column: no average of them."""
    t = _run(steps, _X)
    low, high = t.v.min(axis=0), t.v.max(axis=0)
    return bool(((t.output < low - _MOVED) | (t.output > high + _MOVED)).any())


def _queries_do_not_matter(steps: Steps) -> bool:
    """Other queries give the same output."""
    q, k, v = (wave(3, 2, phase=float(phase)) for phase in (1, 2, 3))
    first, second = (follow(_self_attending(x, k, v), steps).output for x in (q, q + _SHIFT))
    return differs(first, second) <= _MOVED


def _self_attending(q: Numbers, k: Numbers, v: Numbers, **options: Unpack[Options]) -> Inputs:
    """With an x of its own (all queries' inputs the same), for the steps that ask for the model width."""
    inputs = prepare(q, k, v, **options)
    inputs.x = np.ones((q.shape[0], 3))
    return inputs


def _run(steps: Steps, x: Numbers, **options: Unpack[Options]) -> Trace:
    with np.errstate(all="ignore"):
        return follow(prepare_from_x(x, *_MATRICES, **options), steps)


def _unseeing(steps: Steps) -> Numbers:
    mask = np.array([[False, False, False], [True, True, True], [True, True, True]])
    first: Numbers = _run(steps, _X, mask=mask).output[0]
    return first


SYMPTOMS: Mapping[str, Callable[[Steps], bool]] = MappingProxyType(
    {
        "future_leaks": _future_leaks,
        "past_unseen": _past_unseen,
        "padding_matters": _padding_matters,
        "masks_do_not_meet": _masks_do_not_meet,
        "cached_row_differs": _cached_row_differs,
        "window_leaks": _window_leaks,
        "rows_do_not_sum_to_one": _rows_do_not_sum_to_one,
        "negative_weights": _negative_weights,
        "not_finite": _not_finite,
        "unseeing_row_not_zero": _unseeing_row_not_zero,
        "key_order_matters": _key_order_matters,
        "common_shift_matters": _common_shift_matters,
        "outside_the_values": _outside_the_values,
        "queries_do_not_matter": _queries_do_not_matter,
    }
)


def symptoms(steps: Steps) -> frozenset[str]:
    """The names of the symptoms that this pipeline shows; none for the right one.

    "shapes_do_not_fit" stands for an experiment that could not be made, because values are not as wide as
    there are keys.

    >>> from attention_core.faults import steps_with
    >>> sorted(symptoms(steps_with("only_padding")))
    ['future_leaks', 'window_leaks']
    """
    with np.errstate(all="ignore"):
        return frozenset(found for name in SYMPTOMS if (found := _found(name, steps)) is not None)


def _found(name: str, steps: Steps) -> str | None:
    try:
        return name if SYMPTOMS[name](steps) else None
    except ValueError:
        return UNFIT
