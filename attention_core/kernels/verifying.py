"""Is a kernel's output right? Judged against the float64 reference on some query rows.

A row of attention depends on its own query only, so any rows can be checked alone, at a cost linear in the
length. The tolerance is not a constant (`kernel_rules.allowed_error`): the error may be twice that of plain
low precision on the same rows, plus a few roundings of the largest output and of the largest Σ w·|v|.
"""

from dataclasses import dataclass, replace

import torch

from attention_core.attention import attention
from attention_core.costs import CHECKED_ROWS
from attention_core.kernel_rules import allowed_error
from attention_core.kernels.calls import Call
from attention_core.kernels.naive import naive_rows


@dataclass(frozen=True)
class Check:
    """`error` and `allowed` are largest absolute differences; `rows` is how many query rows were compared."""

    right: bool
    error: float
    allowed: float
    rows: int


def check(call: Call, output: torch.Tensor, *, rows: int = CHECKED_ROWS, seed: int = 0) -> Check:
    """Compare `output` (B, H, T, Dv) with the reference on first, last and drawn rows; on all if few."""
    index = chosen_rows(call.queries, rows=rows, seed=seed).to(call.q.device)
    if output.numel() == 0:
        return Check(right=True, error=0.0, allowed=0.0, rows=len(index))
    with torch.no_grad():
        visible = call.visible(index)
        queries = call.q.detach()[..., index, :]
        reference = _reference(call, queries, visible)
        difference = (output.detach()[..., index, :].double() - reference).abs().max().item()
        allowed = _allowed(call, queries, visible, reference)
    # A NaN compares false: not right.
    return Check(right=difference <= allowed, error=difference, allowed=allowed, rows=len(index))


def chosen_rows(queries: int, *, rows: int, seed: int) -> torch.Tensor:
    """Indices in order: all if there are at most `rows`, else first, last and others drawn by `seed`.

    >>> chosen_rows(3, rows=64, seed=0).tolist(), len(chosen_rows(1000, rows=64, seed=0))
    ([0, 1, 2], 64)
    """
    if queries <= rows:
        return torch.arange(queries)
    drawn = torch.randperm(queries - 2, generator=torch.Generator().manual_seed(seed))[: rows - 2] + 1
    return torch.cat([torch.tensor([0, queries - 1]), drawn]).sort().values


def _reference(call: Call, queries: torch.Tensor, visible: torch.Tensor | None) -> torch.Tensor:
    wide = (queries.double(), call.k.detach().double(), call.v.detach().double())
    result: torch.Tensor = attention(*wide, mask=visible, scale=call.scale)
    return result


def _allowed(
    call: Call, queries: torch.Tensor, visible: torch.Tensor | None, reference: torch.Tensor
) -> float:
    plain = naive_rows(call, queries, visible).double()
    # Averages of |v| with the same weights: nothing cancels in them.
    summed = _reference(replace(call, v=call.v.detach().abs()), queries, visible)
    return allowed_error(
        plain=(plain - reference).abs().max().item(),
        largest=reference.abs().max().item(),
        dtype=call.request.dtype,
        summed=summed.max().item(),
    )
