"""What training adds around the network: shifted targets, a warm-up schedule, label smoothing, dropout, loss.

A causal decoder is trained on every position at once: fed the right tokens so far (teacher forcing), each
position is asked for the next one. So inputs and labels are the same sequence, one place apart.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.arrays import Array, Namespace, namespace_of, read_floats, shape_of
from attention_core.errors import NumericalError, ShapeError
from attention_core.softmax import log_softmax

SMOOTHINGS = ("all", "others", "others_but_padding")


def shift_right(tokens: Array, *, bos: int, eos: int) -> tuple[Array, Array]:
    """(inputs, labels): inputs are ⟨bos⟩ t₁ … t_n, labels t₁ … t_n ⟨eos⟩. tokens (..., n) whole numbers.

    >>> inputs, labels = shift_right([7, 8, 9], bos=1, eos=2)
    >>> inputs.tolist(), labels.tolist()
    ([1, 7, 8, 9], [7, 8, 9, 2])
    """
    xp = namespace_of(tokens=tokens)
    tokens = np.asarray(tokens) if xp is np else tokens
    if not _integral(tokens, xp) or tokens.ndim < 1:
        raise ShapeError("tokens", f"{tokens.dtype} of shape {shape_of(tokens)}", "(..., n) whole numbers")
    column = tokens[..., :1] if tokens.shape[-1] else xp.zeros((*tokens.shape[:-1], 1), dtype=tokens.dtype)
    first, last = xp.full_like(column, bos), xp.full_like(column, eos)
    return xp.concat([first, tokens], axis=-1), xp.concat([tokens, last], axis=-1)


def supervised_positions(lengths: Sequence[int]) -> int:
    """Σ (n − 1): the next-token losses of a batch of sequences with these real lengths (no padding).

    >>> supervised_positions([5, 3, 1])
    6
    """
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0 for n in lengths):
        raise ShapeError("lengths", str(list(lengths)), "whole numbers ≥ 0")
    return sum(max(0, int(n) - 1) for n in lengths)


def noam_rate(step: int, *, d_model: int, warmup: int) -> float:
    """d^−½ · min(t^−½, t · w^−³ᐟ²): rises linearly for w steps, then falls as 1/√t. Steps count from 1.

    The peak is at t = w. Source: Vaswani et al. 2017, section 5.3.

    >>> f"{noam_rate(4000, d_model=512, warmup=4000):.3e}"
    '6.988e-04'
    """
    for name, value in (("step", step), ("d_model", d_model), ("warmup", warmup)):
        if value < 1:
            raise NumericalError(name, str(value), "at least 1")
    return float(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


def smooth_targets(labels: Array, *, classes: int, epsilon: float, form: str = "all") -> Array:
    """The target distribution (..., K) of labels (...). Three forms go by the name of label smoothing:

    "all"                  true 1 − ε + ε/K, others ε/K: ε is spread over all K (PyTorch; Szegedy et al. 2016)
    "others"               true 1 − ε, others ε/(K − 1) (tensor2tensor)
    "others_but_padding"   true 1 − ε, others ε/(K − 2), class 0 (padding) 0 (The Annotated Transformer)

    >>> [round(p, 3) for p in smooth_targets([1], classes=5, epsilon=0.1)[0].tolist()]
    [0.02, 0.92, 0.02, 0.02, 0.02]
    """
    xp = namespace_of(labels=labels)
    labels = _read_labels(labels, classes, xp)
    if not 0 <= epsilon < 1:
        raise NumericalError("epsilon", str(epsilon), "0 ≤ ε < 1")
    true = _one_hot(labels, classes, xp)
    if form == "all":
        return true * (1.0 - epsilon) + epsilon / classes
    if form == "others":
        return true * (1.0 - epsilon) + (1.0 - true) * (epsilon / (classes - 1))
    if form == "others_but_padding":
        spread = xp.where(true == 1.0, 1.0 - epsilon, epsilon / (classes - 2))
        padding = _one_hot(xp.zeros_like(labels), classes, xp) == 1.0
        return xp.where(padding, 0.0, spread)
    raise ShapeError("form", repr(form), " or ".join(SMOOTHINGS))


def cross_entropy(
    logits: Array, labels: Array, *, epsilon: float = 0.0, form: str = "all", ignore: int | None = None
) -> Array:
    """Mean of −Σ_k y_k ln softmax(logits)_k over the positions whose label is not `ignore`, in nats.

    logits (..., K), labels (...) whole numbers below K; y are the targets of `smooth_targets`. Raises
    ShapeError when they do not fit, or when every label is ignored (a mean of nothing).

    >>> round(float(cross_entropy([[0.0, 0.0]], [1])), 6)
    0.693147
    """
    xp = namespace_of(logits=logits, labels=labels)
    logits = read_floats("logits", logits, xp)
    labels = np.asarray(labels) if xp is np else labels
    if logits.ndim < 1 or shape_of(labels) != shape_of(logits)[:-1]:
        raise ShapeError("labels", f"shape {shape_of(labels)}", f"{shape_of(logits)[:-1]}, as the logits")
    kept = xp.ones_like(labels, dtype=xp.bool) if ignore is None else labels != ignore
    count = int(xp.sum(xp.astype(kept, xp.int64)))
    if count == 0:
        raise ShapeError("labels", "only ignored labels", "at least one label to learn from")
    wanted = smooth_targets(
        xp.where(kept, labels, xp.zeros_like(labels)), classes=logits.shape[-1], epsilon=epsilon, form=form
    )
    losses = -xp.sum(xp.astype(wanted, logits.dtype) * log_softmax(logits), axis=-1)
    return xp.sum(xp.where(kept, losses, 0.0)) / count


def dropout(x: Array, *, p: float, keep: Array = None, rng: "np.random.Generator | None" = None) -> Array:
    """Inverted dropout: each entry is 0 with probability p, else x/(1 − p), so that the mean stays.

    Which entries stay is given as booleans in `keep` or drawn from `rng`; with neither (evaluation) x comes
    back as it is. The other convention keeps x in training and multiplies by 1 − p at test time.

    >>> dropout([3.0, 3.0], p=0.25, keep=[True, False]).tolist()
    [4.0, 0.0]
    """
    xp = namespace_of(x=x, keep=keep)
    x = read_floats("x", x, xp)
    if not 0 <= p < 1:
        raise NumericalError("p", str(p), "a probability 0 ≤ p < 1 of dropping")
    if keep is None and rng is None:
        return x
    if keep is None:
        assert rng is not None
        keep = rng.random(shape_of(x)) >= p
        keep = keep if xp is np else xp.asarray(keep, device=x.device)
    keep = np.asarray(keep) if xp is np else keep
    if shape_of(keep) != shape_of(x):
        raise ShapeError("keep", f"shape {shape_of(keep)}", f"that of x, {shape_of(x)}")
    return xp.where(keep, x / (1.0 - p), 0.0)


def perplexity(log_probabilities: Array) -> float:
    """exp(−mean ln p) over the true tokens: how many equally likely choices the model is as unsure as.

    >>> round(perplexity([math.log(0.5), math.log(0.25), math.log(0.125)]), 12)
    4.0
    """
    xp = namespace_of(log_probabilities=log_probabilities)
    logs = read_floats("log_probabilities", log_probabilities, xp)
    if math.prod(logs.shape) == 0 or bool(xp.any(~(logs <= 0.0))):
        raise NumericalError("log_probabilities", "none, or some above 0", "logarithms of probabilities, ≤ 0")
    return math.exp(-float(xp.mean(logs)))


def _read_labels(labels: Any, classes: int, xp: Namespace) -> Array:
    labels = np.asarray(labels) if xp is np else labels
    if not _integral(labels, xp):
        raise ShapeError("labels", f"dtype {labels.dtype}", "whole numbers")
    if math.prod(labels.shape) and not bool(xp.all((labels >= 0) & (labels < classes))):
        raise ShapeError("labels", "a label outside the classes", f"0 to {classes - 1}")
    return labels


def _integral(array: Array, xp: Namespace) -> bool:
    return array.dtype.kind in "iu" if xp is np else bool(xp.isdtype(array.dtype, "integral"))


def _one_hot(labels: Array, classes: int, xp: Namespace) -> Array:
    columns = xp.arange(classes, dtype=labels.dtype, device=labels.device)
    return xp.astype(labels[..., None] == columns, xp.float64)
