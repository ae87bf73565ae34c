"""A new kernel beside the old one on the same inputs: errors, causality, padding, latencies.

    python -m attention_core.benchmark_rollout --json '{"new": "flash", "old": "naive", "length": 512}'

Both are compared with float64 on the same query rows; the new one may err at most twice as much as the old,
plus a few roundings. Then what must not matter is changed: later tokens, and the padding after the real ones.
Only a kernel that passes is timed, in turns with the old one, so that slow drift falls on both.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from attention_core import costs
from attention_core.kernel_rules import allowed_error
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

    Kernel = Callable[[Call], torch.Tensor]

OLD = ("naive", "math")
LEAKY = "leaky"  # a planted mistake: one query sees one later key
NEW = ("flash", "math", "naive", LEAKY)
LEAST, MOST = 20, 400  # rounds
PADDING = 64  # tokens of padding appended


@dataclass(frozen=True)
class Configuration:
    """Causal attention, T = S = length, batch 1; q, k and v standard normal from `seed`."""

    new: str
    old: str = "naive"
    heads: int = 4
    length: int = 512
    width: int = 64
    dtype: str = "float32"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("new", self.new, NEW)
        check_one_of("old", self.old, OLD)
        costs.itemsize(self.dtype)
        for name in ("heads", "length", "width", "seed"):
            least = {"seed": 0, "length": 4}.get(name, 1)
            check_whole(name, getattr(self, name), least=least, most=LARGEST[name])
        check_device(self.device)


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Found:
    """Errors and gates always; latencies only when every gate is passed."""
    return {"configuration": asdict(configuration)} | guarded(
        configuration.device, lambda: _measured(configuration, budget)
    )


def _measured(configuration: Configuration, budget: float) -> Found:
    import torch

    old, new = _kernel(configuration.old), _kernel(configuration.new)
    call = _call(configuration)
    exact, before, after = _exact(call), old(call).double(), new(call).double()
    found: Found = {}
    for name, values in (
        ("old_error", before - exact),
        ("new_error", after - exact),
        ("difference", after - before),
    ):
        found |= _sizes(name, values.abs().flatten().cpu().numpy())
    found["finite"] = bool(torch.isfinite(after).all())
    found["allowed_error"] = allowed_error(
        plain=found["old_error_max"], largest=float(exact.abs().max()), dtype=configuration.dtype
    )
    found["causality"] = _moved_by_later(call, new, after)
    found["padding"] = _moved_by_padding(call, new, after)
    failed = [name for name, passed in gates(found).items() if not passed]
    if failed:
        return found | {"outcome": "wrong", "reason": f"the new kernel fails: {', '.join(failed)}"}
    return found | _latencies(lambda: old(call), lambda: new(call), call.q.device, budget=budget)


def gates(found: Found) -> dict[str, bool]:
    """Which of the conditions hold. A NaN passes none.

    >>> gates({"new_error_max": 1.0, "allowed_error": 2.0, "causality": 0.0, "padding": 3.0, "finite": True})
    {'error': True, 'causality': True, 'padding': False, 'finite': True}
    """
    return {
        "error": found["new_error_max"] <= found["allowed_error"],
        "causality": found["causality"] == 0,
        "padding": found["padding"] <= found["allowed_error"],
        "finite": found["finite"],
    }


def _sizes(name: str, values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> Found:
    middle, high = np.quantile(values, [0.5, 0.99])
    return {
        f"{name}_max": float(values.max()),
        f"{name}_mean": float(values.mean()),
        f"{name}_p50": float(middle),
        f"{name}_p99": float(high),
    }


def _kernel(name: str) -> "Kernel":
    from attention_core.kernels.backends import kernel_of

    return _leaky if name == LEAKY else kernel_of(name)


def _leaky(call: "Call") -> "torch.Tensor":
    from attention_core.kernels.naive import naive_rows

    visible = call.visible()
    assert visible is not None
    visible = visible.clone()
    row = call.queries // 2 - 1
    visible[..., row, row + 1] = True
    return naive_rows(call, call.q, visible)


def _exact(call: "Call") -> "torch.Tensor":
    from attention_core.kernels.naive import naive

    return naive(replace(call, q=call.q.double(), k=call.k.double(), v=call.v.double()))


def _moved_by_later(call: "Call", kernel: "Kernel", output: "torch.Tensor") -> float:
    """The largest change of an earlier output when the second half of the keys and values is another one."""
    half = call.queries // 2
    k, v = call.k.clone(), call.v.clone()
    k[:, :, half:] += 1.0
    v[:, :, half:] += 4.0
    changed = kernel(replace(call, k=k, v=v)).double()
    return float((changed - output)[:, :, :half].abs().max())


def _moved_by_padding(call: "Call", kernel: "Kernel", output: "torch.Tensor") -> float:
    """The largest change of a real position when padding tokens with large values follow it."""
    import torch

    def padded(x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, torch.full_like(x[:, :, :1], 8.0).expand(-1, -1, PADDING, -1)], dim=2)

    longer = replace(call, q=padded(call.q), k=padded(call.k), v=padded(call.v))
    return float((kernel(longer).double()[:, :, : call.queries] - output).abs().max())


def _latencies(
    old: "Callable[[], object]", new: "Callable[[], object]", device: "torch.device", *, budget: float
) -> Found:
    """Percentiles of both, one call of each in turn, the order turned round every time."""
    from attention_core.kernels import timing

    taken: dict[str, list[float]] = {"old": [], "new": []}
    order = [("old", old), ("new", new)]
    end = time.perf_counter() + 2 * budget
    for number in range(MOST + 2):
        for name, call in order if number % 2 == 0 else order[::-1]:
            spent = timing.once(call, device)
            if number >= 2:  # the first two rounds warm up
                taken[name].append(spent)
        if len(taken["new"]) >= LEAST and time.perf_counter() > end:
            break
    found: Found = {"n": len(taken["new"])}
    for name, samples in taken.items():
        for percent in (25, 50, 75, 90, 99):
            found[f"{name}_p{percent}_ms"] = float(np.percentile(samples, percent))
    return found


def _call(configuration: Configuration) -> "Call":
    import torch

    from attention_core.kernels.calls import read_call

    generator = torch.Generator().manual_seed(configuration.seed)
    shape = (1, configuration.heads, configuration.length, configuration.width)
    dtype = getattr(torch, configuration.dtype)
    q, k, v = (
        torch.randn(shape, generator=generator, dtype=torch.float32).to(configuration.device, dtype)
        for _ in range(3)
    )
    return read_call(q, k, v, causal="top_left")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measure(read(text, Configuration, required="new"), budget=budget),
        arguments,
        module="attention_core.benchmark_rollout",
        example='{"new": "flash", "old": "naive", "length": 512}',
    )


if __name__ == "__main__":
    sys.exit(main())
