"""Milliseconds of each stage of an exercise: `python -m tests.benchmarks.exercises [--seeds N]`.

- generate: all tries of the draw, right values, every mistake's value: up to a usable variant;
- read: the typed text of the right answer to its value;
- mark: a right answer, read and compared;
- named: a planted mistake, read, compared and diagnosed, on a variant that was never marked before (it has
  to lay out its known mistakes first);
- unknown: an answer that no mistake gives, on a fresh variant: the whole ladder, pairs and slips.

Median and 99th percentile, of processor time: nothing here waits, and other programs do not disturb it.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator
from statistics import median

from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import draw_variant
from quiz.exercises.family import Family
from quiz.exercises.marking import mark_part
from quiz.exercises.receiving import receive
from quiz.exercises.types import Value
from quiz.exercises.variants import Variant

STAGES = ("generate", "read", "mark", "named", "unknown")
STRANGE = 7.7191  # added to numbers, unevenly: no mistake gives that


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def strange(value: Value, step: int = 1) -> Value:
    """A value of the same shape that no known mistake gives; a choice stays, it has no others."""
    if isinstance(value, list):
        return [strange(item, step + index) for index, item in enumerate(value)]
    if isinstance(value, str) or value is None:
        return value
    return value + 97 * step if isinstance(value, int) else value + STRANGE * step


def rounds(family: Family, seeds: int) -> Iterator[dict[str, float]]:
    """The time of each stage, seed by seed."""
    draw_variant(family, 0)  # imports and caches of the process are not what is measured

    def fresh(seed: int) -> Variant:
        return draw_variant(family, seed)

    for seed in range(1, seeds + 1):
        variant = fresh(seed)
        part = variant.required[0]
        right = json.dumps(as_json(variant.right[part.name]))
        mistakes = [values[part.name] for values in variant.mistakes.values() if part.name in values]
        planted = json.dumps(as_json(mistakes[seed % len(mistakes)]))
        unknown = json.dumps(as_json(strange(variant.right[part.name])))
        first, second, third = fresh(seed), fresh(seed), fresh(seed)
        yield {
            "generate": timed(lambda: fresh(seed)),  # noqa: B023
            "read": timed(lambda: receive(part, right)),  # noqa: B023
            "mark": timed(lambda: mark_part(first, part.name, right)),  # noqa: B023
            "named": timed(lambda: mark_part(second, part.name, planted)),  # noqa: B023
            "unknown": timed(lambda: mark_part(third, part.name, unknown)),  # noqa: B023
        }


def quantiles(times: list[float]) -> tuple[float, float]:
    return median(times), sorted(times)[int(0.99 * len(times))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    options = parser.parse_args()
    gc.disable()
    print(f"{'p50 / p99, ms':24}" + "".join(f"{stage:>17}" for stage in STAGES))
    worst = dict.fromkeys(STAGES, (0.0, 0.0))
    for family in registry.all_families():
        found = list(rounds(family, options.seeds))
        gc.collect()
        line = ""
        for stage in STAGES:
            p50, p99 = quantiles([one[stage] for one in found])
            worst[stage] = (max(worst[stage][0], p50), max(worst[stage][1], p99))
            line += f"{p50:9.3f} /{p99:6.2f}"
        print(f"{family.slug:24}{line}", flush=True)
    print(f"{'the slowest family':24}" + "".join(f"{a:9.3f} /{b:6.2f}" for a, b in worst.values()))


if __name__ == "__main__":
    main()
