"""Attention as a textbook that runs: one pipeline, whose default is right and whose changed steps are the
mistakes.

    attention    one call: softmax(Q Kᵀ/√d_k) V with masks, bias, windows, soft cap and grouped heads
    pipeline     the six steps, and a trace of every intermediate
    similarity   dot, general and additive scores
    softmax      stable, in logarithms, block by block
    masks        which query may see which key; other libraries' conventions
    heads        splitting, merging, grouped heads
    multihead    projections, heads and W_O: multi-head, grouped, multi-query, cross
    positions    sinusoidal waves, rotary turns, ALiBi penalties
    norms        LayerNorm and RMSNorm
    feedforward  ReLU, GELU, SiLU, SwiGLU, and the network around them
    blocks       encoder and decoder layers, Pre-LN and Post-LN
    gradients    attention's backward pass in closed form
    tiling       FlashAttention's recurrence, tile by tile
    cache        the KV cache: prefill, append, decode
    training     shifted targets, warm-up, label smoothing, dropout, loss, perplexity
    faults       the named mistakes as changed steps, single and in pairs
    drills       broken implementations, and the probes that tell what is wrong with them (import it by name)
    costs        parameters, bytes, FLOPs and pairs as exact integers
    kernel_rules what each kernel refuses, what is tried next, which results are wrong (import it by name)
    errors       what is refused, naming argument, given and expected
    modules      the layers as torch modules                                (imports torch; import it by name)
    kernels      every kernel on torch, with proof of what ran              (imports torch; import it by name)
    peaks        how fast a card can be at most: no measured speed beyond it is believed (import it by name)
    benchmark    time and peak memory of one configuration                  (imports torch; import it by name)

Letters: B batch, H query heads, G key/value heads, T queries, S keys, D head width, E model width. Arrays are
(..., H, T, D), or (T, D). A mask is True where one may attend; a query that sees nothing gets zeros.

Written against the Python array API: NumPy float64 gives the right answers, torch brings autograd and GPUs.
Importing this package imports neither torch nor Django.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from attention_core import errors, feedforward, heads, masks, norms, pipeline, positions
from attention_core.attention import attention
from attention_core.feedforward import feed_forward, gelu, relu, silu, swiglu
from attention_core.norms import layer_norm, rms_norm
from attention_core.pipeline import trace, trace_from_x
from attention_core.positions import alibi_bias, alibi_slopes, rope, sinusoidal
from attention_core.softmax import softmax

if TYPE_CHECKING:
    from attention_core import (
        blocks,
        cache,
        costs,
        faults,
        gradients,
        multihead,
        similarity,
        tiling,
        training,
    )

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "alibi_bias",
    "alibi_slopes",
    "attention",
    "blocks",
    "cache",
    "costs",
    "errors",
    "faults",
    "feed_forward",
    "feedforward",
    "gelu",
    "gradients",
    "heads",
    "layer_norm",
    "masks",
    "multihead",
    "norms",
    "pipeline",
    "positions",
    "relu",
    "rms_norm",
    "rope",
    "silu",
    "similarity",
    "sinusoidal",
    "softmax",
    "swiglu",
    "tiling",
    "trace",
    "trace_from_x",
    "training",
]

# Chapters of their own: loaded when they are first asked for, so that attention alone is quick to import.
_LATER = (
    "blocks",
    "cache",
    "costs",
    "faults",
    "gradients",
    "multihead",
    "similarity",
    "tiling",
    "training",
)


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
