"""Find the longest sequence that a memory allowance takes: by the law of `costs`, and by trying.

    python -m attention_core.benchmark_limit --json '{"backend": "naive", "allowance": 64}' [--budget 2]

The allowance is in MiB beyond the inputs and the process itself. Every try runs under a limit that refuses
an allocation beyond it (`kernels.limiting`): nothing is overcommitted, and the system kills nothing. Run it
in a process of its own, as the lab does. The result at the limit is compared with float64. Tries are bounded
in number and time: a length that would take too long is not begun, and what was found until then is told as
a lower bound.
"""

import sys
import time
from collections.abc import Callable, Sequence
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
    first_line,
    guarded,
    read,
)

if TYPE_CHECKING:
    from attention_core.kernels.backends import Kernel
    from attention_core.kernels.calls import Call

MIB = 2**20
BACKENDS = ("flash", "naive", "math", "efficient", "cudnn")
SEARCH = 12  # times the budget: seconds for all tries
MOST_TRIES = 40
WARM = 128  # length of the first calls, which map what stays and tell the speed
PACED = 0.01  # seconds that a call has to take to tell the speed: a shorter one tells of its launch
FINE = 256  # the limit is sought to one part in so many
ABOVE = 1.125  # how far beyond the law is tried, in case that less is needed
CHECKED_HEADS = 4  # at a time


@dataclass(frozen=True)
class Configuration:
    """`allowance` in MiB; q, k, v (1, heads, n, width) are standard normal, from `seed`."""

    backend: str
    allowance: int = 64
    heads: int = 32
    width: int = 128
    dtype: str = "float32"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("backend", self.backend, BACKENDS)
        costs.itemsize(self.dtype)
        check_whole("allowance", self.allowance)
        for name in ("heads", "width", "seed"):
            check_whole(name, getattr(self, name), least=0 if name == "seed" else 1, most=LARGEST[name])
        check_device(self.device)

    @property
    def allowance_bytes(self) -> int:
        return self.allowance * MIB

    @property
    def predicted_n(self) -> int:
        """The longest n by the law."""
        shape = {"batch": 1, "heads": self.heads, "width": self.width}
        return costs.longest_length(self.backend, memory=self.allowance_bytes, dtype=self.dtype, **shape)

    def law(self, n: int) -> int:
        """Bytes that a call of this length should need beyond its inputs."""
        shape = {"batch": 1, "heads": self.heads, "width": self.width}
        return costs.peak_bytes(self.backend, length=n, dtype=self.dtype, **shape)


@dataclass
class Search:
    """The longest length that ran and the shortest that did not, between which the limit lies."""

    most: int
    longest: int = 0
    failed: int | None = None
    tried: int = 0

    def next_length(self, start: int) -> int | None:
        """`start`; from there in doubling steps towards the limit; then halves. None when the limit is known
        to one part in `FINE`, or nothing is left to try.

        >>> Search(most=2000, failed=1000, tried=1).next_length(1000)
        999
        """
        if self.tried == 0:
            return min(start, self.most)
        step: int = 2 ** (self.tried - 1)
        if self.failed is None:
            return min(self.longest + step, self.most) if self.longest < self.most else None
        if self.failed - self.longest <= max(1, self.longest // FINE):
            return None
        return max(1, self.failed - step) if self.longest == 0 else (self.longest + self.failed) // 2


def search(
    runs: Callable[[int], bool], *, start: int, most: int, may_try: Callable[[int], bool] = lambda n: True
) -> Search:
    """The longest n for which `runs(n)`, from `start` on; ends early after `MOST_TRIES`, or where `may_try`
    forbids the next one once something has run. A length that runs may be slow, one that does not is refused
    at once: so the limit is neared from above.

    >>> search(lambda n: n <= 937, start=1000, most=1125)
    Search(most=1125, longest=937, failed=939, tried=11)
    >>> search(lambda n: n <= 937, start=937, most=1125)
    Search(most=1125, longest=937, failed=938, tried=2)
    """
    found = Search(most=most)
    while found.tried < MOST_TRIES:
        n = found.next_length(start)
        if n is None or (found.longest and not may_try(n)):
            break
        found.tried += 1
        if runs(n):
            found.longest = n
        else:
            found.failed = n
    return found


def drawn_length(start: int) -> int:
    """How long the inputs are made, from which every try takes its part.

    >>> drawn_length(1000)
    1133
    """
    return min(int(start * ABOVE) + 8, LARGEST["length"])


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Found:
    """`real_n` ran and `failed_n` did not: `ended_by` is "limit". Otherwise `failed_n` and `limit_n` are None
    and `real_n` is only a lower bound: the time ended first ("time"), or so much more than the law allows
    ran that no more was tried ("law")."""
    start: Found = {
        "configuration": asdict(configuration),
        "allowance_bytes": configuration.allowance_bytes,
        "predicted_n": configuration.predicted_n,
    }
    return start | guarded(configuration.device, lambda: _measured(configuration, budget * SEARCH))


def _measured(configuration: Configuration, seconds: float) -> Found:
    tries = Tries(configuration, seconds=seconds)
    ran: Found = {"kernel": tries.kernel, "backend_ran": tries.ran}
    if tries.ran != configuration.backend:
        return ran | {"outcome": "unsupported", "reason": f"dispatched {tries.kernel} instead"}
    start = max(1, min(configuration.predicted_n, tries.affordable()))
    tries.draw(drawn_length(start))
    longest = drawn_length(configuration.predicted_n)
    limit = search(tries.runs, start=start, most=drawn_length(start), may_try=tries.may)
    found = ran | {"tries": limit.tried, "seconds": tries.spent, "said": tries.said}
    if tries.output is None:
        return found | {"outcome": "out_of_memory", "reason": tries.said}
    found |= tries.checked()
    if not found["error"] <= found["allowed_error"]:
        return found | {"outcome": "wrong", "reason": f"the result is wrong at n = {limit.longest}"}
    return found | {
        "real_n": limit.longest,
        "failed_n": limit.failed,
        "ended_by": "limit" if limit.failed else "law" if limit.longest == longest else "time",
        "limit_n": None if limit.failed is None else limit.longest,
        "ratio": limit.longest / configuration.predicted_n if configuration.predicted_n else None,
        "left_bytes": configuration.allowance_bytes - configuration.law(limit.longest),
    }


class Tries:
    """Runs single lengths under the limit and keeps account of the time; the longest result is kept."""

    def __init__(self, configuration: Configuration, *, seconds: float) -> None:
        """The first calls, at a small length and without a limit."""
        import torch

        from attention_core.kernels import limiting, spying
        from attention_core.kernels.backends import kernel_of

        self.configuration, self.seconds = configuration, seconds
        self.attend: Kernel = kernel_of(configuration.backend)
        self.device = torch.device(configuration.device)
        self.said: str | None = None  # by the last failure
        self.output: torch.Tensor | None = None
        if self.device.type == "cpu":
            limiting.hand_memory_back()
        self.draw(WARM)
        call = self._call(WARM)
        _output, self.ran, self.kernel = spying.spied(lambda: self.attend(call))
        self.pace, self.paced_at = self._pace(WARM), WARM
        while self.pace < PACED and 2 * self.paced_at <= configuration.predicted_n:
            self.paced_at *= 2
            self.draw(self.paced_at)
            self.pace = self._pace(self.paced_at)
        self.begun = time.monotonic()

    def _pace(self, n: int) -> float:
        """Seconds of a call of this length."""
        from attention_core.kernels import timing

        call = self._call(n)
        return min(timing.once(lambda: self.attend(call), self.device) for _ in range(3)) / 1e3

    @property
    def spent(self) -> float:
        """Seconds since the first calls."""
        return time.monotonic() - self.begun

    def affordable(self) -> int:
        """The longest n that should take at most half of the time, as arithmetic grows with n²."""
        return int(self.paced_at * (self.seconds / 2 / self.pace) ** 0.5)

    def may(self, n: int) -> bool:
        """Whether there is time for this length, should it run."""
        return self.spent + self.pace * (n / self.paced_at) ** 2 <= self.seconds

    def draw(self, most: int) -> None:
        """Normal numbers for q, k and v of any length up to `most`, drawn on the device: they may be many."""
        import torch

        generator = torch.Generator(self.device).manual_seed(self.configuration.seed)
        count = self.configuration.heads * most * self.configuration.width
        dtype = getattr(torch, self.configuration.dtype)
        self.numbers: tuple[torch.Tensor, ...] = tuple(
            torch.randn(count, generator=generator, device=self.device, dtype=torch.float32).to(dtype)
            for _ in range(3)
        )

    def _call(self, n: int) -> "Call":
        from attention_core.kernels.calls import read_call

        heads, width = self.configuration.heads, self.configuration.width
        q, k, v = (x[: heads * n * width].view(1, heads, n, width) for x in self.numbers)
        return read_call(q, k, v)

    def runs(self, n: int) -> bool:
        """Whether a call of this length ends under the limit."""
        from attention_core.kernels import limiting

        call, begun = self._call(n), time.monotonic()
        try:
            with limiting.limited(self.device, self.configuration.allowance_bytes):
                self.output = self.attend(call)
        except (MemoryError, RuntimeError) as error:
            if not limiting.exhausted(error):
                raise
            self.said = first_line(error)
            return False
        if n > self.paced_at:
            self.pace, self.paced_at = time.monotonic() - begun, n
        return True

    def checked(self) -> Found:
        """The kept result against float64, a few heads at a time, so that the wide copies stay small."""
        from attention_core.kernels.calls import read_call
        from attention_core.kernels.verifying import check

        assert self.output is not None
        call = self._call(self.output.shape[-2])
        found: Found = {"error": 0.0, "allowed_error": 0.0, "rows_checked": 0}
        for first in range(0, self.configuration.heads, CHECKED_HEADS):
            few = slice(first, first + CHECKED_HEADS)
            part = read_call(call.q[:, few], call.k[:, few], call.v[:, few])
            verdict = check(part, self.output[:, few], seed=self.configuration.seed)
            # The heads that come nearest to their tolerance, or go beyond it.
            if not verdict.error * found["allowed_error"] < found["error"] * verdict.allowed:
                found |= {"error": verdict.error, "allowed_error": verdict.allowed}
            found["rows_checked"] = verdict.rows
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measure(read(text, Configuration, required="backend"), budget=budget),
        arguments,
        module="attention_core.benchmark_limit",
        example='{"backend": "naive", "allowance": 64}',
    )


if __name__ == "__main__":
    sys.exit(main())
