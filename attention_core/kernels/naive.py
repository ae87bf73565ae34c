"""Attention as three plain torch operations. The T × S matrix of scores exists, and so does that of weights.

Kept as sparing as such a kernel can be: the queries are scaled instead of the scores and hidden scores are
filled in place, so that its peak is the two matrices and the output: 2 · B · H · T · S · bytes + B · H · T ·
D · bytes. Everything happens in the inputs' dtype; float16 scores beyond 65,504 overflow, and the dispatcher
says so.
"""

import torch

from attention_core.kernels.calls import Call


def naive(call: Call) -> torch.Tensor:
    """softmax(Q Kᵀ · scale, hidden at −∞) V; rows that see nothing give zeros.

    >>> from attention_core.kernels.calls import read_call
    >>> naive(read_call(torch.ones(1, 1), torch.ones(2, 1), torch.tensor([[1.0], [3.0]]))).flatten().tolist()
    [2.0]
    """
    return naive_rows(call, call.q, call.visible())


def naive_rows(call: Call, q: torch.Tensor, visible: torch.Tensor | None) -> torch.Tensor:
    """The same for some of the query rows: what "plain low precision" means when another kernel is judged."""
    scores = (q * call.scale) @ call.grouped(call.k).transpose(-2, -1)
    if visible is None:
        return torch.softmax(scores, dim=-1) @ call.grouped(call.v)
    hidden = ~visible
    blind = hidden.all(dim=-1, keepdim=True)
    # A row of −∞ would be 0/0 = NaN, in the gradients too: leave such rows as they are and set them to zero
    # below.
    scores.masked_fill_(hidden & ~blind, -torch.inf)
    output = torch.softmax(scores, dim=-1) @ call.grouped(call.v)
    return output.masked_fill(blind, 0.0)
