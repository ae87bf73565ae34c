"""Rows a second of `manage.py autocheck`: `python -m tests.benchmarks.autocheck [--processes N]`.

Two files, timed from the command's start to its end, the start of Python and of the workers included:
distinct variants (every row draws anew); and 1,000 variants answered many times over, every response
different, 50 % right, 40 % wrong (half of these planted mistakes), 10 % malformed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import vary
from quiz.exercises.types import Value

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("candidate", "family", "seed", "part", "response")
Rows = Iterator[tuple[str, str, int, str, str]]


def nudged(value: Value, rng: random.Random, by: float) -> Value:
    """The value with every number moved a little, so that no two responses are the same text."""
    if isinstance(value, list):
        return [nudged(item, rng, by) for item in value]
    if isinstance(value, str):
        return value
    return value + rng.uniform(-by, by) if isinstance(value, float) else value


def distinct(count: int) -> Rows:
    slugs = [family.slug for family in registry.all_families()]
    for index in range(count):
        slug = slugs[index % len(slugs)]
        variant = vary(slug, index)
        part = variant.required[0].name
        yield f"c{index}", slug, index, part, json.dumps(as_json(variant.right[part]))


def repeated(variants: int, count: int) -> Rows:
    rng = random.Random(0)
    slugs = [family.slug for family in registry.all_families()]
    for index in range(count):
        number = index % variants
        slug = slugs[number % len(slugs)]
        variant = vary(slug, number)
        part = variant.required[0].name
        right = nudged(as_json(variant.right[part]), rng, 0.002)
        kind = rng.random()
        if kind < 0.5:
            response = json.dumps(right)
        elif kind < 0.7:
            mistakes = [values[part] for values in variant.mistakes.values() if part in values]
            response = json.dumps(nudged(as_json(mistakes[index % len(mistakes)]), rng, 0.002))
        elif kind < 0.9:
            response = json.dumps(nudged(right, rng, 3.0)) if isinstance(right, (list, float)) else str(index)
        else:
            response = f"{index}.5.{index}"
        yield f"c{index}", slug, number, part, response


def write(path: Path, rows: Rows) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        written = list(rows)
        writer.writerows(written)
    return len(written)


def run(path: Path, processes: int | None) -> tuple[float, float]:
    """Seconds on the clock and of the processors, children included."""
    command = [sys.executable, "manage.py", "autocheck", str(path), "--output", str(path.with_suffix(".out"))]
    if processes is not None:
        command += ["--processes", str(processes)]
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True)
    seconds, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the first file")
    parser.add_argument("--variants", type=int, default=1000, help="variants of the second file")
    parser.add_argument("--answers", type=int, default=50, help="responses for each of these variants")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("QUIZ_DATA_DIR", folder)
        files = {
            "distinct variants": distinct(options.rows),
            f"{options.variants} variants": repeated(options.variants, options.variants * options.answers),
        }
        for name, rows in files.items():
            path = Path(folder) / "rows.csv"
            count = write(path, rows)
            seconds, used = run(path, options.processes)
            speed = f"{count / seconds:8.0f} rows/s {1000 * used / count:8.3f} ms of processor a row"
            print(f"{name:20} {count:8} rows {seconds:8.2f} s {speed}", flush=True)


if __name__ == "__main__":
    main()
