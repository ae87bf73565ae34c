"""Our reading of typed answers beside two public readers, on one file of cases.

`python -m tests.benchmarks.readers`

The others are Open edX's calculator (`pip install openedx-calc`), which reads numbers, and Hugging Face's
Math-Verify (`pip install math-verify`); install them into an environment of their own beside numpy, and run
this there. A case is *right* when a reader gives the expected value, or refuses what should be refused, or
asks where there are two readings; *refused* when it gives nothing for what can be read; *misread* when it
gives a value, and not the right one. Giving one of two possible readings unasked is misreading.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quiz.exercises.reading import read

CASES = Path(__file__).parents[1] / "exercises" / "answers.jsonl"
KINDS = ("number", "matrix", "shape")
Outcome = str | float | list[Any]  # "refuse", "ask" or the value


def ours(kind: str, text: str) -> Outcome:
    reading = read(kind, text)  # type: ignore[arg-type]
    return reading.value if reading.outcome == "value" else reading.outcome


def open_edx(kind: str, text: str) -> Outcome:
    """Its evaluator knows numbers and formulas only; everything that it raises is a refusal."""
    import calc

    if kind != "number":
        return "refuse"
    try:
        value = complex(calc.evaluator({}, {}, text))
    except Exception:
        return "refuse"
    return value.real if value.imag == 0 and math.isfinite(value.real) else "refuse"


def math_verify(kind: str, text: str) -> Outcome:
    """The first thing it finds, as numbers; as it stands, then as a formula between dollar signs."""
    from math_verify import parse

    found = parse(text, parsing_timeout=None) or parse(f"${text}$", parsing_timeout=None)
    if not found or isinstance(found[0], str):
        return "refuse"
    try:
        return _listed(found[0])
    except (TypeError, ValueError, AttributeError):
        return "refuse"


def _listed(value: Any) -> Outcome:
    if hasattr(value, "tolist"):
        return [[float(entry) for entry in row] for row in value.tolist()]
    if hasattr(value, "__iter__"):
        return [_listed(entry) for entry in value]
    return float(value)


def judge(given: Outcome, expected: Outcome) -> str:
    """`right`, `refused` or `misread`."""
    if isinstance(given, str) or isinstance(expected, str):
        if given == expected:
            return "right"
        return "refused" if given == "refuse" else "misread"
    return "right" if _same(given, expected) else "misread"


def _same(one: Outcome, other: Outcome) -> bool:
    if isinstance(one, list) or isinstance(other, list):
        if not (isinstance(one, list) and isinstance(other, list)) or len(one) != len(other):
            return False
        return all(_same(a, b) for a, b in zip(one, other, strict=True))
    return math.isclose(float(one), float(other), rel_tol=1e-4)  # the cases give four decimals


def table(readers: dict[str, Callable[[str, str], Outcome]]) -> list[str]:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    lines = [f"{'reader':14}{'cases':8}{'':>6}{'right':>8}{'refused':>9}{'misread':>9}"]
    for name, reader in readers.items():
        for kind in KINDS:
            chosen = [case for case in cases if case["kind"] == kind]
            counts = Counter(judge(reader(kind, case["text"]), case["expect"]) for case in chosen)
            figures = "".join(
                f"{counts[word]:>{width}}" for word, width in (("right", 8), ("refused", 9), ("misread", 9))
            )
            lines.append(f"{name:14}{kind:8}{len(chosen):>6}{figures}")
    return lines


def main() -> None:
    readers = {"QKV": ours}
    for name, module, reader in (
        ("openedx-calc", "calc", open_edx),
        ("Math-Verify", "math_verify", math_verify),
    ):
        try:
            __import__(module)
        except ImportError:
            print(f"{name} is not installed here; see the docstring of this module")
        else:
            readers[name] = reader
    print("\n".join(table(readers)))


if __name__ == "__main__":
    main()
