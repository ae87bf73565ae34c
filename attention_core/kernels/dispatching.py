"""Choose a kernel, run it, prove what ran, and check it.

Two kinds of failure, never mixed: *unsupported* is known before any number is made, and the next kernel is
tried with the reason recorded; *wrong* is anything a kernel did make that the reference does not bear out,
and raises.
"""

from collections.abc import Callable
from functools import partial

import torch

from attention_core.errors import NumericalError, ShapeError, UnsupportedKernel
from attention_core.kernels.calls import Call, read_call
from attention_core.kernels.naive import naive
from attention_core.kernels.record import Record, device_name, driver_version, dtype_name, spied
from attention_core.kernels.sdpa import flash, math_path
from attention_core.kernels.verifying import check

Kernel = Callable[[Call], torch.Tensor]

KERNELS: dict[str, Kernel] = {"naive": naive, "math": math_path, "flash": flash}
BACKENDS = tuple(KERNELS)
_FALLBACKS = {"flash": ("math", "naive"), "math": ("naive",), "naive": ()}


def run(
    backend: str,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    causal: str | None = None,
    scale: float | None = None,
) -> tuple[torch.Tensor, Record]:
    """Attention by this backend ("naive", "math", "flash"), or by the next that can, and the record of what
    ran.

    Arguments mean what they mean for `attention`. Raises ShapeError, MaskError or NumericalError for
    arguments, and NumericalError naming the backend when its output differs from the float64 reference by
    more than twice the error of plain low precision (checked on 64 query rows).
    """
    kernel_of(backend)
    call = read_call(q, k, v, mask=mask, causal=causal, scale=scale)
    output, ran, operator, reason = _first_that_can(backend, call)
    verdict = check(call, output)
    if not verdict.right:
        raise NumericalError(
            backend,
            f"an error of {verdict.error:.3g} from the kernel {ran} ({operator}) in {dtype_name(q.dtype)}",
            f"at most {verdict.allowed:.3g} from the float64 reference on {verdict.rows} rows",
        )
    shapes = {"q": list(q.shape), "k": list(k.shape), "v": list(v.shape)}
    record = Record(
        asked=backend,
        ran=ran,
        kernel=operator,
        fell_back_because=reason,
        device=device_name(q.device),
        dtype=dtype_name(q.dtype),
        shapes=shapes,
        mask_kind=call.mask_kind,
        torch_version=torch.__version__,
        driver_version=driver_version(),
    )
    return output.reshape(call.shape), record


def kernel_of(backend: str) -> Kernel:
    """The function behind a backend's name."""
    if backend not in KERNELS:
        raise ShapeError("backend", repr(backend), " or ".join(BACKENDS))
    return KERNELS[backend]


def _first_that_can(backend: str, call: Call) -> tuple[torch.Tensor, str, str, str | None]:
    if call.empty:
        return call.q.new_zeros(*call.q.shape[:-1], call.v.shape[-1]), "none", "none", None
    reasons: list[str] = []
    for name in (backend, *_FALLBACKS[backend]):
        try:
            output, ran, operator = spied(partial(KERNELS[name], call))
        except UnsupportedKernel as error:
            reasons.append(f"{name}: {error}")
            continue
        if ran != name:  # a pinned backend that dispatched something else: never silent
            reasons.append(f"{name}: dispatched {operator}")
        return output, ran, operator, "; ".join(reasons) or None
    raise UnsupportedKernel("; ".join(reasons))
