"""The README's figures, counted anew: `python -m tests.counted` prints, `--write` puts them in README.md.

Counted over many seeds: planted mistakes named, right answers refused; read from attention_core's own table:
cases of the ONNX suite. `make prove` fails when the README says anything else.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from quiz.exercises import registry
from quiz.exercises.drawing import draw_variant
from quiz.exercises.marking import mark_part
from tests.exercises.drawn import rounded, typed

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- figures: [^\n]*-->\n)(.*?)(<!-- /figures -->)", re.DOTALL)
SEEDS = 1000


def counted(seeds: int = SEEDS) -> tuple[int, int, int, int]:
    """Mistakes planted and those named; right answers rounded to three decimals and those refused."""
    planted = named = right = refused = 0
    for family in registry.in_group("numeric"):
        for seed in range(seeds):
            variant = draw_variant(family, seed)
            for part in variant.required:
                verdict = mark_part(variant, part.name, typed(rounded(variant.right[part.name])))
                right += 1
                refused += verdict.key != "right"
                for slug, values in variant.mistakes.items():
                    if part.name in values:
                        planted += 1
                        named += slug in mark_part(variant, part.name, typed(values[part.name])).diagnosis
    return planted, named, right, refused


def conformance() -> tuple[int, int]:
    """Cases of the ONNX suite and how many pass on NumPy, summed over attention_core's table."""
    table = (ROOT / "attention_core" / "README.md").read_text()
    rows = re.findall(r"^\| \w+ \| (\d+) \| (\d+)/\d+ \|", table, re.MULTILINE)
    return sum(int(cases) for cases, _ in rows), sum(int(passed) for _, passed in rows)


def lines() -> str:
    planted, named, right, refused = counted()
    cases, passed = conformance()
    families = len(registry.in_group("numeric"))
    return (
        f"- **{named:,} of {planted:,}** planted mistakes named, over {SEEDS:,} seeds of each of "
        f"{families} families: `python -m tests.counted`\n"
        f"- **{refused:,} of {right:,}** right answers refused, rounded to three decimals: the same command\n"
        f"- **{passed} of {cases}** cases of the ONNX operator suite passed by `attention_core`: "
        "`python -m tests.core.conformance` ([table](attention_core/README.md))\n"
    )


def written() -> str:
    """What the README says now."""
    found = BLOCK.search(README.read_text())
    if found is None:
        raise ValueError("README.md has lost its figures' markers")
    return found.group(2)


def main() -> None:
    text = lines()
    print(text, end="")
    if "--write" in sys.argv:
        README.write_text(BLOCK.sub(lambda found: found.group(1) + text + found.group(3), README.read_text()))


if __name__ == "__main__":
    main()
