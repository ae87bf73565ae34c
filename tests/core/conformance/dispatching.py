"""The Attention cases through `kernels.run`: passed on the kernel asked for, fell back, or refused."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from attention_core import kernels, masks
from attention_core.errors import MaskError
from tests.core.conformance.attending import Request, outputs, read
from tests.core.conformance.cases import Case, cases, mismatch
from tests.core.conformance.libraries import Torch

# The kernels that need no accelerator and no compiler: the same counts on every machine.
PORTABLE = ("naive", "math", "flash")


class Inexpressible(Exception):
    """The case asks for what `run` has no argument for."""


@dataclass(frozen=True)
class Counts:
    """Cases by outcome; `fell_back` and `refused` by reason."""

    passed: int
    fell_back: Counter[str]
    refused: Counter[str]
    wrong: tuple[str, ...]


def arguments(case: Case, request: Request) -> dict[str, Any]:
    """`run`'s keywords: a bias of 0 and −∞ is a mask, and so is a window."""
    options = dict(request.options)
    if "qk_matmul_output" in case.expected:
        raise Inexpressible("scores or weights asked for")
    if options.pop("softcap") is not None:
        raise Inexpressible("soft cap")
    mask, bias, window = options.pop("mask"), options.pop("bias", None), options.pop("window", None)
    if bias is not None:
        try:
            mask = masks.combine(mask, masks.from_additive(bias))
        except MaskError:
            raise Inexpressible("added scores") from None
    if window is not None:
        queries, keys = request.q.shape[-2], request.k.shape[-2]
        mask = masks.combine(mask, masks.window(queries, keys=keys, span=window, like=request.q))
    return {"mask": mask, "causal": options.get("causal"), "scale": options["scale"]}


@cache
def count(backend: str) -> Counts:
    """Every Attention case through this backend, on CPU tensors in the case's own dtype."""
    library = Torch()
    passed, fell_back, refused, wrong = 0, Counter[str](), Counter[str](), []
    for case in cases()["Attention"]:
        request = read(case, library)
        try:
            keywords = arguments(case, request)
        except Inexpressible as reason:
            refused[str(reason)] += 1
            continue
        output, record = kernels.run(backend, request.q, request.k, request.v, **keywords)
        results = outputs(case, request, output)
        given = {name: library.give(results[name], case.expected[name].dtype) for name in case.expected}
        different = mismatch(case, given)
        if different and not _two_roundings_apart(given["Y"], case.expected["Y"]):
            wrong.append(different)
        elif record.fell_back_because is None:
            assert record.ran == backend, record
            passed += 1
        else:
            assert record.ran != backend, record
            fell_back[re.sub(r"\d+", "N", record.fell_back_because)] += 1
    return Counts(passed, fell_back, refused, tuple(wrong))


def _two_roundings_apart(output: np.ndarray, expected: np.ndarray) -> bool:
    """In float16 the suite grants about one unit in the last place, less than a kernel that rounds its
    weights can promise; which cases are two apart depends on the processor. The dispatcher has agreed."""
    if expected.dtype != np.float16 or output.shape != expected.shape:
        return False
    apart = np.abs(output.astype(np.float64) - expected.astype(np.float64))
    return bool((apart <= 2 * np.spacing(np.abs(expected)).astype(np.float64)).all())
