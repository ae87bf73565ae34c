"""Choose a kernel, run it, prove what ran, and check it.

Two kinds of failure, never mixed: *unsupported* is known before any number is made, and the next kernel is
tried with the reason recorded; *wrong* is anything a kernel did make that the reference does not bear out,
and raises.
"""

from dataclasses import dataclass
from functools import partial

import torch

from attention_core.errors import NumericalError, UnsupportedKernel
from attention_core.kernel_rules import FALLBACKS
from attention_core.kernels.backends import KERNELS, kernel_of
from attention_core.kernels.calls import Call, read_call
from attention_core.kernels.influence import influenced_rows
from attention_core.kernels.record import (
    Record,
    cuda_version,
    cudnn_version,
    device_name,
    driver_version,
    dtype_name,
)
from attention_core.kernels.spying import spied
from attention_core.kernels.verifying import check


@dataclass(frozen=True)
class _Ran:
    """One product: who was called for it, which path and operator ran, why not the one asked for."""

    output: torch.Tensor
    called: str
    path: str
    operator: str
    reason: str | None


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
    """Attention by this backend (one of `BACKENDS`), or by the next that can, and the record of what ran.

    Arguments mean what they mean for `attention`. Raises ShapeError, MaskError or NumericalError for
    arguments, and NumericalError naming the backend when its output differs from the float64 reference by
    more than twice the error of plain low precision, is not finite where the reference is, or changes with
    a value that the mask hides (checked on 64 query rows).

    >>> import torch
    >>> q, k, v = torch.zeros(3, 1, 2), torch.zeros(3, 4, 2), torch.ones(3, 4, 5)
    >>> output, record = run("flash", q, k, v)
    >>> output.shape, record.asked, record.ran, record.fell_back_because
    (torch.Size([3, 1, 5]), 'flash', 'math', 'flash: values of width 5 with keys of width 2')
    """
    kernel_of(backend)
    call = read_call(q, k, v, mask=mask, causal=causal, scale=scale)
    ran = _first_that_can(backend, call)
    _refuse_wrong(backend, call, ran)
    record = Record(
        asked=backend,
        ran=ran.path,
        kernel=ran.operator,
        fell_back_because=ran.reason,
        device=device_name(q.device),
        dtype=dtype_name(q.dtype),
        shapes={"q": list(q.shape), "k": list(k.shape), "v": list(v.shape)},
        mask_kind=call.mask_kind,
        torch_version=torch.__version__,
        driver_version=driver_version(),
        cuda_version=cuda_version(),
        cudnn_version=cudnn_version(),
    )
    return ran.output.reshape(call.shape), record


def _first_that_can(backend: str, call: Call) -> _Ran:
    if call.empty:
        zeros = call.q.new_zeros(*call.q.shape[:-1], call.v.shape[-1])
        return _Ran(zeros, called="none", path="none", operator="none", reason=None)
    reasons: list[str] = []
    for name in (backend, *FALLBACKS[backend]):
        try:
            output, path, operator = spied(partial(KERNELS[name], call))
        except UnsupportedKernel as error:
            reasons.append(f"{name}: {error}")
            continue
        if path != name:  # a pinned backend that dispatched something else: never silent
            reasons.append(f"{name}: dispatched {operator}")
        return _Ran(output, called=name, path=path, operator=operator, reason="; ".join(reasons) or None)
    raise UnsupportedKernel("; ".join(reasons))


def _refuse_wrong(backend: str, call: Call, ran: _Ran) -> None:
    who = f"from the kernel {ran.path} ({ran.operator}) in {dtype_name(call.q.dtype)}"
    verdict = check(call, ran.output)
    if not verdict.right:
        raise NumericalError(
            backend,
            f"an error of {verdict.error:.3g} {who}",
            f"at most {verdict.allowed:.3g} from the float64 reference on {verdict.rows} rows",
        )
    if ran.called == "none":
        return
    influenced = influenced_rows(call, KERNELS[ran.called], ran.output)
    if influenced:
        raise NumericalError(
            backend, f"{influenced} query rows that change with values hidden from them {who}", "none"
        )
