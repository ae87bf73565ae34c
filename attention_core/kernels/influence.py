"""Does a key that the mask hides change the output?

Such an influence may be smaller than any tolerance. It is found by making the hidden values large: not one
bit of the rows that cannot see them may change.
"""

from collections.abc import Callable
from dataclasses import replace

import torch

from attention_core.costs import CHECKED_ROWS
from attention_core.kernels.calls import Call
from attention_core.kernels.verifying import chosen_rows

_LARGE = 2.0**20


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
