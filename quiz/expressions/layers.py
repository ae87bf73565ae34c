"""The words for what stands around attention: norms, feed-forward, positions, heads, similarity, training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_core import feedforward, gradients, norms, similarity, tiling, training
from attention_core import positions as places
from attention_core.heads import merge, split
from attention_core.softmax import entropy, log_softmax, log_sum_exp, softmax
from attention_core.softmax import online as online_softmax
from quiz.expressions import limits
from quiz.expressions.errors import ExpressionError
from quiz.expressions.values import Function, Namespace, Value, check_shape
from quiz.expressions.wrapping import check_length, core, numbers_only, whole_numbers

_ACTIVATIONS = {"relu": feedforward.relu, "gelu": feedforward.gelu, "silu": feedforward.silu}


def feed_forward(
    x: Value, w1: Value, w2: Value, *, b1: Value = None, b2: Value = None, activation: str = "relu"
) -> Value:
    """`attention_core`'s, its activation by name: "relu", "gelu", "silu", or "none" for none at all."""
    bend: Callable[[Any], Any] = (lambda z: z) if activation == "none" else _chosen(activation)
    return feedforward.feed_forward(x, w1, w2, b1=b1, b2=b2, activation=bend)


def _chosen(activation: str) -> Callable[[Any], Any]:
    if activation not in _ACTIVATIONS:
        known = ", ".join([*_ACTIVATIONS, "none"])
        raise ExpressionError(f"the activation {activation!r} is not known", expected=known)
    return _ACTIVATIONS[activation]


def sinusoidal(positions: Value, width: int) -> Value:
    """One row for a position, a matrix for several."""
    numbers_only(positions)
    check_length(width, limits.ELEMENTS)
    check_shape((*np.shape(positions), width))
    return places.sinusoidal(np.asarray(positions), width)


def rope(x: Value, positions: Value, **options: Value) -> Value:
    """Rows (…, n, D) at positions (n,); one vector at one position too."""
    if np.ndim(x) == 1 and np.ndim(positions) == 0:
        return places.rope(np.asarray(x)[None, :], np.asarray([positions]), **options)[0]
    return places.rope(x, positions, **options)


def alibi_slopes(heads: int) -> Value:
    check_length(heads)
    return places.alibi_slopes(heads)


def alibi_bias(heads: int, queries: int, keys: int, *, offset: int = 0) -> Value:
    for length in (heads, queries, keys):
        check_length(length)
    check_shape((heads, queries, keys))
    return places.alibi_bias(heads, queries, keys, offset=offset)


def additive_scores(q: Value, k: Value, *, w_q: Value, w_k: Value, v: Value) -> Value:
    if math.prod((np.shape(q)[-2:-1] or (1,)) + (np.shape(k)[-2:-1] or (1,)) + np.shape(v)) > 1_000_000:
        raise ExpressionError("too many pairs for an additive score", expected="fewer rows")
    return similarity.additive_scores(q, k, w_q=w_q, w_k=w_k, v=v)


def online(scores: Value, *, block: int, values: Value = None) -> Mapping[str, Value]:
    """A row of scores, block by block: .m and .l (one entry a block) and, with values, .o (a row a block)."""
    if np.ndim(scores) != 1:
        raise ExpressionError("online softmax takes one row of scores here", expected="a vector")
    check_length(block)
    states = list(online_softmax(scores, block=block, values=values))
    told = {"m": [float(s.maximum[0]) for s in states], "l": [float(s.total[0]) for s in states]}
    found = {name: np.asarray(entries) for name, entries in told.items()}
    return (
        found if values is None else {**found, "o": np.stack([np.asarray(s.output).ravel() for s in states])}
    )


def tile_count(queries: int, *, keys: int, rows: int, columns: int, causal: str | None = None) -> int:
    for length in (queries, keys, rows, columns):
        check_length(length, 2**40)
    if math.ceil(queries / rows) * math.ceil(keys / columns) > 1_000_000:
        raise ExpressionError("too many tiles", expected="at most 1,000,000")
    return tiling.tile_count(queries, keys=keys, rows=rows, columns=columns, causal=causal)


def split_heads(x: Value, *, heads: int) -> Value:
    check_length(heads)
    return split(x, heads=heads)


def smooth_targets(labels: Value, *, classes: int, epsilon: float, form: str = "all") -> Value:
    check_length(classes)
    known = whole_numbers(labels, "the labels")
    return training.smooth_targets(known, classes=classes, epsilon=epsilon, form=form)


def cross_entropy(
    logits: Value, labels: Value, *, epsilon: float = 0.0, form: str = "all", ignore: int | None = None
) -> Value:
    known = whole_numbers(labels, "the labels")
    return training.cross_entropy(logits, known, epsilon=epsilon, form=form, ignore=ignore)


def dropout(x: Value, *, p: float, keep: Value = None) -> Value:
    """`keep` says which entries stay (True or 1); without it nothing is dropped, as in evaluation."""
    return training.dropout(x, p=p, keep=None if keep is None else np.asarray(keep) != 0)


def supervised_positions(lengths: Value) -> int:
    return training.supervised_positions(whole_numbers(lengths, "the lengths").tolist())


LAYERS: Mapping[str, Value] = {
    "layer_norm": core(norms.layer_norm), "rms_norm": core(norms.rms_norm),
    "relu": core(feedforward.relu), "gelu": core(feedforward.gelu), "silu": core(feedforward.silu),
    "swiglu": core(feedforward.swiglu), "feed_forward": core(feed_forward),
    "sinusoidal": Function(sinusoidal), "rope": core(rope),
    "alibi_slopes": Function(alibi_slopes), "alibi_bias": Function(alibi_bias),
    "softmax": core(softmax), "log_softmax": core(log_softmax),
    "log_sum_exp": core(log_sum_exp), "entropy": core(entropy),
    "softmax_jacobian": core(gradients.softmax_jacobian), "online": core(online),
    "dot_scores": core(similarity.dot_scores), "additive_scores": core(additive_scores),
    "split_heads": core(split_heads), "merge_heads": core(merge),
    "tile_count": Function(tile_count),
    "training": Namespace({
        "noam_rate": Function(training.noam_rate),
        "smooth_targets": core(smooth_targets),
        "cross_entropy": core(cross_entropy), "perplexity": core(training.perplexity),
        "dropout": core(dropout), "supervised_positions": core(supervised_positions),
    }),
}  # fmt: skip
