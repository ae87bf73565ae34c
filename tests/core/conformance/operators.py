"""Each ONNX operator as a call of attention_core. Adapters reshape, join and choose; they never compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache as memoised
from typing import Any

import numpy as np

from attention_core import cache, gelu, heads, layer_norm, relu, rms_norm, silu, softmax
from attention_core.feedforward import gate
from attention_core.norms import moments
from attention_core.positions import rotate
from attention_core.softmax import log_softmax
from tests.core.conformance.attending import attend
from tests.core.conformance.cases import Case, cases, mismatch
from tests.core.conformance.libraries import Library

Adapter = Callable[[Case, Library], dict[str, Any]]


def _rotary(case: Case, library: Library) -> dict[str, Any]:
    given = {name: library.take(array) for name, array in case.inputs.items()}
    x, cosines, sines = given["input"], given["cos_cache"], given["sin_cache"]
    count = case.attributes.get("num_heads")
    if count:
        x = heads.split(x, heads=count)
    if "position_ids" in given:  # the cache has a row for each position there may be
        xp, places = library.namespace(x), given["position_ids"]
        rows = xp.reshape(places, (-1,))
        cosines, sines = (
            xp.reshape(xp.take(table, rows, axis=0), (*places.shape, table.shape[-1]))
            for table in (cosines, sines)
        )
    cosines, sines = cosines[:, None, :, :], sines[:, None, :, :]  # the same for every head
    turned = rotate(x, cosines, sines, interleaved=bool(case.attributes.get("interleaved")))
    return {"output": heads.merge(turned) if count else turned}


def _flattened(case: Case, library: Library) -> tuple[Any, Any, dict[str, Any], float]:
    """x with the normalised axes as one, its shape, weight and bias alike, ε."""
    given = {name: library.take(array) for name, array in case.inputs.items()}
    x, axis = given["X"], case.attributes.get("axis", -1) % given["X"].ndim
    xp = library.namespace(x)
    parameters = {name: xp.reshape(given[name], (-1,)) for name in ("W", "B") if name in given}
    flat = xp.reshape(x, (*x.shape[:axis], int(np.prod(x.shape[axis:]))))
    return x, flat, parameters, case.attributes.get("epsilon", 1e-5)


def _layer_norm(case: Case, library: Library) -> dict[str, Any]:
    x, flat, parameters, eps = _flattened(case, library)
    xp = library.namespace(x)
    kept = (*flat.shape[:-1], *[1] * (x.ndim - flat.ndim + 1))
    mean, inverse = (xp.reshape(part, kept) for part in moments(flat, eps=eps))
    y = layer_norm(flat, parameters["W"], parameters.get("B"), eps=eps)
    return {"Y": xp.reshape(y, x.shape), "Mean": mean, "InvStdDev": inverse}


def _rms_norm(case: Case, library: Library) -> dict[str, Any]:
    x, flat, parameters, eps = _flattened(case, library)
    return {"Y": library.namespace(x).reshape(rms_norm(flat, parameters["W"], eps=eps), x.shape)}


def _write(case: Case, library: Library) -> dict[str, Any]:
    given = {name: library.take(array) for name, array in case.inputs.items()}
    mode = case.attributes.get("mode", b"linear").decode()
    places = case.inputs["write_indices"]
    return {"present_cache": cache.write(given["past_cache"], given["update"], places, mode=mode)}


def _on_x(function: Callable[..., Any], **names: str) -> Adapter:
    """An operator of one input x, some attributes of which are keywords of the function."""

    def adapter(case: Case, library: Library) -> dict[str, Any]:
        keywords = {names[name]: value for name, value in case.attributes.items() if name in names}
        return {"y": function(library.take(case.inputs["x"]), **keywords)}

    return adapter


OPERATORS: dict[str, Adapter] = {
    "Attention": attend,
    "RotaryEmbedding": _rotary,
    "LayerNormalization": _layer_norm,
    "RMSNormalization": _rms_norm,
    "Softmax": _on_x(softmax, axis="axis"),
    "LogSoftmax": _on_x(log_softmax, axis="axis"),
    "Gelu": _on_x(lambda x, form=b"none": gelu(x, approximate=form == b"tanh"), approximate="form"),
    "Relu": _on_x(relu),
    "Swish": _on_x(silu, alpha="beta"),
    "SwiGLU": lambda case, library: {
        "y": gate(
            library.take(case.inputs["a"]),
            library.take(case.inputs["b"]),
            beta=case.attributes.get("alpha", 1.0),
        )
    },
    "TensorScatter": _write,
}


@memoised
def failures(operator: str, library: Library) -> tuple[str, ...]:
    """What did not come out as the suite says, one sentence a case; a refusal is a failure too."""
    found = []
    for case in cases()[operator]:
        try:
            results = OPERATORS[operator](case, library)
            given = {name: library.give(results[name], case.expected[name].dtype) for name in case.expected}
        except (ValueError, RuntimeError, TypeError, IndexError) as error:
            found.append(f"{case.name}: {type(error).__name__}: {error}")
            continue
        wrong = mismatch(case, given)
        if wrong:
            found.append(wrong)
    return tuple(found)
