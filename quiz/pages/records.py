"""What the tests counted, read from where they wrote it: README.md and attention_core/README.md.

Neither is typed: `python -m tests.counted --write` and `python -m tests.core.conformance --write` make them,
and the long proofs fail when they say anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_FIGURES = re.compile(r"<!-- figures: [^\n]*-->\n(.*?)<!-- /figures -->", re.DOTALL)
_CONFORMANCE = re.compile(r"<!-- conformance: [^\n]*-->\n(.*?)<!-- /conformance -->", re.DOTALL)
_OF = re.compile(r"\*\*([\d,]+) of ([\d,]+)\*\*")
_SEEDS = re.compile(r"over ([\d,]+) seeds of each of (\d+) families")


@dataclass(frozen=True, kw_only=True)
class Separation:
    """Planted mistakes that were named and right answers that were refused, over so many seeds a family."""

    named: str
    planted: str
    refused: str
    right: str
    seeds: str
    families: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of the conformance run, as text."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def libraries(self) -> tuple[str, ...]:
        """Of the operators' table: the array libraries, after the operator and its cases."""
        return self.head[2:]


@cache
def separation() -> Separation:
    text = _block(_FIGURES, "README.md")
    (named, planted), (refused, right), *_rest = _OF.findall(text)
    seeds, families = _SEEDS.findall(text)[0]
    return Separation(
        named=named, planted=planted, refused=refused, right=right, seeds=seeds, families=families
    )


@cache
def operators() -> Table:
    """Cases of the ONNX operator suite and how many each library passes."""
    return _tables()[0]


@cache
def dispatches() -> Table:
    """What each kernel did with the cases of attention: passed, fell back, refused."""
    return _tables()[1]


def _tables() -> tuple[Table, ...]:
    text = _block(_CONFORMANCE, "attention_core/README.md")
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return tuple(_table(block) for block in blocks)


def _table(block: str) -> Table:
    head, _rule, *rows = (
        tuple(cell.strip().strip("`") for cell in line.strip("|").split("|")) for line in block.splitlines()
    )
    return Table(head=head, rows=tuple(rows))


def _block(pattern: re.Pattern[str], name: str) -> str:
    found = pattern.search((_ROOT / name).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{name} has lost the marks between which its counts stand")
    return found[1]
