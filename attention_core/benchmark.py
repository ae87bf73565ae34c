"""Measure one configuration of attention: right first, then time and peak memory.

    python -m attention_core.benchmark --json '{"backend": "flash", "length": 1024}' [--budget 2]

prints one JSON line, a `Measurement`, whatever the outcome. Run each point in a process of its own, as the
lab does: peak memory starts clean, and running out of memory (the system may kill the process) cannot harm
the caller. A wrong result is never timed; a backend that cannot take the configuration is not replaced by
another.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_core import costs
from attention_core.errors import ShapeError, UnsupportedKernel
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

if TYPE_CHECKING:
    import torch

    from attention_core.kernels.calls import Call

OUTCOMES = ("measured", "wrong", "out_of_memory", "unsupported")


@dataclass(frozen=True)
class Configuration:
    """One point: T = S = length; q, k, v (batch, heads, length, width) are standard normal, from `seed`."""

    backend: str
    batch: int = 1
    heads: int = 8
    length: int = 512
    width: int = 64
    dtype: str = "float32"
    causal: bool = False
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("backend", self.backend, tuple(costs.PEAKS))
        costs.itemsize(self.dtype)
        for name, largest in LARGEST.items():
            check_whole(name, getattr(self, name), least=0 if name == "seed" else 1, most=largest)
        if not isinstance(self.causal, bool):
            raise ShapeError("causal", repr(self.causal), "true or false")
        check_device(self.device)

    @property
    def flops(self) -> int:
        """Forward FLOPs; with the causal rule exactly the visible pairs."""
        return costs.attention_flops(
            batch=self.batch,
            heads=self.heads,
            queries=self.length,
            keys=self.length,
            width=self.width,
            causal="top_left" if self.causal else None,
        )

    @property
    def predicted_peak_bytes(self) -> int:
        """What the call should need beyond its inputs, beside which the measured peak is shown."""
        return costs.peak_bytes(
            self.backend,
            batch=self.batch,
            heads=self.heads,
            length=self.length,
            width=self.width,
            dtype=self.dtype,
        )


@dataclass(frozen=True)
class Measurement:
    """What was found. Times in milliseconds, memory in bytes beyond the inputs; None where not reached or
    not known.

    `load` is how busy the machine was before, `cold_ms` the very first call. `kernel` is the operator that
    was dispatched, `backend_ran` the path it proves.
    `error` against the float64 reference on `rows_checked` query rows was allowed to be `allowed_error`.
    """

    outcome: str
    configuration: dict[str, Any]
    predicted_peak_bytes: int
    flops: int
    machine: dict[str, Any] = field(default_factory=dict)
    load: float | None = None
    reason: str | None = None
    kernel: str | None = None
    backend_ran: str | None = None
    error: float | None = None
    allowed_error: float | None = None
    rows_checked: int | None = None
    cold_ms: float | None = None
    median_ms: float | None = None
    p25_ms: float | None = None
    p75_ms: float | None = None
    min_ms: float | None = None
    n: int = 0
    peak_bytes: int | None = None

    @property
    def tflops(self) -> float | None:
        """10¹² FLOP/s at the median time."""
        return None if not self.median_ms else self.flops / (self.median_ms * 1e-3) / 1e12

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: NaN and infinity become None."""
        values = asdict(self) | {"tflops": self.tflops}
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
    if configuration.device.startswith("cuda") and not torch.cuda.is_available():
        return replace(start, outcome="unsupported", reason="this machine has no usable CUDA device")
    start = replace(start, machine=machine(configuration.device), load=load())
    try:
        with torch.no_grad():
            return _measured(start, configuration, budget)
    except UnsupportedKernel as error:
        return replace(start, outcome="unsupported", reason=str(error))
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        return replace(start, outcome="out_of_memory", reason=first_line(error))


def _measured(start: Measurement, configuration: Configuration, budget: float) -> Measurement:
    from attention_core.kernels import memory, spying, timing
    from attention_core.kernels.backends import kernel_of
    from attention_core.kernels.influence import influenced_rows
    from attention_core.kernels.verifying import check

    call, kernel = _call(configuration), kernel_of(configuration.backend)
    device = call.q.device

    def once() -> "torch.Tensor":
        return kernel(call)

    cold = timing.once(once, device)
    output, ran, operator = spying.spied(once)
    verdict = check(call, output, seed=configuration.seed)
    influenced = (
        influenced_rows(call, kernel, output) if verdict.right and ran == configuration.backend else 0
    )
    del output
    found = replace(
        start,
        kernel=operator,
        backend_ran=ran,
        error=verdict.error,
        allowed_error=verdict.allowed,
        rows_checked=verdict.rows,
        cold_ms=cold,
    )
    if ran != configuration.backend:
        return replace(found, outcome="unsupported", reason=f"dispatched {operator} instead")
    if not verdict.right:
        return replace(found, outcome="wrong", reason="the error is more than allowed", cold_ms=None)
    if influenced:
        reason = f"{influenced} query rows change with values hidden from them"
        return replace(found, outcome="wrong", reason=reason, cold_ms=None)
    peak = memory.peak_of(once, device)
    times = timing.repeated(once, device, budget=budget)
    return replace(
        found,
        peak_bytes=peak,
        median_ms=times.median,
        p25_ms=times.p25,
        p75_ms=times.p75,
        min_ms=times.least,
        n=times.n,
    )


def _call(configuration: Configuration) -> "Call":
    import torch

    from attention_core.kernels.calls import read_call

    # Drawn on the CPU, so that a seed means the same numbers on every device.
    generator = torch.Generator().manual_seed(configuration.seed)
    shape = (configuration.batch, configuration.heads, configuration.length, configuration.width)
    dtype = getattr(torch, configuration.dtype)
    q, k, v = (
        torch.randn(shape, generator=generator, dtype=torch.float32).to(configuration.device, dtype)
        for _ in range(3)
    )
    return read_call(q, k, v, causal="top_left" if configuration.causal else None)


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
