"""The cases of the ONNX backend suite, by operator. Loading builds all of them once a process (seconds)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

# How many cases the pinned version holds: fewer would mean that some are silently not run.
COUNTS = {
    "Attention": 93,
    "RotaryEmbedding": 8,
    "LayerNormalization": 19,
    "RMSNormalization": 19,
    "Softmax": 7,
    "LogSoftmax": 7,
    "Gelu": 4,
    "Relu": 1,
    "Swish": 1,
    "SwiGLU": 3,
    "TensorScatter": 3,
}


@dataclass(frozen=True)
class Case:
    """One node with its inputs and the outputs that are expected, by the names in its graph."""

    name: str
    operator: str
    attributes: Mapping[str, Any]
    inputs: Mapping[str, np.ndarray]
    expected: Mapping[str, np.ndarray]
    rtol: float
    atol: float


@cache
def cases() -> Mapping[str, tuple[Case, ...]]:
    """operator -> its cases, without the `_expanded` twins (the same numbers for a decomposed graph)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx import helper
        from onnx.backend.test.loader import load_node_model_tests

        loaded = load_node_model_tests()
    found: dict[str, list[Case]] = {operator: [] for operator in COUNTS}
    for test in loaded:
        graph = test.model.graph
        if "_expanded" in test.name or len(graph.node) != 1 or graph.node[0].op_type not in found:
            continue
        inputs, outputs = test.data_sets[0]
        case = Case(
            name=test.name.removeprefix("test_"),
            operator=graph.node[0].op_type,
            attributes={a.name: helper.get_attribute_value(a) for a in graph.node[0].attribute},
            # graph.input omits the optional inputs that are absent, as the data does.
            inputs=dict(zip((value.name for value in graph.input), inputs, strict=True)),
            expected=dict(zip((value.name for value in graph.output), outputs, strict=True)),
            rtol=test.rtol,
            atol=test.atol,
        )
        found[case.operator].append(case)
    return {operator: tuple(listed) for operator, listed in found.items()}


def mismatch(case: Case, outputs: Mapping[str, np.ndarray]) -> str | None:
    """None if every output has the expected shape, dtype and values, compared as ONNX's own runner does."""
    for name, expected in case.expected.items():
        output, rtol = outputs[name], case.rtol
        if output.shape != expected.shape or output.dtype != expected.dtype:
            wanted = f"{expected.dtype} {expected.shape}"
            return f"{case.name}: {name} is {output.dtype} {output.shape}, expected {wanted}"
        if expected.dtype.name == "bfloat16":
            output, expected, rtol = output.astype(np.float32), expected.astype(np.float32), 2.0**-6
        try:
            np.testing.assert_allclose(output, expected, rtol=rtol, atol=case.atol)
        except AssertionError as error:
            return f"{case.name}: {name}: {error}"
    return None
