"""A kernel's backward pass, by autograd, and whether its gradients are right.

The gradients of k and v gather what every query row sends. Judged under an upstream gradient that is zero
outside some rows, they come from those rows alone: the float64 reference then costs as much as that of the
forward check, linear in the length, and is exact. Gradients of the other rows' queries must be zero.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from attention_core.costs import CHECKED_ROWS
from attention_core.gradients import backward
from attention_core.kernel_rules import allowed_error
from attention_core.kernels.calls import Call
from attention_core.kernels.naive import naive_rows
from attention_core.kernels.verifying import Check, chosen_rows

Tensors = tuple[torch.Tensor, ...]


def trained(call: Call, kernel: Callable[[Call], torch.Tensor], upstream: torch.Tensor) -> Tensors:
    """(output, ∂q, ∂k, ∂v) of one training call: `kernel` forward, then backward from `upstream` (that is
    ∂loss/∂output, B, H, T, Dv).

    >>> from attention_core.kernels.calls import read_call
    >>> from attention_core.kernels.naive import naive
    >>> one = torch.ones(1, 1)
    >>> call = read_call(one, torch.zeros(2, 1), torch.tensor([[1.0], [3.0]]))
    >>> [x.flatten().tolist() for x in trained(call, naive, torch.ones(1, 1, 1, 1))]
    [[2.0], [0.0], [-0.5, 0.5], [0.5, 0.5]]
    """
    leaves = tuple(x.detach().requires_grad_() for x in (call.q, call.k, call.v))
    with torch.enable_grad():
        output = kernel(replace(call, q=leaves[0], k=leaves[1], v=leaves[2]))
        gradients = torch.autograd.grad(output, leaves, upstream)
    return output.detach(), *gradients


def check_gradients(
    call: Call,
    kernel: Callable[[Call], torch.Tensor],
    upstream: torch.Tensor,
    *,
    rows: int = CHECKED_ROWS,
    seed: int = 0,
) -> dict[str, Check]:
    """∂q, ∂k and ∂v each against float64: `kernel` runs forward and backward with `upstream` kept in the
    checked rows only.

    >>> from attention_core.kernels.calls import read_call
    >>> from attention_core.kernels.naive import naive
    >>> call = read_call(torch.ones(3, 2), torch.ones(3, 2), torch.eye(3, 2))
    >>> [name for name, one in check_gradients(call, naive, torch.ones(1, 1, 3, 2)).items() if one.right]
    ['q', 'k', 'v']
    """
    index = chosen_rows(call.queries, rows=rows, seed=seed).to(call.q.device)
    sent = upstream[..., index, :]
    _, *found = trained(call, kernel, torch.zeros_like(upstream).index_copy(-2, index, sent))
    few = replace(call, q=call.q.detach()[..., index, :], allowed=call.visible(index), causal=None)
    _, *plain = trained(few, lambda call: naive_rows(call, call.q, call.allowed), sent)
    with torch.no_grad():
        elsewhere = found[0].index_fill(-2, index, 0.0).abs().max().item()
        found[0] = found[0][..., index, :]
        sums, exact = list(_summed(few, sent)), _reference(few, sent)
        checks = {}
        for name, own, low, right, summed in zip("qkv", found, plain, exact, sums, strict=True):
            error = (own.double() - right).abs().max().item()
            allowed = allowed_error(
                plain=(low.double() - right).abs().max().item(),
                largest=right.abs().max().item(),
                dtype=call.request.dtype,
                summed=summed,
            )
            checks[name] = Check(right=error <= allowed, error=error, allowed=allowed, rows=len(index))
    if elsewhere != 0.0:  # nothing was sent from there; a NaN is not 0 either
        checks["q"] = replace(checks["q"], right=False, error=max(elsewhere, checks["q"].error))
    return checks


def worst_of(checks: dict[str, Check]) -> tuple[str, Check]:
    """The argument whose gradient errs most beside what it is allowed, and its check.

    >>> fine, bad = Check(True, 1.0, 2.0, 3), Check(False, math.nan, 2.0, 3)
    >>> worst_of({"q": fine, "k": bad, "v": fine})[0]
    'k'
    """

    def beyond(item: tuple[str, Check]) -> float:
        check = item[1]
        if check.error == 0.0:
            return 0.0
        return check.error / check.allowed if check.right else math.inf

    return max(checks.items(), key=beyond)


def _reference(few: Call, sent: torch.Tensor) -> Tensors:
    q, k, v = (x.detach().double() for x in (few.q, few.k, few.v))
    found = backward(q, k, v, sent.double(), mask=few.allowed, scale=few.scale)
    return found.q, found.k, found.v


def _summed(few: Call, sent: torch.Tensor) -> Iterator[float]:
    """For each gradient, the largest of its sums when every number is positive: nothing cancels there."""
    q, k, v, sent = (x.detach().double().abs() for x in (few.q, few.grouped(few.k), few.grouped(few.v), sent))
    signed = few.q.detach().double() @ few.grouped(few.k).detach().double().mT * few.scale
    if few.allowed is not None:
        signed = signed.masked_fill(~few.allowed, -torch.inf)
    weights = torch.softmax(signed, dim=-1).nan_to_num(0.0)
    del signed
    d_weights = sent @ v.mT
    d_scores = weights * (d_weights + (weights * d_weights).sum(dim=-1, keepdim=True)) * abs(few.scale)
    groups = few.k.shape[1]
    for gathered in (d_scores @ k, _shared(d_scores.mT @ q, groups), _shared(weights.mT @ sent, groups)):
        yield gathered.max().item()


def _shared(x: torch.Tensor, groups: int) -> torch.Tensor:
    """(B, H, S, D) → (B, G, S, D): what the query heads of a group send, added."""
    return x.unflatten(1, (groups, -1)).sum(dim=2)
