"""Attention as six named steps. The default is right; a known mistake is the pipeline with a step replaced.

    scores  = Q Kᵀ                          score
    scaled  = scores · scale                scale       (1/√d_k unless given)
    capped  = c · tanh(scaled / c)          cap         (only with a soft cap c)
    masked  = capped + bias, −∞ if hidden   mask
    weights = softmax(masked) over keys     normalise
    output  = weights V                     mix

(Vaswani et al. 2017, section 3.2.1; soft cap before the mask as in Gemma 2 and the ONNX operator.)

A step is a function of the trace so far: it sees the inputs (q, k, v, x, scale, visible, …) and every
earlier value, so that "divided by √d_model", "mixed K instead of V" or "scaled after the softmax" are each a
changed step. Right answers, worked solutions and the diagnosis of wrong ones are all runs of this one
pipeline.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from attention_core.arrays import (
    Array,
    Namespace,
    all_finite,
    cast_to,
    check_finite,
    namespace_of,
    read_floats,
    shape_of,
)
from attention_core.errors import NumericalError, ShapeError
from attention_core.inputs import Inputs, Options, read_inputs
from attention_core.masks import Window
from attention_core.softmax import softmax_along


class Trace(Mapping[str, Array]):
    """Every named intermediate, as attributes and as a mapping: `t.weights`, `t["weights"]`, `dict(t)`.

    The mapping holds `scores, scaled, capped, masked, weights, output` in this order, after `q, k, v` when
    they were projected here. The attributes also hold what was given (see `Inputs`).
    """

    xp: Namespace
    q: Array
    k: Array
    v: Array
    groups: int
    x: Array
    mask: Array
    bias: Array
    visible: Array
    causal: str | None
    window: Window | None
    offset: int
    scale: float
    softcap: float | None
    scores: Array  # (..., H, T, S), like the four that follow
    scaled: Array
    capped: Array
    masked: Array
    weights: Array
    output: Array  # (..., H, T, Dv)

    def __init__(self, inputs: Inputs) -> None:
        self.__dict__.update(inputs.__dict__)

    @property
    def d_model(self) -> int:
        """E, the width of x; known only when the projections were made here."""
        if self.x is None:
            raise ShapeError("x", "no x", "`trace_from_x`: a step needs the model width")
        return int(self.x.shape[-1])

    def _names(self) -> tuple[str, ...]:
        return VALUES if self.x is None else ("q", "k", "v", *VALUES)

    def __getitem__(self, name: str) -> Array:
        if name not in self._names():
            raise KeyError(name)
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())


Step = Callable[[Trace], Array]


def score(t: Trace) -> Array:
    """Q Kᵀ: S_ij = q_i · k_j.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5)
    >>> score(t).tolist()
    [[3.0, 4.0]]
    """
    return t.q @ t.k.mT


def scale(t: Trace) -> Array:
    """Divide by √d_k: the scores' variance no longer grows with the width.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5)
    >>> scale(t).tolist()
    [[1.5, 2.0]]
    """
    return t.scores * t.scale


def cap(t: Trace) -> Array:
    """c·tanh(s/c) keeps scores within ±c; nothing happens without a soft cap.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5, softcap=1.0)
    >>> cap(t).round(3).tolist()
    [[0.905, 0.964]]
    """
    if t.softcap is None:
        return t.scaled
    return t.softcap * t.xp.tanh(t.scaled / t.softcap)


def mask(t: Trace) -> Array:
    """Add the bias and put −∞ wherever one may not attend.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5, mask=[[True, False]])
    >>> mask(t).tolist()
    [[1.5, -inf]]
    """
    return hide(t, t.visible)


def hide(t: Trace, visible: Array, *, fill: float = -float("inf")) -> Array:
    """capped + bias where `visible` (None: everywhere), `fill` elsewhere.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5)
    >>> hide(t, [[False, True]], fill=0.0).tolist()
    [[0.0, 2.0]]
    """
    biased = t.capped if t.bias is None else t.capped + t.bias
    return biased if visible is None else t.xp.where(visible, biased, fill)


def normalise(t: Trace) -> Array:
    """Softmax of each row, over the keys; zeros for a row that sees nothing.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5)
    >>> normalise(t).round(3).tolist()
    [[0.378, 0.622]]
    """
    return softmax_along(t.masked, -1, t.xp)


def mix(t: Trace) -> Array:
    """A V: each query's average of the values, by its weights.

    >>> t = trace([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=0.5)
    >>> mix(t).round(3).tolist()
    [[6.49]]
    """
    return t.weights @ t.v


@dataclass(frozen=True)
class Steps:
    """The six steps. `dataclasses.replace(RIGHT, scale=lambda t: t.scores)` forgets to scale."""

    score: Step = score
    scale: Step = scale
    cap: Step = cap
    mask: Step = mask
    normalise: Step = normalise
    mix: Step = mix


RIGHT = Steps()
VALUES = ("scores", "scaled", "capped", "masked", "weights", "output")


def prepare(q: Array, k: Array, v: Array, **options: Unpack[Options]) -> Inputs:
    """Check the arguments of `trace` once, to `follow` several `Steps` on them.

    >>> prepare([[1.0, 0.0]], [[1.0, 0.0]], [[2.0]], causal="top_left").offset
    0
    """
    return read_inputs(q, k, v, options)


def prepare_from_x(x: Array, w_q: Array, w_k: Array, w_v: Array, **options: Unpack[Options]) -> Inputs:
    """Q = X W_Q, K = X W_K, V = X W_V (row vectors: x (..., n, E), each w (E, width)), then as `prepare`.

    >>> prepare_from_x([[1.0, 2.0]], [[1.0], [1.0]], [[1.0], [0.0]], [[0.0], [1.0]]).q.tolist()
    [[3.0]]
    """
    given = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v}
    xp = namespace_of(**given)
    read = {name: read_floats(name, value, xp) for name, value in given.items()}
    x = read.pop("x")
    if x.ndim < 2:
        raise ShapeError("x", f"shape {shape_of(x)}", "(..., length, E)")
    check_finite("x", x, xp)
    for name, weight in read.items():
        if weight.ndim != 2 or weight.shape[0] != x.shape[-1]:
            raise ShapeError(
                name, f"shape {shape_of(weight)}", f"({x.shape[-1]}, width): as many rows as x is wide"
            )
        check_finite(name, weight, xp)
    inputs = read_inputs(x @ read["w_q"], x @ read["w_k"], x @ read["w_v"], options)
    inputs.x = x
    return inputs


def follow(inputs: Inputs, steps: Steps = RIGHT, *, forget: bool = False) -> Trace:
    """Run the steps in order. `forget` drops each value once the next is made (only for the right steps).

    >>> follow(prepare([[1.0]], [[1.0], [1.0]], [[2.0], [4.0]])).output.tolist()
    [[3.0]]
    """
    t = Trace(inputs)
    values = t.__dict__
    values["scores"] = steps.score(t)
    values["scaled"] = steps.scale(t)
    if steps is RIGHT:
        _check_overflow(t)
    _drop(values, "scores", forget)
    values["capped"] = steps.cap(t)
    _drop(values, "scaled", forget)
    values["masked"] = steps.mask(t)
    _drop(values, "capped", forget)
    values["weights"] = steps.normalise(t)
    _drop(values, "masked", forget)
    values["output"] = cast_to(steps.mix(t), inputs.dtype, t.xp)
    return t


def _drop(values: dict[str, Any], name: str, forget: bool) -> None:
    if forget:
        values[name] = None


def _check_overflow(t: Trace) -> None:
    if not all_finite(t.scaled, t.xp):
        raise NumericalError("q, k", f"scores beyond {t.scaled.dtype}", "products that the dtype can hold")


def trace(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array = None,
    bias: Array = None,
    causal: str | None = None,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    steps: Steps = RIGHT,
) -> Trace:
    """Attention with every intermediate kept. Arguments and errors as for `attention`; `steps` may hold
    mistakes.

    >>> t = trace([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[4.0], [8.0]], scale=1.0)
    >>> t.scores.tolist(), [round(w, 3) for w in t["weights"][0].tolist()]
    ([[1.0, 0.0]], [0.731, 0.269])
    """
    options: Options = {"mask": mask, "bias": bias, "causal": causal}
    options |= {"window": window, "scale": scale, "softcap": softcap}
    inputs = read_inputs(q, k, v, options)
    return follow(inputs, steps)


def trace_from_x(
    x: Array, w_q: Array, w_k: Array, w_v: Array, *, steps: Steps = RIGHT, **options: Unpack[Options]
) -> Trace:
    """`trace` of self-attention from the layer's input: Q = X W_Q, K = X W_K, V = X W_V are kept too.

    x (..., n, E); w_q, w_k (E, D); w_v (E, Dv). The keyword arguments are those of `trace`.

    >>> trace_from_x([[1.0, 2.0]], [[1.0], [1.0]], [[1.0], [0.0]], [[0.0], [1.0]]).scores.tolist()
    [[3.0]]
    """
    return follow(prepare_from_x(x, w_q, w_k, w_v, **options), steps)
