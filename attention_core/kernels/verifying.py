"""Is a kernel's output right? Judged against the float64 reference on some query rows.

A row of attention depends on its own query only, so any rows can be checked alone, at a cost linear in the
length. The tolerance is not a constant: the error may be twice that of plain low precision on the same rows
(the rule of flash-attention's own tests), plus a few roundings of the largest output.

An influence of a hidden key may be smaller than any such tolerance. It is found by making the hidden values
large: not one bit of the rows that cannot see them may change.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from attention_core.attention import attention
from attention_core.costs import CHECKED_ROWS
from attention_core.kernels.calls import Call
from attention_core.kernels.naive import naive_rows

_ROUNDINGS = 2
_LARGE = 2.0**20


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


def influenced_rows(
    call: Call, kernel: Callable[[Call], torch.Tensor], output: torch.Tensor, *, rows: int = CHECKED_ROWS
) -> int:
    """How many of the checked query rows change when the values that they may not see are made large.

    Runs `kernel` once more, with the values replaced at the keys that one chosen row cannot see, and compares
    the rows that can see none of these. 0 without a mask.
    """
    index = chosen_rows(call.queries, rows=rows, seed=0).to(call.q.device)
    visible = call.visible(index)
    if visible is None or output.numel() == 0:
        return 0
    shape = (call.q.shape[0], call.q.shape[1], len(index), call.keys)
    visible = visible.expand(shape)
    hidden = _hidden_somewhere(visible)
    groups = call.v.shape[1]
    shared = hidden.reshape(shape[0], groups, -1, call.keys).all(dim=2)  # hidden in every head of the group
    if not bool(shared.any()):
        return 0
    large = min(_LARGE, torch.finfo(call.v.dtype).max / 16)
    before = output.detach()[..., index, :]
    with torch.no_grad():
        after = kernel(replace(call, v=call.v.detach().masked_fill(shared[..., None], large)))[..., index, :]
    spread = shared.repeat_interleave(shape[1] // groups, dim=1)[:, :, None]
    untouched = ~(visible & spread).any(dim=-1)
    changed = (before != after).any(dim=-1)
    return int((changed & untouched).sum().item())


def _hidden_somewhere(visible: torch.Tensor) -> torch.Tensor:
    """(B, H, S): the keys hidden from the middle row, or from the first or last if it sees everything."""
    middle = visible.shape[-2] // 2
    for row in (middle, 0, -1):
        hidden = ~visible[..., row, :]
        if bool(hidden.any()):
            return hidden
    return hidden


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
    plain_error = (plain - reference).abs().max().item()
    if not plain_error < float("inf"):  # plain float16 may overflow; then it is no yardstick
        plain_error = 0.0
    rounding = torch.finfo(call.q.dtype).eps * reference.abs().max().item()
    return float(2 * plain_error + _ROUNDINGS * rounding)
