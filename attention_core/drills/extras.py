"""Probes of bias and soft cap, and of heads: which meet which keys, and which must not mix."""

from collections.abc import Iterator

import numpy as np

from attention_core.drills.examples import ALL, LENGTH, PADDED, PLAIN, SHIFT, WIDTH, moved, read, still
from attention_core.drills.probe import Call, Probe, apart
from attention_core.faults.probing import wave


def extras() -> Iterator[Probe]:
    """Bias, soft cap, groups of heads, and heads that must not mix."""
    raised = np.zeros(LENGTH)
    raised[2] = 2.0
    biased = read(PLAIN.asking(bias=raised))
    yield Probe("bias_does_nothing", (read(PLAIN), biased), still(ALL))
    yield Probe("bias_reversed", (read(PLAIN), biased), lambda o: bool((o[1][:, 2] < o[0][:, 2]).all()))
    capped = PLAIN.asking(softcap=0.2)
    yield Probe("soft_cap_does_nothing", (PLAIN, capped), still(ALL))
    both = PADDED.asking(softcap=0.2)
    yield Probe("hidden_values_leak_under_a_cap", (both, both.with_values(3, 4, shift=SHIFT)), moved([0]))
    q, k, v = (wave(heads, 3, WIDTH, phase=phase) / 2 for heads, phase in ((4, 1.0), (2, 2.0), (2, 3.0)))
    grouped = Call(q, k, v)
    second = np.zeros((2, 1, 1))
    second[1] = 1.0
    other = Call(grouped.q, grouped.k + second * SHIFT, grouped.v + second * SHIFT)
    yield Probe("groups_meet_other_heads", (grouped, other), lambda o: apart(o[0][:2], o[1][:2]))
    first = np.zeros((4, 1, 1))
    first[0] = 1.0
    asked = Call(grouped.q + first * SHIFT, grouped.k, grouped.v)
    yield Probe("heads_mix", (grouped, asked), lambda o: apart(o[0][1:], o[1][1:]))
