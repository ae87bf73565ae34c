"""The dispatcher's rules as values: what each kernel refuses, what is tried next, which results are wrong.

Known without torch, so that they can be taught and asked about where no kernel runs. `kernels` acts by them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Decision = Literal["run", "fall_back", "stop"]

# What is tried next, in order: another fused kernel where the device has one, then what takes everything.
FALLBACKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "naive": (),
        "math": ("naive",),
        "flash": ("math", "naive"),
        "efficient": ("flash", "math", "naive"),
        "cudnn": ("flash", "math", "naive"),
        "flex": ("math", "naive"),
        "triton_flash": ("flash", "math", "naive"),
    }
)
WIDEST = 256  # the widest head of the fused kernels, PyTorch's and the project's own
CAPABILITY = (8, 0)  # it needs asynchronous copies and bfloat16 products

EPSILON = MappingProxyType(
    {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
)
# The kernels add up in float32 (float64 for float64) and round the sum once, to the dtype of the output.
_SUMMED_IN = MappingProxyType(
    {"float16": "float32", "bfloat16": "float32", "float32": "float32", "float64": "float64"}
)
_ROUNDINGS = 2  # of the output
_SUM_ROUNDINGS = 8  # of a sum taken in another order
_LOW_PRECISION = ("float16", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a kernel is asked to take. `masked`: an explicit mask is needed (see `plainly_causal`);
    `interpreted`: Triton's interpreter is on; `capability` is the card's, None for a CPU.
    """

    device: str
    dtype: str
    width: int
    value_width: int
    masked: bool = False
    gradients: bool = False
    interpreted: bool = False
    capability: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was measured on a result: its largest error, that of plain low precision, the largest output, the
    rows that changed with a value hidden from them, the kernel that was dispatched ("" for the asked one).
    """

    error: float
    plain: float
    largest: float
    influenced: int = 0
    dispatched: str = ""


def plainly_causal(causal: str | None, *, masked: bool, queries: int, keys: int) -> bool:
    """True when PyTorch's `is_causal=True` says it all: aligned top-left, and no mask beside it.

    >>> [plainly_causal("bottom_right", masked=False, queries=t, keys=4) for t in (4, 1)]
    [True, False]
    """
    aligned = causal == "top_left" or (causal is not None and queries == keys)
    return aligned and not masked


def refused_here(backend: str, request: Request) -> str | None:
    """Why this project's own rules keep a kernel from taking a request; None when they do not.

    >>> refused_here("flash", Request(device="cpu", dtype="float32", width=8, value_width=9))
    'values of width 9 with keys of width 8'
    """
    if backend == "flash" and request.width != request.value_width:
        return f"values of width {request.value_width} with keys of width {request.width}"
    if backend == "flex" and request.gradients:
        return "gradients: only its forward pass is called here"
    return _refused_by_triton(request) if backend == "triton_flash" else None


def _refused_by_triton(request: Request) -> str | None:
    if request.gradients:
        return "gradients: this kernel has no backward pass"
    if request.dtype == "float64":
        return "float64: float16, bfloat16 and float32 only"
    widest = max(request.width, request.value_width)
    if widest > WIDEST:
        return f"width {widest}: at most {WIDEST}"
    if request.capability is not None:
        return (
            f"compute capability {request.capability}: at least {CAPABILITY}"
            if request.capability < CAPABILITY
            else None
        )
    if not request.interpreted:
        return "no CUDA tensors, and Triton's interpreter is off (TRITON_INTERPRET=1)"
    if request.dtype == "bfloat16":
        return "bfloat16 under Triton's interpreter, which miscalculates it"
    return None


def refused_by_pytorch(backend: str, request: Request) -> str | None:
    """Why PyTorch (2.13) would refuse to run a pinned backend; None for what it takes.

    Documented with `torch.nn.attention.SDPBackend`; on a CPU the tests hold it against PyTorch itself.

    >>> refused_by_pytorch("cudnn", Request(device="cpu", dtype="float16", width=8, value_width=8))
    'no CUDA tensors'
    """
    if backend in ("efficient", "cudnn") and request.device != "cuda":
        return "no CUDA tensors"
    if request.device != "cuda":
        return None
    if backend in ("flash", "cudnn") and request.dtype not in _LOW_PRECISION:
        return f"{request.dtype}: float16 and bfloat16 only"
    if backend == "efficient" and request.dtype == "float64":
        return "float64: float16, bfloat16 and float32 only"
    if backend == "flash" and request.width > WIDEST:
        return f"width {request.width}: at most {WIDEST}"
    if backend == "flash" and request.masked:
        return "an explicit mask"
    return None


def refusal(backend: str, request: Request) -> str | None:
    """Why a kernel cannot take a request, by its own rules or PyTorch's; None when it can.

    >>> refusal("flash", Request(device="cuda", dtype="float32", width=64, value_width=64))
    'float32: float16 and bfloat16 only'
    """
    return refused_here(backend, request) or refused_by_pytorch(backend, request)


def first_that_can(backend: str, request: Request) -> str:
    """The kernel that runs: the asked one, or the first of its fallbacks that takes the request.

    >>> first_that_can("efficient", Request(device="cpu", dtype="float32", width=8, value_width=9))
    'math'
    """
    return next(name for name in (backend, *FALLBACKS[backend]) if refusal(name, request) is None)


def allowed_error(*, plain: float, largest: float, dtype: str, summed: float | None = None) -> float:
    """Twice the error of plain low precision (the rule of flash-attention's own tests), plus roundings: a few
    of the largest output in its own dtype, and of `summed` in the dtype that sums are taken in.

    `summed` is the largest Σ w·|v|: what cancels in a sum is rounded before it does, so that a small average
    of large numbers errs by their size and not by its own. Where it is not known, the largest output stands
    for it. On few rows the plain error is by luck hardly any, which is why roundings are added at all; one
    that is not finite is no yardstick and counts as 0.

    >>> round(allowed_error(plain=0.001, largest=2.0, dtype="float16"), 4)
    0.0059
    >>> allowed_error(plain=0.0, largest=0.5, dtype="float32", summed=2.0) == (2 * 0.5 + 8 * 2.0) * 2**-23
    True
    """
    plain = plain if plain < math.inf else 0.0
    own = _ROUNDINGS * EPSILON[dtype] * largest
    return (
        2 * plain
        + own
        + _SUM_ROUNDINGS * EPSILON[_SUMMED_IN[dtype]] * (largest if summed is None else summed)
    )


def is_wrong(outcome: Outcome, *, dtype: str) -> bool:
    """Whether a result is too far from the reference, not a number, or moved by what is hidden.

    >>> is_wrong(Outcome(error=math.nan, plain=0.001, largest=1.0), dtype="float16")
    True
    """
    allowed = allowed_error(plain=outcome.plain, largest=outcome.largest, dtype=dtype)
    return not outcome.error <= allowed or outcome.influenced > 0


def decide(backend: str, request: Request, outcome: Outcome) -> Decision:
    """What the dispatcher does: stop on a wrong result, whoever made it; otherwise return it, as asked or
    with the reason for the fallback on record.

    >>> request = Request(device="cuda", dtype="float32", width=64, value_width=64)
    >>> [decide("flash", request, Outcome(error=e, plain=1e-6, largest=1.0)) for e in (1e-6, 1e-3)]
    ['fall_back', 'stop']
    """
    if is_wrong(outcome, dtype=request.dtype):
        return "stop"
    ran_another = refusal(backend, request) is not None or outcome.dispatched not in ("", backend)
    return "fall_back" if ran_another else "run"
