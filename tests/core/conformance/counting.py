"""The counts as the two tables of attention_core/README.md, between markers that this module owns."""

from __future__ import annotations

from pathlib import Path

from tests.core.conformance.cases import cases
from tests.core.conformance.dispatching import PORTABLE, count
from tests.core.conformance.libraries import LIBRARIES
from tests.core.conformance.operators import OPERATORS, failures

README = Path(__file__).resolve().parents[3] / "attention_core" / "README.md"
START, END = (
    "<!-- conformance: written by python -m tests.core.conformance --write -->",
    "<!-- /conformance -->",
)


def tables() -> str:
    """Both tables in Markdown."""
    return f"{_operators()}\n{_dispatcher()}"


def _operators() -> str:
    lines = [_row("ONNX operator", "cases", *(library.name for library in LIBRARIES))]
    lines.append(_row(*["---"] * 2, *["---:"] * len(LIBRARIES)))
    for operator in OPERATORS:
        held = len(cases()[operator])
        passed = (held - len(failures(operator, library)) for library in LIBRARIES)
        lines.append(_row(operator, str(held), *(f"{number}/{held}" for number in passed)))
    return "\n".join(lines) + "\n"


def _dispatcher() -> str:
    header = ("`kernels.run`", "passed", "fell back", "refused")
    lines = [_row(*header), _row("---", *["---:"] * 3)]
    because: dict[str, dict[str, int]] = {}
    for backend in PORTABLE:
        counts = count(backend)
        totals = (counts.passed, counts.fell_back.total(), counts.refused.total())
        lines.append(_row(backend, *map(str, totals)))
        because |= {f"{backend} fell back": counts.fell_back, "refused": counts.refused}
    reasons = [
        f"- {what}: " + "; ".join(f"{number} × {reason}" for reason, number in sorted(counts.items()))
        for what, counts in because.items()
        if counts
    ]
    return "\n".join([*lines, "", *reasons]) + "\n"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def written() -> str:
    """What README.md holds now."""
    return README.read_text().split(START + "\n")[1].split(END)[0]


def write() -> None:
    """Put the tables into README.md."""
    before, rest = README.read_text().split(START + "\n")
    README.write_text(before + START + "\n" + tables() + END + rest.split(END)[1])
