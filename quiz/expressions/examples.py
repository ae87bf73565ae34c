"""The worked examples by name, every matrix computed from the few that are typed.

The chapter's example is symmetric in several places and so cannot show some mistakes; the contrast example is
one in which every known mistake gives other numbers. The cross example has 2 queries and 3 keys.
"""

from __future__ import annotations

from attention_core import pipeline
from quiz.expressions.values import Namespace, array_of

CHAPTER = {
    "X": [[1, 0], [0, 1], [1, 1]],
    "W_Q": [[1, 0], [1, 1]],
    "W_K": [[0, 1], [1, 0]],
    "W_V": [[1, 0], [0, 1]],
}
CONTRAST = {
    "X": [[0, 0, 1], [1, 0, 2], [2, 1, 0]],
    "W_Q": [[1, 0], [-1, 0], [0, 1]],
    "W_K": [[0, -1], [1, 0], [-1, 0]],
    "W_V": [[1, -1], [1, -1], [-1, 0]],
}
CROSS = {
    "Q": [[1, 0], [0, 2]],
    "K": [[1, 0], [0, 1], [1, 1]],
    "V": [[1, 0], [0, 2], [3, 1]],
}


def example(inputs: dict[str, list[list[int]]]) -> Namespace:
    """From X and its projections, or from Q, K and V, to every matrix on the way; causal ones if square."""
    given = {name: array_of(rows) for name, rows in inputs.items()}
    if "X" in given:
        given |= {letter: given["X"] @ given[f"W_{letter}"] for letter in "QKV"}
    q, k, v = given["Q"], given["K"], given["V"]
    whole = pipeline.trace(q, k, v)
    found = {"S": whole["scores"], "scaled": whole["scaled"], "A": whole["weights"], "out": whole["output"]}
    if len(q) != len(k):
        return Namespace({**given, **found})
    masked = pipeline.trace(q, k, v, causal="top_left")
    causal = {"masked": masked["masked"], "A": masked["weights"], "out": masked["output"]}
    return Namespace({**given, **found, "causal": Namespace(causal)})
