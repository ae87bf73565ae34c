"""What one call of attention needs, as a sum for the cost panel: the laws of `costs`, with their formulas."""

from __future__ import annotations

from django.utils.translation import gettext as _

from attention_core import costs
from quiz.lab.demos.demo import Configuration, Term

SHAPE = ("batch", "heads", "width", "length", "dtype")


def trains(configuration: Configuration) -> bool:
    """Whether a point has the backward pass too."""
    return bool(configuration.get("passes") == "training")


def peak_of(configuration: Configuration) -> int | None:
    """The predicted peak beyond the inputs; None where there is no law."""
    backend, shape = configuration["backend"], {name: configuration[name] for name in SHAPE}
    if not trains(configuration):
        return costs.peak_bytes(backend, **shape)
    return costs.training_peak_bytes(backend, **shape) if backend in costs.WITH_BACKWARD else None


def terms_of(configuration: Configuration) -> tuple[Term, ...]:
    """The inputs, and the larger of the call and its check."""
    backend, shape = configuration["backend"], {name: configuration[name] for name in SHAPE}
    size, training = costs.itemsize(configuration["dtype"]), trains(configuration)
    tensors = 4 if training else 3
    inputs = Term(
        name=_("Q, K, V and ∂O") if training else _("Q, K and V"),
        formula=f"{tensors}·H·n·d·{size} B",
        size=tensors * size * shape["batch"] * shape["heads"] * shape["length"] * shape["width"],
    )
    predicted = costs.predicted_training_bytes if training else costs.predicted_bytes
    rest, peak = predicted(backend, **shape) - inputs.size, peak_of(configuration)
    if peak is None:  # refused before anything is made
        return (inputs,)
    if rest > peak:
        return (inputs, Term(name=_("the check in float64"), formula=_check(size, training), size=rest))
    formula = _training_formula(backend, size) if training else _forward_formula(backend, size)
    return (inputs, Term(name=_("the call itself"), formula=formula, size=peak))


def _check(size: int, training: bool) -> str:
    if training:
        return f"O, ∂: 7·H·n·d·{size} + K, V, ∂: 5·H·n·d·8 + 64 rows: 10·H·64·n·8 B"
    return f"O: H·n·d·{size} + K, V: 2·H·n·d·8 + 64 rows: H·64·(4n + d)·8 B"


def _forward_formula(backend: str, size: int) -> str:
    if backend == "naive":
        return f"2·H·n²·{size} + H·n·d·{size} B"
    if backend != "math":
        return f"H·n·(d·{size} + 4) B"
    wide = max(size, 4)
    copies = f" + 4·H·n·d·{wide}" if wide > size else ""
    return f"2·H·n²·{wide} + H·n²{copies} + H·n·d·{size} B"


def _training_formula(backend: str, size: int) -> str:
    wide = max(size, 4)
    if backend == "naive":
        return f"3·H·n²·{size} + 3·H·n·d·{size} B"
    if backend != "math":
        return f"4·H·n·d·{size} + H·n·(d·{wide} + 8) B"
    if wide > size:
        return f"3·H·n²·{wide} + 7·H·n·d·{wide} + H·n·d·{size} B"
    return f"3·H·n²·{wide} + 4·H·n·d·{wide} B"
