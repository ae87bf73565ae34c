"""The probes: experiments that attention passes and that each drillable mistake fails in its own way.

Most change what must not matter and look whether the output moved; some keep a promise of the definition
(rows of weights sum to 1, the output lies between the values); a few read the weights themselves, by taking
the identity matrix for the values.
"""

from collections.abc import Iterator

import numpy as np

from attention_core.drills.probe import CHANGED, Call, Numbers, Probe, Shows, apart
from attention_core.faults.probing import wave

_LENGTH, _WIDTH = 5, 4
_SHIFT = np.array([0.9, -0.7, 0.5, 1.1])
_ORDER = [3, 0, 4, 1, 2]

_Q, _K, _V = (wave(_LENGTH, _WIDTH, phase=float(phase)) / 2 for phase in (1, 2, 3))
PLAIN = Call(_Q, _K, _V)
CAUSAL = PLAIN.asking(causal="top_left")
PADDED = PLAIN.asking(mask=np.arange(_LENGTH) < 3)
ONES = np.ones((_LENGTH, 1)) * np.ones(_WIDTH)


def _read(call: Call) -> Call:
    """The same call with the identity for the values: its output is the matrix of weights."""
    return Call(call.q, call.k, np.eye(call.k.shape[-2]), call.options)


def _moved(rows: list[int]) -> Shows:
    return lambda outputs: apart(outputs[0][..., rows, :], outputs[1][..., rows, :])


def _still(rows: list[int]) -> Shows:
    return lambda outputs: not apart(outputs[0][..., rows, :], outputs[1][..., rows, :])


_ALL = list(range(_LENGTH))


def _promises() -> Iterator[Probe]:
    yield Probe("two_calls_differ", (PLAIN, PLAIN), _moved(_ALL))
    yield Probe("rows_do_not_sum_to_one", (Call(PLAIN.q, PLAIN.k, ONES),), lambda o: apart(o[0], ONES))
    yield Probe(
        "visible_weights_do_not_sum_to_one",
        (Call(CAUSAL.q, CAUSAL.k, ONES, CAUSAL.options),),
        lambda o: apart(o[0], ONES),
    )
    yield Probe("outside_the_values", (PLAIN,), lambda o: _outside(o[0], PLAIN.v))
    yield Probe("negative_weights", (_read(PLAIN),), lambda o: bool((o[0] < -CHANGED).any()))
    doubled = Call(PLAIN.q, PLAIN.k, 2 * PLAIN.v)
    yield Probe("not_proportional_to_the_values", (PLAIN, doubled), lambda o: apart(2 * o[0], o[1]))


def _outside(output: Numbers, values: Numbers) -> bool:
    low, high = values.min(axis=0) - CHANGED, values.max(axis=0) + CHANGED
    return bool(((output < low) | (output > high)).any())


def _operands() -> Iterator[Probe]:
    other_keys = PLAIN.with_keys(1, shift=_SHIFT)
    other_values = PLAIN.with_values(*_ALL, shift=_SHIFT)
    other_query = Call(PLAIN.q + np.eye(_LENGTH)[:, [2]] * _SHIFT, PLAIN.k, PLAIN.v)
    yield Probe("queries_do_not_matter", (PLAIN, other_query), _still([2]))
    yield Probe("keys_do_not_matter", (PLAIN, other_keys), _still(_ALL))
    yield Probe("values_do_not_matter", (PLAIN, other_values), _still(_ALL))
    yield Probe("other_queries_matter", (PLAIN, other_query), _moved([0, 1, 3, 4]))
    moved = Call(PLAIN.q, PLAIN.k[_ORDER], PLAIN.v[_ORDER])
    yield Probe("key_order_matters", (PLAIN, moved), _moved(_ALL))
    yield Probe("common_shift_matters", (PLAIN, PLAIN.with_keys(*_ALL, shift=_SHIFT)), _moved(_ALL))


def _sharpness() -> Iterator[Probe]:
    """Two keys whose products with the query differ by 3: ln(w₀/w₁) must be 3/√4."""
    call = _read(Call(np.eye(1, _WIDTH), np.array([[2.0, 0, 1, 0], [-1.0, 1, 0, 0]]), np.zeros((2, 1))))

    def ratio(output: Numbers) -> float:
        first, second = output[0]
        return float(np.log(first / second)) if first > 0 and second > 0 else np.inf

    yield Probe("too_sharp", (call,), lambda o: ratio(o[0]) > 1.5 + CHANGED)
    yield Probe("too_flat", (call,), lambda o: ratio(o[0]) < 1.5 - CHANGED)
    asked = call.asking(scale=0.1)
    yield Probe("scale_argument_does_nothing", (call, asked), _still([0]))
    heads = Call(np.stack([call.q] * 3), np.stack([call.k] * 3), np.stack([call.v] * 3))
    yield Probe("sharpness_depends_on_the_heads", (call, heads), lambda o: apart(o[0], o[1][0]))
    longer = Call(call.q, np.concatenate([call.k, np.zeros((2, _WIDTH))]), np.eye(4), {})
    yield Probe(
        "sharpness_depends_on_the_length",
        (call, longer),
        lambda o: abs(ratio(o[0]) - ratio(o[1][:, :2])) > CHANGED,
    )


def _time() -> Iterator[Probe]:
    yield Probe("next_token_leaks", (CAUSAL, CAUSAL.with_tokens(2, shift=_SHIFT)), _moved([1]))
    yield Probe("distant_future_leaks", (CAUSAL, CAUSAL.with_tokens(4, shift=_SHIFT)), _moved([1]))
    yield Probe("own_token_unseen", (CAUSAL, CAUSAL.with_tokens(2, shift=_SHIFT)), _still([2]))
    yield Probe("past_unseen", (CAUSAL, CAUSAL.with_tokens(0, shift=_SHIFT)), _still([3]))
    yield Probe("causal_without_being_asked", (PLAIN, PLAIN.with_tokens(4, shift=_SHIFT)), _still([1]))
    full = PLAIN.asking(causal="bottom_right")
    last = Call(full.q[-1:], full.k, full.v, full.options)
    yield Probe("cached_row_differs", (full, last), lambda o: apart(o[0][-1:], o[1]))
    near = CAUSAL.asking(window=(1, 0))
    yield Probe("window_leaks", (near, near.with_tokens(1, shift=_SHIFT)), _moved([4]))
    yield Probe("window_one_too_wide", (near, near.with_tokens(2, shift=_SHIFT)), _moved([4]))
    yield Probe("window_looks_ahead", (near, near.with_tokens(3, shift=_SHIFT)), _moved([2]))
    yield Probe("window_without_its_own_token", (near, near.with_tokens(3, shift=_SHIFT)), _still([3]))


def _hiding() -> Iterator[Probe]:
    yield Probe("hidden_keys_leak", (PADDED, PADDED.with_keys(3, 4, shift=_SHIFT)), _moved(_ALL))
    yield Probe("hidden_values_leak", (PADDED, PADDED.with_values(3, 4, shift=_SHIFT)), _moved([0, 1, 2]))
    yield Probe("padded_queries_unlike", (PADDED, PADDED.with_values(3, 4, shift=_SHIFT)), _moved([3, 4]))
    yield Probe("visible_tokens_unseen", (PADDED, PADDED.with_tokens(1, shift=_SHIFT)), _still(_ALL))
    yield Probe("mask_does_nothing", (PLAIN, PADDED), _still(_ALL))
    blind = PLAIN.asking(mask=np.arange(_LENGTH)[:, None] != 1)
    yield Probe("not_a_number", (blind,), lambda o: not bool(np.isfinite(o[0]).all()))
    yield Probe("unseeing_row_not_zero", (blind,), lambda o: apart(o[0][1], np.zeros(_WIDTH)))
    both = CAUSAL.asking(mask=np.arange(_LENGTH) > 0)
    yield Probe("padding_leaks_beside_causal", (both, both.with_tokens(0, shift=_SHIFT)), _moved([1, 2]))
    yield Probe("future_leaks_beside_padding", (both, both.with_tokens(4, shift=_SHIFT)), _moved([1, 2]))


def _extras() -> Iterator[Probe]:
    raised = np.zeros(_LENGTH)
    raised[2] = 2.0
    biased = _read(PLAIN.asking(bias=raised))
    yield Probe("bias_does_nothing", (_read(PLAIN), biased), _still(_ALL))
    yield Probe("bias_reversed", (_read(PLAIN), biased), lambda o: bool((o[1][:, 2] < o[0][:, 2]).all()))
    capped = PLAIN.asking(softcap=0.2)
    yield Probe("soft_cap_does_nothing", (PLAIN, capped), _still(_ALL))
    both = PADDED.asking(softcap=0.2)
    yield Probe("hidden_values_leak_under_a_cap", (both, both.with_values(3, 4, shift=_SHIFT)), _moved([0]))
    q, k, v = (wave(heads, 3, _WIDTH, phase=phase) / 2 for heads, phase in ((4, 1.0), (2, 2.0), (2, 3.0)))
    grouped = Call(q, k, v)
    second = np.zeros((2, 1, 1))
    second[1] = 1.0
    other = Call(grouped.q, grouped.k + second * _SHIFT, grouped.v + second * _SHIFT)
    yield Probe("groups_meet_other_heads", (grouped, other), lambda o: apart(o[0][:2], o[1][:2]))
    first = np.zeros((4, 1, 1))
    first[0] = 1.0
    asked = Call(grouped.q + first * _SHIFT, grouped.k, grouped.v)
    yield Probe("heads_mix", (grouped, asked), lambda o: apart(o[0][1:], o[1][1:]))


def all_probes() -> Iterator[Probe]:
    """Every probe, in the order in which one would try them."""
    for kind in (_promises, _operands, _sharpness, _time, _hiding, _extras):
        yield from kind()
