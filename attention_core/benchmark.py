"""Measure one configuration of attention, forward or also backward: right first, then time and peak memory.

    python -m attention_core.benchmark --json '{"backend": "flash", "length": 1024}' [--budget 2]

prints one JSON line, a `Measurement`, whatever the outcome. Run each point in a process of its own, as the
lab does: peak memory starts clean, and running out of memory (the system may kill the process) cannot harm
the caller. A wrong result is never timed; a backend that cannot take the configuration is not replaced by
another; a speed beyond what the machine can do is not shown as measured.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_core import costs
from attention_core.errors import ShapeError, UnsupportedKernel
from attention_core.kernel_rules import Request, refused_by_pytorch
from attention_core.measuring import (
    BUDGET,
    LARGEST,
    check_device,
    check_one_of,
    check_whole,
    command,
    first_line,
    load,
    machine,
    ran_out,
    read,
)
from attention_core.peaks import ceiling_of, implausible

if TYPE_CHECKING:
    import torch

    from attention_core.kernels.backends import Kernel
    from attention_core.kernels.calls import Call

OUTCOMES = ("measured", "wrong", "out_of_memory", "unsupported")
PASSES = ("forward", "training")


@dataclass(frozen=True)
class Configuration:
    """One point: T = S = length; q, k, v (batch, heads, length, width) are standard normal, from `seed`.

    `passes`: "forward", or "training": forward, then backward from a standard normal upstream gradient.
    """

    backend: str
    batch: int = 1
    heads: int = 8
    length: int = 512
    width: int = 64
    dtype: str = "float32"
    causal: bool = False
    passes: str = "forward"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("backend", self.backend, tuple(costs.PEAKS))
        check_one_of("passes", self.passes, PASSES)
        costs.itemsize(self.dtype)
        for name, largest in LARGEST.items():
            check_whole(name, getattr(self, name), least=0 if name == "seed" else 1, most=largest)
        if not isinstance(self.causal, bool):
            raise ShapeError("causal", repr(self.causal), "true or false")
        check_device(self.device)

    @property
    def trains(self) -> bool:
        """Whether the backward pass is measured too."""
        return self.passes == "training"

    @property
    def flops(self) -> int:
        """4·H·D a visible pair, exactly those; backward counts 2.5 times that (five products for two)."""
        sizes = {"batch": self.batch, "heads": self.heads, "queries": self.length, "keys": self.length}
        causal = "top_left" if self.causal else None
        forward = costs.attention_flops(width=self.width, causal=causal, **sizes)
        if not self.trains:
            return forward
        return forward + costs.attention_backward_flops(width=self.width, causal=causal, **sizes)

    @property
    def predicted_peak_bytes(self) -> int | None:
        """What the call should need beyond its inputs, beside which the measured peak is shown; None where
        no law is known.
        """
        shape = {name: getattr(self, name) for name in ("batch", "heads", "length", "width", "dtype")}
        if not self.trains:
            return costs.peak_bytes(self.backend, **shape)
        return (
            costs.training_peak_bytes(self.backend, **shape) if self.backend in costs.WITH_BACKWARD else None
        )


@dataclass(frozen=True)
class Measurement:
    """What was found. Times in milliseconds, memory in bytes beyond the inputs; None where not reached or
    not known.

    `implausible`: not the result is wrong but its time. `load` is how busy the machine was before,
    `cold_ms` the very first call. `kernel` is the operator that was dispatched, `backend_ran` the path it
    proves; on a card `launched` names the kernels it launched and `tile` the one that `triton_flash` was
    tuned to. `error` against the float64 reference on `rows_checked` query rows was allowed to be
    `allowed_error`; `gradient_error` is that of the gradient, of `gradient_of`, which errs most beside
    what it is allowed. Calls follow one another: `caches` are warm. `card_before` and `card_after` are
    what `card.cards` says of this card, `other_processes` how many others computed on it before, and
    `process_bytes` what this process held there in the end by the driver's count: with its context, the
    libraries' workspaces and what the allocator keeps.
    """

    outcome: str
    configuration: dict[str, Any]
    predicted_peak_bytes: int | None
    flops: int
    caches: str = "warm"
    machine: dict[str, Any] = field(default_factory=dict)
    load: float | None = None
    reason: str | None = None
    implausible: bool = False
    kernel: str | None = None
    backend_ran: str | None = None
    launched: str | None = None
    tile: str | None = None
    error: float | None = None
    allowed_error: float | None = None
    rows_checked: int | None = None
    gradient_of: str | None = None
    gradient_error: float | None = None
    allowed_gradient_error: float | None = None
    cold_ms: float | None = None
    median_ms: float | None = None
    p25_ms: float | None = None
    p75_ms: float | None = None
    min_ms: float | None = None
    n: int = 0
    peak_bytes: int | None = None
    other_processes: int | None = None
    process_bytes: int | None = None
    card_before: dict[str, Any] | None = None
    card_after: dict[str, Any] | None = None

    @property
    def tflops(self) -> float | None:
        """10¹² FLOP/s at the median time."""
        return None if not self.median_ms else self.flops / (self.median_ms * 1e-3) / 1e12

    @property
    def percent_of_peak(self) -> float | None:
        """Of the card's published dense peak; None where there is none for it and this dtype."""
        ceiling = ceiling_of(self.machine, str(self.configuration["dtype"]))
        if ceiling is None or not ceiling.published or self.tflops is None:
            return None
        return 100 * self.tflops * 1e12 / ceiling.flops_a_second

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: NaN and infinity become None."""
        values = asdict(self) | {"tflops": self.tflops, "percent_of_peak": self.percent_of_peak}
        return {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in values.items()
        }


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Measurement:
    """Measure one point in this process; `budget` is in seconds of repetitions, after the check."""
    import torch

    start = Measurement(
        outcome="measured",
        configuration=asdict(configuration),
        predicted_peak_bytes=configuration.predicted_peak_bytes,
        flops=configuration.flops,
    )
    on_card = configuration.device == "cuda"
    if on_card and not torch.cuda.is_available():
        return replace(start, outcome="unsupported", reason="this machine has no usable CUDA device")
    seen = Seen() if on_card else None  # before this process uses the card itself
    start = replace(start, machine=machine(configuration.device), load=load())
    try:
        with torch.no_grad():
            found = _measured(start, configuration, budget)
    except UnsupportedKernel as error:
        found = replace(start, outcome="unsupported", reason=_why(configuration, error))
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        found = replace(start, outcome="out_of_memory", reason=first_line(error))
    return found if seen is None else replace(found, **seen.told(found.machine.get("uuid")))


def _why(configuration: Configuration, error: UnsupportedKernel) -> str:
    """The rule that foresaw it, when PyTorch itself only says that it found nothing."""
    request = Request(
        device=configuration.device,
        dtype=configuration.dtype,
        width=configuration.width,
        value_width=configuration.width,
    )
    rule = refused_by_pytorch(configuration.backend, request)
    return str(error) if rule is None else f"{rule}. {error}"


def _measured(start: Measurement, configuration: Configuration, budget: float) -> Measurement:
    from attention_core.kernels import memory, spying, timing
    from attention_core.kernels.triton_flash import tuned_tile

    call, kernel, once = _prepared(configuration)
    device = call.q.device
    cold = timing.once(once, device)
    results, ran, operator = spying.spied(once)
    output = results[0]
    del results
    found = replace(start, kernel=operator, backend_ran=ran)
    if ran != configuration.backend:
        found = _checked(found, configuration, (call, kernel), output)
        return replace(found, outcome="unsupported", reason=f"dispatched {operator} instead")
    found = _checked(found, configuration, (call, kernel), output)
    del output
    if found.outcome == "wrong":
        return found
    found = replace(
        found,
        tile=(tuned_tile(call) or None) if ran == "triton_flash" else None,
        peak_bytes=memory.peak_of(once, device),
    )
    times = timing.repeated(once, device, budget=budget)
    found = replace(found, launched="; ".join(spying.launched(once, device)) or None)
    speed = configuration.flops / (times.median * 1e-3)
    if reason := implausible(speed, ceiling_of(start.machine, configuration.dtype)):
        return replace(found, outcome="wrong", reason=reason, implausible=True)
    return replace(
        found,
        cold_ms=cold,
        median_ms=times.median,
        p25_ms=times.p25,
        p75_ms=times.p75,
        min_ms=times.least,
        n=times.n,
    )


def _checked(
    found: Measurement, configuration: Configuration, what: "tuple[Call, Kernel]", output: "torch.Tensor"
) -> Measurement:
    """With the errors; "wrong" when one is more than allowed or hidden values have an influence."""
    from attention_core.kernels.backward import check_gradients, worst_of
    from attention_core.kernels.influence import influenced_rows
    from attention_core.kernels.verifying import check

    call, kernel = what
    verdict = check(call, output, seed=configuration.seed)
    found = replace(found, error=verdict.error, allowed_error=verdict.allowed, rows_checked=verdict.rows)
    if found.backend_ran != configuration.backend:
        return found
    if not verdict.right:
        return replace(found, outcome="wrong", reason="the error is more than allowed")
    if configuration.trains:  # without gradients another kernel may run, whose bits are others
        output = kernel(call)
    if influenced := influenced_rows(call, kernel, output):
        reason = f"{influenced} query rows change with values hidden from them"
        return replace(found, outcome="wrong", reason=reason)
    if not configuration.trains:
        return found
    del output
    upstream = _upstream(configuration)
    name, worst = worst_of(check_gradients(call, kernel, upstream, seed=configuration.seed))
    found = replace(found, gradient_of=name, gradient_error=worst.error, allowed_gradient_error=worst.allowed)
    if not worst.right:
        reason = f"the error of the gradient of {name} is more than allowed"
        return replace(found, outcome="wrong", reason=reason)
    return found


def _prepared(
    configuration: Configuration,
) -> "tuple[Call, Kernel, Callable[[], tuple[torch.Tensor, ...]]]":
    """The inputs, the kernel, and one call of what is measured: the output first, then any gradients."""
    from attention_core.kernels.backends import kernel_of
    from attention_core.kernels.backward import trained

    call, kernel = _call(configuration), kernel_of(configuration.backend)
    if not configuration.trains:
        return call, kernel, lambda: (kernel(call),)
    upstream = _upstream(configuration)
    return call, kernel, lambda: trained(call, kernel, upstream)


def _call(configuration: Configuration) -> "Call":
    from attention_core.kernels.calls import read_call

    q, k, v = _drawn(configuration, seed=configuration.seed, count=3)
    return read_call(q, k, v, causal="top_left" if configuration.causal else None)


def _upstream(configuration: Configuration) -> "torch.Tensor":
    """∂loss/∂output, of its own seed."""
    return _drawn(configuration, seed=2**63 - 1 - configuration.seed, count=1)[0]


def _drawn(configuration: Configuration, *, seed: int, count: int) -> "list[torch.Tensor]":
    import torch

    # Drawn on the CPU, so that a seed means the same numbers on every device.
    generator = torch.Generator().manual_seed(seed)
    shape = (configuration.batch, configuration.heads, configuration.length, configuration.width)
    dtype = getattr(torch, configuration.dtype)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float32).to(configuration.device, dtype)
        for _ in range(count)
    ]


class Seen:
    """The cards and who uses them, as they were when this was made, and what has become of them since."""

    def __init__(self) -> None:
        from attention_core.kernels import card

        self._card = card
        self._before, self._users = card.cards(), card.users()

    def told(self, uuid: Any) -> dict[str, Any]:
        """The fields of a Measurement about the card of this UUID."""
        users = self._card.users()
        before, after = ((told or {}).get(uuid, {}) for told in (self._users, users))
        return {
            "card_before": self._before.get(uuid),
            "card_after": self._card.cards().get(uuid),
            # A card whose users are not told seems to have none, though this process is one.
            "other_processes": len(before.keys() - {os.getpid()}) if after else None,
            "process_bytes": self._card.own(before, after),
        }


def read_configuration(text: str) -> Configuration:
    """From a JSON object; unknown names and wrong values are refused by name.

    >>> read_configuration('{"backend": "flash", "length": 64, "causal": true}').flops
    4259840
    """
    return read(text, Configuration, required="backend")


def main(arguments: Sequence[str] | None = None, measuring: Callable[..., Measurement] = measure) -> int:
    """The command: prints a Measurement as one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measuring(read_configuration(text), budget=budget).as_dict(),
        arguments,
        module="attention_core.benchmark",
        example='{"backend": "flash", "length": 1024}',
    )


if __name__ == "__main__":
    sys.exit(main())
