"""One mistake in attention, seen from outside: what it does to the weights, and the check that catches it.

    python -m attention_core.fault_report --json '{"fault": "reversed_mask"}'

Nothing is timed and nothing is drawn by chance but random normal inputs from a seed, so a report is the same
wherever it is made. Each report has two numbers, for the right pipeline and for the broken one: a `symptom`
that one would notice, and a `check` that gives the mistake away (what it should give: see CHECKS).
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Unpack

import numpy as np

from attention_core import drills
from attention_core.faults import steps_with
from attention_core.faults.probing import differs
from attention_core.inputs import Options
from attention_core.measuring import BUDGET, Found, check_device, check_one_of, check_whole, command, read
from attention_core.pipeline import RIGHT, Steps, Trace, follow, prepare

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
FAULTS = ("reversed_mask", "no_scale", "softmax_over_columns", "nan_rows")
MOST_TOKENS = 12


@dataclass(frozen=True)
class Configuration:
    """`tokens` queries and keys of this `width`, standard normal from `seed`."""

    fault: str
    tokens: int = 6
    width: int = 64
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_one_of("fault", self.fault, FAULTS)
        check_whole("tokens", self.tokens, least=3, most=MOST_TOKENS)
        check_whole("width", self.width, least=2, most=1024)
        check_whole("seed", self.seed, least=0, most=2**63 - 1)
        check_device(self.device)

    @property
    def options(self) -> Options:
        """What is asked of attention: a causal rule, or a mask that hides everything from query 2."""
        if self.fault == "nan_rows":
            return {"mask": np.arange(self.tokens)[:, None] != 1}
        return {"causal": "top_left"} if self.fault == "reversed_mask" else {}


def measure(configuration: Configuration, *, budget: float = BUDGET) -> Found:
    """The report. `budget` has no meaning here."""
    q, k, v = _drawn(configuration)
    broken = steps_with(configuration.fault)
    right_trace, broken_trace = (_run(steps, q, k, v, **configuration.options) for steps in (RIGHT, broken))
    symptom, check = SYMPTOMS[configuration.fault], CHECKS[configuration.fault]
    found: Found = {
        "outcome": "measured",
        "reason": None,
        "configuration": asdict(configuration),
        "difference": differs(right_trace.output, broken_trace.output),
        "caught_by": ", ".join(sorted(drills.symptoms(drills.implementation(configuration.fault)))),
        "weights_right": right_trace.weights.tolist(),
        "weights_broken": broken_trace.weights.tolist(),
    }
    for name, steps in (("right", RIGHT), ("broken", broken)):
        found[f"symptom_{name}"] = symptom(_run(steps, q, k, v, **configuration.options))
        found[f"check_{name}"] = check(steps, configuration)
    caught = found["check_right"] != found["check_broken"]
    return found if caught else found | {"outcome": "wrong", "reason": "the check does not tell them apart"}


def _drawn(configuration: Configuration) -> tuple[Numbers, Numbers, Numbers]:
    rng = np.random.default_rng(configuration.seed)
    q, k, v = rng.standard_normal((3, configuration.tokens, configuration.width))
    return q, k, v


def _run(steps: Steps, q: Numbers, k: Numbers, v: Numbers, **options: Unpack[Options]) -> Trace:
    with np.errstate(all="ignore"):
        return follow(prepare(q, k, v, **options), steps)


def _future_share(trace: Trace) -> float:
    """The share of all weight that lies on later tokens."""
    return float(np.triu(trace.weights, 1).sum() / trace.weights.sum())


def _largest_weight(trace: Trace) -> float:
    """The largest weight of a row, on average: 1 is a softmax that has become a choice."""
    return float(trace.weights.max(axis=-1).mean())


def _largest_row_sum(trace: Trace) -> float:
    """The largest sum of a row of weights."""
    return float(trace.weights.sum(axis=-1).max())


def _rows_after_another_layer(trace: Trace) -> float:
    """Rows that are no numbers once another layer, here one that averages all rows, has mixed the output."""
    averaged = np.full_like(trace.weights, 1 / len(trace.output)) @ trace.output
    return float(np.isnan(averaged).any(axis=-1).sum())


def _earlier_rows_move(steps: Steps, configuration: Configuration) -> float:
    """By how much the earlier outputs move when the last token changes."""
    q, k, v = _drawn(configuration)
    before = _run(steps, q, k, v, **configuration.options).output[:-1]
    k[-1] += 1.0
    v[-1] += 1.0
    return float(np.abs(_run(steps, q, k, v, **configuration.options).output[:-1] - before).max())


def _spread_of_scores(steps: Steps, configuration: Configuration) -> float:
    """The standard deviation of the scores that reach the softmax: about 1 for standard normal inputs."""
    return float(_run(steps, *_drawn(configuration)).masked.std())


def _row_sums_miss_one(steps: Steps, configuration: Configuration) -> float:
    """How far the sum of a row of weights is from 1 at most."""
    sums = _run(steps, *_drawn(configuration)).weights.sum(axis=-1)
    return round(float(np.abs(sums - 1.0).max()), 12)


def _not_numbers(steps: Steps, configuration: Configuration) -> float:
    """How many numbers of the output are NaN or infinite."""
    return float((~np.isfinite(_run(steps, *_drawn(configuration), **configuration.options).output)).sum())


SYMPTOMS: Mapping[str, Callable[[Trace], float]] = MappingProxyType(
    {
        "reversed_mask": _future_share,
        "no_scale": _largest_weight,
        "softmax_over_columns": _largest_row_sum,
        "nan_rows": _rows_after_another_layer,
    }
)
CHECKS: Mapping[str, Callable[[Steps, Any], float]] = MappingProxyType(
    {
        "reversed_mask": _earlier_rows_move,
        "no_scale": _spread_of_scores,
        "softmax_over_columns": _row_sums_miss_one,
        "nan_rows": _not_numbers,
    }
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints one JSON line and returns 0; 2 if the configuration is refused."""
    return command(
        lambda text, budget: measure(read(text, Configuration, required="fault"), budget=budget),
        arguments,
        module="attention_core.fault_report",
        example='{"fault": "reversed_mask"}',
    )


if __name__ == "__main__":
    sys.exit(main())
