"""Measure one configuration of attention: right first, then time and peak memory.

    python -m attention_core.benchmark --json '{"backend": "flash", "length": 1024}' [--budget 2]

prints one JSON line, a `Measurement`, whatever the outcome. Run each point in a process of its own, as the
lab does: peak memory starts clean, and running out of memory (the system may kill the process) cannot harm
the caller. A wrong result is never timed; a backend that cannot take the configuration is not replaced by
another.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_core import costs
from attention_core.errors import ArgumentError, NumericalError, ShapeError, UnsupportedKernel

if TYPE_CHECKING:
    import torch

    from attention_core.kernels.calls import Call

OUTCOMES = ("measured", "wrong", "out_of_memory", "unsupported")
BUDGET = 2.0  # seconds of repetitions
_LARGEST = {"batch": 2**16, "heads": 2**12, "length": 2**24, "width": 2**12, "seed": 2**63 - 1}


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
        if self.backend not in costs.PEAKS:
            raise ShapeError("backend", repr(self.backend), " or ".join(costs.PEAKS))
        costs.itemsize(self.dtype)
        for name, largest in _LARGEST.items():
            value = getattr(self, name)
            least = 0 if name == "seed" else 1
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= largest:
                raise ShapeError(name, repr(value), f"a whole number from {least} to {largest}")
        if not isinstance(self.causal, bool):
            raise ShapeError("causal", repr(self.causal), "true or false")
        if self.device.split(":")[0] not in ("cpu", "cuda"):
            raise ShapeError("device", repr(self.device), "'cpu', 'cuda' or 'cuda:N'")

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

    `cold_ms` is the very first call. `kernel` is the operator that was dispatched, `backend_ran` the path it
    proves.
    `error` against the float64 reference on `rows_checked` query rows was allowed to be `allowed_error`.
    """

    outcome: str
    configuration: dict[str, Any]
    predicted_peak_bytes: int
    flops: int
    machine: dict[str, Any] = field(default_factory=dict)
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
    start = replace(start, machine=machine(configuration.device))
    try:
        with torch.no_grad():
            return _measured(start, configuration, budget)
    except UnsupportedKernel as error:
        return replace(start, outcome="unsupported", reason=str(error))
    except (MemoryError, torch.OutOfMemoryError) as error:
        return replace(start, outcome="out_of_memory", reason=_first_line(error))
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):
            raise
        return replace(start, outcome="out_of_memory", reason=_first_line(error))


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


def machine(device: str) -> dict[str, Any]:
    """What the figures were measured on: names, versions, threads."""
    import torch

    from attention_core.kernels.record import cuda_version, cudnn_version, device_name, driver_version

    return {
        "device": device_name(torch.device(device)),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "cuda": cuda_version(),
        "cudnn": cudnn_version(),
        "driver": driver_version(),
        "tf32": torch.backends.cuda.matmul.allow_tf32,
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open() as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def read_configuration(text: str) -> Configuration:
    """From a JSON object; unknown names and wrong values are refused by name.

    >>> read_configuration('{"backend": "flash", "length": 64, "causal": true}').flops
    4259840
    """
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ShapeError("json", repr(text), f"a JSON object ({error})") from None
    if not isinstance(values, dict) or "backend" not in values:
        raise ShapeError("json", repr(text), "a JSON object with at least a backend")
    unknown = values.keys() - Configuration.__dataclass_fields__.keys()
    if unknown:
        raise ShapeError("json", ", ".join(sorted(unknown)), ", ".join(Configuration.__dataclass_fields__))
    return Configuration(**values)


def main(arguments: Sequence[str] | None = None, measuring: Callable[..., Measurement] = measure) -> int:
    """The command: prints a Measurement as one JSON line and returns 0; 2 if the configuration is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m attention_core.benchmark", description="Measure one configuration of attention."
    )
    parser.add_argument("--json", required=True, help='such as {"backend": "flash", "length": 1024}')
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of repetitions (default 2)")
    options = parser.parse_args(arguments)
    try:
        configuration = read_configuration(options.json)
        if not 0 < options.budget <= 3600:
            raise NumericalError("budget", repr(options.budget), "seconds, more than 0 and at most 3600")
    except ArgumentError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    measurement = measuring(configuration, budget=options.budget)
    sys.stdout.write(json.dumps(measurement.as_dict(), allow_nan=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
