"""Measure what padding costs: sequences of unequal lengths in batches as they arrive, sorted, or not padded.

    python -m attention_core.benchmark_padding --json '{"order": "sorted", "longest": 512}' [--budget 2]

One layer of attention without a causal rule over a set of sequences. A batch is copied together, padded to
its longest and masked; "unpadded" takes one sequence at a time, in place. All run the same fused kernel that
takes a mask: flash on a CPU, efficient on CUDA. Before it is timed, each sequence is compared with itself
computed alone in float64, and what stands in the padding is changed: not one bit of a real row may move.
"""

import math
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

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

    from attention_core.kernels.calls import Call

ORDERS = ("padded", "sorted", "unpadded")
DISTRIBUTIONS = ("long_tailed", "uniform")
MEDIAN, SPREAD = 8, 1.0  # of the long tail: longest / 8; standard deviation of the logarithm
KERNELS = {"cpu": "flash", "cuda": "efficient"}
FILLS = (0.0, 64.0)  # what stands in the padding, the second to see whether it matters
CHECKED_ROWS = 16  # of each sequence: a key too many or too few shows in every row


@dataclass(frozen=True)
class Configuration:
    """`order`: batches as they arrive (padded), by length (sorted), or one sequence at a time (unpadded)."""

    order: str
    distribution: str = "long_tailed"
    longest: int = 512
    count: int = 128
    batch: int = 16
    heads: int = 4
    width: int = 64
    dtype: str = "float32"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("order", self.order, ORDERS)
        check_one_of("distribution", self.distribution, DISTRIBUTIONS)
        costs.itemsize(self.dtype)
        for name in ("batch", "heads", "width", "seed"):
            check_whole(name, getattr(self, name), least=0 if name == "seed" else 1, most=LARGEST[name])
        check_whole("longest", self.longest, most=LARGEST["length"])
        check_whole("count", self.count, most=LARGEST["batch"])
        check_device(self.device)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Of every sequence, in the order in which they are batched."""
        drawn = drawn_lengths(self.distribution, count=self.count, longest=self.longest, seed=self.seed)
        return tuple(sorted(drawn)) if self.order == "sorted" else drawn

    @property
    def at_a_time(self) -> int:
        """Sequences in a batch."""
        return 1 if self.order == "unpadded" else self.batch

    @property
    def counts(self) -> dict[str, int | float]:
        """What is asked for and what is computed, exactly."""
        tokens, pairs = (
            (count(self.lengths, batch=1), count(self.lengths, batch=self.at_a_time))
            for count in (costs.padded_tokens, costs.padded_pairs)
        )
        return {
            "useful_tokens": tokens[0],
            "computed_tokens": tokens[1],
            "wasted_tokens": costs.padding_share(useful=tokens[0], computed=tokens[1]),
            "useful_pairs": pairs[0],
            "computed_pairs": pairs[1],
            "wasted_pairs": costs.padding_share(useful=pairs[0], computed=pairs[1]),
        }

    @property
    def flops(self) -> int:
        """Of the useful pairs of all heads."""
        return costs.attention_flops(
            batch=1, heads=self.heads, queries=1, keys=int(self.counts["useful_pairs"]), width=self.width
        )

    @property
    def predicted_peak_bytes(self) -> int:
        """Of the largest batch: its output and log-sum-exps, and padded copies of q, k and v with a mask."""
        tokens = costs.largest_batch_tokens(self.lengths, batch=self.at_a_time)
        shape = {"batch": 1, "heads": self.heads, "width": self.width}
        peak = costs.peak_bytes("flash", length=tokens, dtype=self.dtype, **shape)
        if self.order == "unpadded":
            return peak
        size = costs.itemsize(self.dtype)
        return peak + costs.qkv_bytes(queries=tokens, keys=tokens, itemsize=size, **shape) + tokens


def drawn_lengths(distribution: str, *, count: int, longest: int, seed: int) -> tuple[int, ...]:
    """`count` lengths from 1 to `longest`, from one seed the same on every machine.

    uniform: each length equally likely. long_tailed: log-normal, as lengths of texts roughly are, with the
    median `longest` / 8 and what is longer than `longest` cut to it.

    >>> drawn_lengths("uniform", count=4, longest=100, seed=0)
    (85, 76, 43, 26)
    >>> drawn_lengths("long_tailed", count=4, longest=800, seed=0)
    (275, 201, 82, 52)
    """
    source = random.Random(seed)  # noqa: S311 (nothing to guess: a seeded experiment)
    shares = [max(2.0**-53, source.random()) for _ in range(count)]
    if distribution == "uniform":
        return tuple(max(1, math.ceil(share * longest)) for share in shares)
    normal = NormalDist(math.log(longest / MEDIAN), SPREAD)
    return tuple(min(longest, max(1, round(math.exp(normal.inv_cdf(share))))) for share in shares)


class Stored(NamedTuple):
    """Every sequence of the set, one after another: q, k, v (1, H, tokens, D), and where each begins."""

    q: "torch.Tensor"
    k: "torch.Tensor"
    v: "torch.Tensor"
    lengths: tuple[int, ...]
    starts: tuple[int, ...]

    def alone(self, number: int) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
        """One sequence in place: views (1, H, n, D)."""
        start, length = self.starts[number], self.lengths[number]
        q, k, v = (x[:, :, start : start + length] for x in (self.q, self.k, self.v))
        return q, k, v


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Found:
    """Times are of the whole set, the peak is that of its largest batch; `moved_by_padding` is how many real
    numbers change with what stands in the padding."""
    start: Found = {
        "configuration": asdict(configuration),
        "predicted_peak_bytes": configuration.predicted_peak_bytes,
        "flops": configuration.flops,
        **configuration.counts,
    }
    return start | guarded(configuration.device, lambda: _measured(configuration, budget))


def _measured(configuration: Configuration, budget: float) -> Found:
    from attention_core.kernels import memory, timing
    from attention_core.kernels.backends import kernel_of

    stored = _drawn(configuration)
    device, groups = stored.q.device, grouped(configuration)
    kernel = kernel_of(KERNELS[device.type])

    def whole_set() -> None:
        for numbers in groups:  # a batch is gone before the next one is made
            kernel(batched(stored, numbers))

    cold = timing.once(whole_set, device)
    found, failed = _checked(stored, groups)
    if failed:
        return found | failed
    largest = max(groups, key=lambda numbers: len(numbers) * max(stored.lengths[i] for i in numbers))
    peak = memory.peak_of(lambda: kernel(batched(stored, largest)), device)
    times = timing.repeated(whole_set, device, budget=budget)
    return found | {
        "cold_ms": cold,
        "peak_bytes": peak,
        "median_ms": times.median,
        "p25_ms": times.p25,
        "p75_ms": times.p75,
        "min_ms": times.least,
        "n": times.n,
        "tokens_a_second": configuration.counts["useful_tokens"] / (times.median * 1e-3),
    }


def grouped(configuration: Configuration) -> tuple[range, ...]:
    """The numbers of the sequences of each batch.

    >>> grouped(Configuration("padded", count=5, batch=2))
    (range(0, 2), range(2, 4), range(4, 5))
    """
    count, step = configuration.count, configuration.at_a_time
    return tuple(range(first, min(first + step, count)) for first in range(0, count, step))


def _checked(stored: Stored, groups: Sequence[range]) -> tuple[Found, Found]:
    """(what was found, why it may not be timed: empty when all is right)."""
    from attention_core.kernels.backends import kernel_of
    from attention_core.kernels.calls import read_call
    from attention_core.kernels.spying import spied
    from attention_core.kernels.verifying import check

    wanted = KERNELS[stored.q.device.type]
    kernel = kernel_of(wanted)
    found: Found = {"error": 0.0, "allowed_error": 0.0, "rows_checked": 0, "moved_by_padding": 0}
    right = True
    for numbers in groups:
        call, other = (batched(stored, numbers, fill=fill) for fill in FILLS)
        output, ran, operator = spied(lambda call=call: kernel(call))  # type: ignore[misc]
        found["kernel"] = operator
        if ran != wanted:
            return found, {"outcome": "unsupported", "reason": f"dispatched {operator} instead"}
        moved = (kernel(other) if call.allowed is not None else output) != output
        for row, number in enumerate(numbers):
            length = stored.lengths[number]
            alone = read_call(*stored.alone(number))
            verdict = check(alone, output[row : row + 1, :, :length], rows=CHECKED_ROWS)
            right = right and verdict.right
            # Of the sequences, the one that comes nearest to its tolerance, or goes beyond it.
            if not verdict.error * found["allowed_error"] < found["error"] * verdict.allowed:
                found |= {"error": verdict.error, "allowed_error": verdict.allowed}
            found["rows_checked"] += verdict.rows
            found["moved_by_padding"] += int(moved[row, :, :length].sum())
    if not right:
        return found, {"outcome": "wrong", "reason": "a sequence is not what it is when computed alone"}
    if found["moved_by_padding"]:
        return found, {"outcome": "wrong", "reason": "real rows change with what stands in the padding"}
    return found, {}


def batched(stored: Stored, numbers: Sequence[int], *, fill: float = FILLS[0]) -> "Call":
    """A batch as one call; `fill` stands in the padding. A single sequence is taken in place, unmasked."""
    from attention_core.kernels.calls import Call

    if len(numbers) == 1:
        q, k, v = stored.alone(numbers[0])
        allowed = None
    else:
        q, k, v, allowed = _padded(stored, numbers, fill=fill)
    scale = 1 / math.sqrt(q.shape[-1])
    return Call(q=q, k=k, v=v, allowed=allowed, causal=None, scale=scale, shape=tuple(q.shape))


def _padded(
    stored: Stored, numbers: Sequence[int], *, fill: float
) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]":
    """q, k, v (b, H, longest, D) and who may be attended to (b, 1, 1, longest)."""
    import torch

    lengths = [stored.lengths[number] for number in numbers]
    _, heads, _, width = stored.q.shape
    q, k, v = (stored.q.new_full((len(numbers), heads, max(lengths), width), fill) for _ in range(3))
    for row, number in enumerate(numbers):
        for into, sequence in zip((q, k, v), stored.alone(number), strict=True):
            into[row, :, : lengths[row]] = sequence[0]
    places = torch.arange(max(lengths), device=q.device)
    allowed = places < torch.tensor(lengths, device=q.device)[:, None]
    return q, k, v, allowed[:, None, None]


def _drawn(configuration: Configuration) -> Stored:
    import torch

    generator = torch.Generator().manual_seed(configuration.seed)
    lengths = configuration.lengths
    starts = tuple(sum(lengths[:number]) for number in range(len(lengths)))
    shape = (1, configuration.heads, sum(lengths), configuration.width)
    q, k, v = (
        torch.randn(shape, generator=generator, dtype=torch.float32).to(
            configuration.device, getattr(torch, configuration.dtype)
        )
        for _ in range(3)
    )
    return Stored(q=q, k=k, v=v, lengths=lengths, starts=starts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measure(read(text, Configuration, required="order"), budget=budget),
        arguments,
        module="attention_core.benchmark_padding",
        example='{"order": "sorted", "longest": 512}',
    )


if __name__ == "__main__":
    sys.exit(main())
