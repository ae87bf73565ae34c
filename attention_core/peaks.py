"""How fast a machine can be at most: what a measured FLOP/s is held against before anybody sees it.

A figure beyond it is not a fast kernel but a mistake, in the timing (nobody waited for the card) or in the
count (hidden pairs counted as work done).

Known are the dense peaks of 16-bit products that NVIDIA states for its cards. float32 has no entry: a kernel
may make float32 products of several TF32 ones on the tensor cores, as CUTLASS does, and then the published
figure for float32 bounds nothing. A processor's peak is not published as one number, so only what none can do
stands there: `CYCLE_FLOPS` is twice what the widest matrix unit of a core (AMX, 16-bit) does in a cycle.
"""

import re
from dataclasses import dataclass
from typing import Any

# (a pattern of the card's own name, FLOP/s dense in float16 and bfloat16). Source: NVIDIA's data sheets,
# figures without sparsity. The H100 with HBM3 is the SXM module; NVL cards and slices (MIG) have other
# peaks and match nothing.
DENSE_PEAKS = (
    (r"\bA100\b", 312e12),
    (r"\bH100 PCIe\b", 756e12),
    (r"\bH100 (80GB HBM3|SXM5?)\b", 989e12),
    (r"\bH200\b", 989e12),
    (r"\bB200\b", 2250e12),
)
_OTHERS = re.compile(r"\b(NVL|MIG)\b")
CYCLE_FLOPS = 4096
CLOCK = 7e9  # cycles a second: more than any processor keeps


@dataclass(frozen=True)
class Ceiling:
    """FLOP/s that cannot be passed. `published`: a peak that a share may be told of; else only a bound."""

    flops_a_second: float
    published: bool
    said: str


def ceiling_of(machine: dict[str, Any], dtype: str) -> Ceiling | None:
    """The ceiling of the machine that `measuring.machine` describes; None where none is known.

    >>> ceiling_of({"device": "NVIDIA H200"}, "bfloat16").flops_a_second / 1e12
    989.0
    >>> [ceiling_of({"device": name}, "float16") for name in ("NVIDIA GH200 480GB", "NVIDIA L4")]
    [None, None]
    """
    device = str(machine.get("device", ""))
    if device == "cpu":
        cores = machine.get("cores")
        if not isinstance(cores, int) or cores < 1:
            return None
        bound = cores * CYCLE_FLOPS * CLOCK
        return Ceiling(bound, published=False, said=f"what {cores} cores of any processor could do")
    if dtype not in ("float16", "bfloat16") or _OTHERS.search(device):
        return None
    for pattern, peak in DENSE_PEAKS:
        if re.search(pattern, device):
            return Ceiling(peak, published=True, said=f"the dense peak of {device} in {dtype}")
    return None


def implausible(flops_a_second: float, ceiling: Ceiling | None) -> str | None:
    """Why a measured speed cannot be true; None when it can, or nothing is known.

    >>> implausible(1.2e15, ceiling_of({"device": "NVIDIA H200"}, "float16"))
    '1200 TFLOP/s is more than the dense peak of NVIDIA H200 in float16, 989 TFLOP/s: time or count is wrong'
    """
    if ceiling is None or flops_a_second <= ceiling.flops_a_second:
        return None
    measured, most = (f"{value / 1e12:.4g} TFLOP/s" for value in (flops_a_second, ceiling.flops_a_second))
    return f"{measured} is more than {ceiling.said}, {most}: time or count is wrong"
