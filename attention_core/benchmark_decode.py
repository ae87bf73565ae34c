"""Measure one decoding step with a KV cache: right first, then time a token and bytes of the cache.

    python -m attention_core.benchmark_decode --json '{"sharing": "gqa", "length": 4096}' [--budget 2]

One layer, random normal keys and values. `length` tokens are in the cache, the last `STEPS` of them decoded
one by one; each output row is compared with that row of the full causal pass. A step writes the new key and
value into their places and takes two batched products with the cache: query heads that share a key are rows
of one product, so nothing is repeated in memory.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from attention_core import costs
from attention_core.measuring import (
    BUDGET,
    LARGEST,
    Found,
    check_device,
    check_one_of,
    check_whole,
    command,
    guarded,
    read,
)

if TYPE_CHECKING:
    import torch

GROUP = 4  # query heads that share a key in "gqa"
SHARING = ("mha", "gqa", "mqa")
STEPS = 8


@dataclass(frozen=True)
class Configuration:
    """`sharing`: every query head has its own keys (mha), `GROUP` heads share them (gqa), or all (mqa)."""

    sharing: str
    batch: int = 1
    heads: int = 32
    length: int = 1024
    width: int = 128
    dtype: str = "float32"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("sharing", self.sharing, SHARING)
        costs.itemsize(self.dtype)
        for name, most in LARGEST.items():
            least = {"seed": 0, "length": STEPS}.get(name, 1)
            check_whole(name, getattr(self, name), least=least, most=most)
        check_device(self.device)

    @property
    def kv_heads(self) -> int:
        """Heads that keys and values have."""
        return kv_heads(self.sharing, self.heads)

    @property
    def cache_bytes(self) -> int:
        """What the cache should take."""
        return costs.kv_cache_bytes(
            layers=1,
            batch=self.batch,
            length=self.length,
            kv_heads=self.kv_heads,
            head_width=self.width,
            itemsize=costs.itemsize(self.dtype),
        )


def kv_heads(sharing: str, heads: int) -> int:
    """Key and value heads for so many query heads.

    >>> [kv_heads(sharing, 32) for sharing in SHARING]
    [32, 8, 1]
    """
    return {"mha": heads, "gqa": max(1, heads // GROUP), "mqa": 1}[sharing]


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Found:
    """`error` is the largest of the decoded rows; times are of the last step, the cache being full."""
    flops = costs.attention_flops(
        batch=configuration.batch,
        heads=configuration.heads,
        queries=1,
        keys=configuration.length,
        width=configuration.width,
    )
    start: Found = {
        "configuration": asdict(configuration),
        "kv_heads": configuration.kv_heads,
        "predicted_peak_bytes": configuration.cache_bytes,
        "flops": flops,
    }
    return start | guarded(configuration.device, lambda: _measured(configuration, budget))


def _measured(configuration: Configuration, budget: float) -> Found:
    import torch

    from attention_core.kernels import memory, timing
    from attention_core.kernels.calls import read_call
    from attention_core.kernels.verifying import check

    q, k, v = _drawn(configuration)
    first = configuration.length - STEPS
    cache_bytes = memory.peak_of(lambda: (torch.ones_like(k), torch.ones_like(v)), q.device)
    keys, values = torch.ones_like(k), torch.ones_like(v)
    keys[:, :, :first], values[:, :, :first] = k[:, :, :first], v[:, :, :first]

    def step(number: int) -> torch.Tensor:
        at = first + number
        keys[:, :, at], values[:, :, at] = k[:, :, at], v[:, :, at]
        return attend(q[:, :, number : number + 1], keys[:, :, : at + 1], values[:, :, : at + 1])

    cold = timing.once(lambda: step(0), q.device)
    output = torch.cat([step(number) for number in range(STEPS)], dim=2)
    verdict = check(read_call(q, k, v, causal="bottom_right"), output, seed=configuration.seed)
    found: Found = {
        "error": verdict.error,
        "allowed_error": verdict.allowed,
        "rows_checked": verdict.rows,
        "peak_bytes": cache_bytes,
    }
    if not verdict.right:
        return found | {"outcome": "wrong", "reason": "a decoded row is not that of the full pass"}
    times = timing.repeated(lambda: step(STEPS - 1), q.device, budget=budget)
    return found | {
        "cold_ms": cold,
        "median_ms": times.median,
        "p25_ms": times.p25,
        "p75_ms": times.p75,
        "min_ms": times.least,
        "n": times.n,
        "bytes_a_second": configuration.cache_bytes / (times.median * 1e-3),
    }


def attend(q: "torch.Tensor", keys: "torch.Tensor", values: "torch.Tensor") -> "torch.Tensor":
    """One query a head, q (B, H, 1, D), over keys and values (B, G, S, D): (B, H, 1, D)."""
    import torch

    batch, heads, _, width = q.shape
    groups = keys.shape[1]
    grouped = (q * width**-0.5).reshape(batch, groups, heads // groups, width)
    weights = torch.softmax(grouped @ keys.transpose(-2, -1), dim=-1)
    return (weights @ values).reshape(batch, heads, 1, width)


def _drawn(configuration: Configuration) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
    import torch

    generator = torch.Generator().manual_seed(configuration.seed)
    dtype = getattr(torch, configuration.dtype)

    def normal(heads: int, length: int) -> torch.Tensor:
        shape = (configuration.batch, heads, length, configuration.width)
        drawn = torch.randn(shape, generator=generator, dtype=torch.float32)
        return drawn.to(configuration.device, dtype)

    many = configuration.kv_heads, configuration.length
    return normal(configuration.heads, STEPS), normal(*many), normal(*many)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measure(read(text, Configuration, required="sharing"), budget=budget),
        arguments,
        module="attention_core.benchmark_decode",
        example='{"sharing": "gqa", "length": 4096}',
    )


if __name__ == "__main__":
    sys.exit(main())
