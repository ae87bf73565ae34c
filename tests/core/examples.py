"""The chapter's walk-through and the contrast example, typed, with their answers by hand formulas.

Nothing here comes from attention_core: products are sums over Python integers and the rest is math.exp, so
that the library is compared with the textbook and not with itself.
"""

import math

import numpy as np

CHAPTER = {
    "x": [[1, 0], [0, 1], [1, 1]],
    "w_q": [[1, 0], [1, 1]],
    "w_k": [[0, 1], [1, 0]],
    "w_v": [[1, 0], [0, 1]],
}
CONTRAST = {
    "x": [[0, 0, 1], [1, 0, 2], [2, 1, 0]],
    "w_q": [[1, 0], [-1, 0], [0, 1]],
    "w_k": [[0, -1], [1, 0], [-1, 0]],
    "w_v": [[1, -1], [1, -1], [-1, 0]],
}


def product(a, b):
    return [[math.fsum(x * b[i][j] for i, x in enumerate(row)) for j in range(len(b[0]))] for row in a]


def turned(a):
    return [list(column) for column in zip(*a, strict=True)]


def shares(row):
    exponentials = [math.exp(x) for x in row]
    return [e / math.fsum(exponentials) for e in exponentials]


def by_hand(example, *, causal=False):
    """q, k, v, scores, scaled, masked, weights, output of one example."""
    q, k, v = (product(example["x"], example[name]) for name in ("w_q", "w_k", "w_v"))
    scores = product(q, turned(k))
    scaled = [[s / math.sqrt(len(q[0])) for s in row] for row in scores]
    masked = [
        [s if j <= i or not causal else -math.inf for j, s in enumerate(row)] for i, row in enumerate(scaled)
    ]
    weights = [shares(row) for row in masked]
    return {
        "q": q,
        "k": k,
        "v": v,
        "scores": scores,
        "scaled": scaled,
        "masked": masked,
        "weights": weights,
        "output": product(weights, v),
    }


def arrays(example):
    return {name: np.array(value, dtype=np.float64) for name, value in example.items()}


def drawn(seed, *shapes):
    """Standard normal arrays."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]
