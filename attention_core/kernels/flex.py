"""PyTorch's FlexAttention: the mask is a small function of (batch, head, query, key), part of the kernel.

On a GPU it is compiled into one fused kernel, which takes a while at the first call of each kind. On a CPU
the same operator runs unfused, as products and a softmax whose matrix of scores exists: right, and no faster
than `naive`. The record tells the two apart by the operator: `attention_core::flex` and
`attention_core::flex_unfused`.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from attention_core.errors import UnsupportedKernel
from attention_core.kernel_rules import refused_here
from attention_core.kernels.calls import Call
from attention_core.masks import offset_of

_Rule = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def flex(call: Call) -> torch.Tensor:
    """The output (B, H, T, Dv) by FlexAttention; the mask and the causal rule become its `mask_mod`."""
    if reason := refused_here("flex", call.request):
        raise UnsupportedKernel(reason)
    operator = _fused if call.q.is_cuda else _unfused
    diagonal = None if call.causal is None else offset_of(call.causal, call.queries, call.keys)
    output: torch.Tensor = operator(call.q, call.k, call.v, call.allowed, diagonal, call.scale)
    return output


@torch.library.custom_op("attention_core::flex", mutates_args=())  # type: ignore[untyped-decorator, unused-ignore]
def _fused(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    diagonal: int | None,
    scale: float,
) -> torch.Tensor:
    attend, blocks = _compiled()
    try:
        return _attended(attend, blocks, (q, k, v), _rule(q, k, mask, diagonal), scale)
    except (NotImplementedError, ValueError, torch._dynamo.exc.TorchDynamoException) as error:
        raise UnsupportedKernel(str(error).splitlines()[0]) from error


@torch.library.custom_op("attention_core::flex_unfused", mutates_args=())  # type: ignore[untyped-decorator, unused-ignore]
def _unfused(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    diagonal: int | None,
    scale: float,
) -> torch.Tensor:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    # Without this stance it would be traced anew, for half a second, at every new shape, and run as it is.
    with torch.compiler.set_stance("force_eager"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        rule = _rule(q, k, mask, diagonal)
        return _attended(flex_attention, create_block_mask, (q, k, v), rule, scale)


@cache
def _compiled() -> tuple[Callable[..., Any], Callable[..., Any]]:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    return torch.compile(flex_attention), torch.compile(create_block_mask)


def _attended(
    attend: Callable[..., Any],
    blocks: Callable[..., Any],
    inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    rule: _Rule | None,
    scale: float,
) -> torch.Tensor:
    q, k, v = inputs
    batch, heads, queries, _ = q.shape
    mask = None if rule is None else blocks(rule, batch, heads, queries, k.shape[2], device=q.device)
    output: torch.Tensor = attend(q, k, v, block_mask=mask, scale=scale, enable_gqa=heads != k.shape[1])
    return output


def _rule(q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor | None, diagonal: int | None) -> _Rule | None:
    """What may be seen, by indices: the mask, and key ≤ query + `diagonal`. None for everything."""
    if mask is None and diagonal is None:
        return None
    spread = None if mask is None else mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])

    def sees(b: torch.Tensor, h: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
        if spread is None:
            return j <= i + diagonal
        allowed = spread[b, h, i, j]
        return allowed if diagonal is None else allowed & (j <= i + diagonal)

    return sees
