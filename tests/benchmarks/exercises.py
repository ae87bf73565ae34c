"""How long a variant takes to draw and an answer to mark: `python -m tests.benchmarks.exercises [--seeds N]`.

Generating counts everything up to a usable variant: all tries, right values, every mistake's value.
Marking counts reading the typed text, comparing, and diagnosing; of the answers 50 % are right, 40 %
are planted mistakes, 10 % are unreadable. Every variant is fresh, and so is the first mark on it,
which has to lay out its known mistakes.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from statistics import median

from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import draw_variant
from quiz.exercises.marking import mark_part
from quiz.exercises.variants import Variant

ANSWERS = 10  # marks for each variant; the first is shown apart


def answer(variant: Variant, index: int) -> tuple[str, str]:
    """What is typed, and where: right five times in ten, a planted mistake four times, unreadable once."""
    part = variant.required[0].name
    if index % 10 == 9:
        return part, "1.2.3"
    if index % 2 == 0:
        return part, json.dumps(as_json(variant.right[part]))
    slugs = list(variant.mistakes)
    return part, json.dumps(as_json(variant.mistakes[slugs[(variant.seed + index) % len(slugs)]][part]))


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of the processor: nothing here waits, and other programs do not disturb the figure."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def measure(slug: str, seeds: int) -> dict[str, float]:
    """Milliseconds for one family."""
    family = registry.get(slug)
    draw_variant(family, 0)  # imports and caches of the process are not what is measured
    generate, first, later = [], [], []
    tries = 0
    for seed in range(1, seeds + 1):
        generate.append(timed(lambda: draw_variant(family, seed)))  # noqa: B023
        variant = draw_variant(family, seed)
        tries += variant.tries
        answers = [answer(draw_variant(family, seed), index) for index in range(ANSWERS)]
        marks = [timed(lambda: mark_part(variant, *one)) for one in answers]  # noqa: B023
        first.append(marks[0])
        later += marks[1:]
    return {
        "tries": tries / seeds,
        "generate": median(generate),
        "generate p99": sorted(generate)[int(0.99 * len(generate))],
        "mark first": median(first),
        "mark": median(first + later),
        "mark p99": sorted(first + later)[int(0.99 * len(first + later))],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=300)
    options = parser.parse_args()
    gc.disable()
    columns = ("tries", "generate", "generate p99", "mark first", "mark", "mark p99")
    print(
        f"{'family':16}" + "".join(f"{column:>14}" for column in columns) + "   (milliseconds of processor)"
    )
    for family in registry.all_families():
        figures = measure(family.slug, options.seeds)
        print(f"{family.slug:16}" + "".join(f"{figures[column]:14.3f}" for column in columns))


if __name__ == "__main__":
    main()
