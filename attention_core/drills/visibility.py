"""Probes of what must be seen and what must not: time, padding, windows, both at once."""

from collections.abc import Iterator

import numpy as np

from attention_core.drills.examples import ALL, CAUSAL, LENGTH, PADDED, PLAIN, SHIFT, WIDTH, moved, still
from attention_core.drills.probe import Call, Probe, apart


def time() -> Iterator[Probe]:
    """The causal rule, its alignment with a cache, the window."""
    yield Probe("next_token_leaks", (CAUSAL, CAUSAL.with_tokens(2, shift=SHIFT)), moved([1]))
    yield Probe("distant_future_leaks", (CAUSAL, CAUSAL.with_tokens(4, shift=SHIFT)), moved([1]))
    yield Probe("own_token_unseen", (CAUSAL, CAUSAL.with_tokens(2, shift=SHIFT)), still([2]))
    yield Probe("past_unseen", (CAUSAL, CAUSAL.with_tokens(0, shift=SHIFT)), still([3]))
    yield Probe("causal_without_being_asked", (PLAIN, PLAIN.with_tokens(4, shift=SHIFT)), still([1]))
    full = PLAIN.asking(causal="bottom_right")
    last = Call(full.q[-1:], full.k, full.v, full.options)
    yield Probe("cached_row_differs", (full, last), lambda o: apart(o[0][-1:], o[1]))
    near = CAUSAL.asking(window=(1, 0))
    yield Probe("window_leaks", (near, near.with_tokens(1, shift=SHIFT)), moved([4]))
    yield Probe("window_one_too_wide", (near, near.with_tokens(2, shift=SHIFT)), moved([4]))
    yield Probe("window_looks_ahead", (near, near.with_tokens(3, shift=SHIFT)), moved([2]))
    yield Probe("window_without_its_own_token", (near, near.with_tokens(3, shift=SHIFT)), still([3]))


def hiding() -> Iterator[Probe]:
    """Padding, rows that see nothing, padding beside the causal rule."""
    yield Probe("hidden_keys_leak", (PADDED, PADDED.with_keys(3, 4, shift=SHIFT)), moved(ALL))
    yield Probe("hidden_values_leak", (PADDED, PADDED.with_values(3, 4, shift=SHIFT)), moved([0, 1, 2]))
    yield Probe("padded_queries_unlike", (PADDED, PADDED.with_values(3, 4, shift=SHIFT)), moved([3, 4]))
    yield Probe("visible_tokens_unseen", (PADDED, PADDED.with_tokens(1, shift=SHIFT)), still(ALL))
    yield Probe("mask_does_nothing", (PLAIN, PADDED), still(ALL))
    blind = PLAIN.asking(mask=np.arange(LENGTH)[:, None] != 1)
    yield Probe("not_a_number", (blind,), lambda o: not bool(np.isfinite(o[0]).all()))
    yield Probe("unseeing_row_not_zero", (blind,), lambda o: apart(o[0][1], np.zeros(WIDTH)))
    both = CAUSAL.asking(mask=np.arange(LENGTH) > 0)
    yield Probe("padding_leaks_beside_causal", (both, both.with_tokens(0, shift=SHIFT)), moved([1, 2]))
    yield Probe("future_leaks_beside_padding", (both, both.with_tokens(4, shift=SHIFT)), moved([1, 2]))
