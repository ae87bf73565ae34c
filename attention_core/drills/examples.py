"""The calls that the probes start from, and what most of them look for."""

import numpy as np

from attention_core.drills.probe import Call, Shows, apart
from attention_core.faults.probing import wave

LENGTH, WIDTH = 5, 4
SHIFT = np.array([0.9, -0.7, 0.5, 1.1])
ORDER = [3, 0, 4, 1, 2]

_Q, _K, _V = (wave(LENGTH, WIDTH, phase=float(phase)) / 2 for phase in (1, 2, 3))
PLAIN = Call(_Q, _K, _V)
CAUSAL = PLAIN.asking(causal="top_left")
PADDED = PLAIN.asking(mask=np.arange(LENGTH) < 3)
ONES = np.ones((LENGTH, 1)) * np.ones(WIDTH)


def read(call: Call) -> Call:
    """The same call with the identity for the values: its output is the matrix of weights."""
    return Call(call.q, call.k, np.eye(call.k.shape[-2]), call.options)


def moved(rows: list[int]) -> Shows:
    """These rows of the second output differ from those of the first."""
    return lambda outputs: apart(outputs[0][..., rows, :], outputs[1][..., rows, :])


def still(rows: list[int]) -> Shows:
    """These rows of the second output are those of the first."""
    return lambda outputs: not apart(outputs[0][..., rows, :], outputs[1][..., rows, :])


ALL = list(range(LENGTH))
