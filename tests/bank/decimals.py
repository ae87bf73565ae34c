"""Decimal literals typed into the content: each must be computed, or be on the list with a reason.

Not counted: code, let fences, charts and matrices (their numbers go into expressions), addresses of links,
numbers of sections (7.9, § 3.2.1, section 5.3, Table 2.1), arXiv numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from quiz.bank.scanning import scan

LIST = Path(__file__).with_name("allowed_decimals.txt")
_NOT_NUMBERS = re.compile(
    r"""\]\(\s*<?[^)\s>]*>?\)                      # the address of a link
    |<?https?://\S+
    |\b10\.\d{4,}/\S+                             # a DOI
    |(?i:arxiv):?\s*\d{4}\.\d{4,5}(?:v\d+)?
    |(?:§+|[Ss]ections?|[Ss]ec\.|[Tt]ables?|[Aa]ppendix|[Ff]igures?|[Ee]q(?:uation|\.)|第|表|图|附录|式)
        \s*[A-Z]?\d+(?:\.\d+)+(?:\s*(?:[,、，和与–-]|and|到)\s*\d+(?:\.\d+)+)*
    |\d+(?:\.\d+)+\s*(?:节|小节|章)
    |(?<![\d.])7\.(?:2[0-4]|1\d|[1-9])(?![\d.])     # a section of the chapter
    """,
    re.VERBOSE,
)
_DECIMAL = re.compile(r"(?<![\d.A-Za-z_])\d+\.\d+(?![\d]|\.\d)")


def allowed() -> dict[str, str]:
    """The literals of the list with their reasons: lines of `literal | reason`."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    entries = (line.partition("|") for line in lines if line.strip() and not line.startswith("#"))
    return {literal.strip(): reason.strip() for literal, _, reason in entries}


def decimals(text: str) -> Iterator[tuple[int, str]]:
    """Every decimal literal a reader would see, with its line."""
    prose = ""
    for piece in scan(text):
        word = piece.info.partition(" ")[0]
        if piece.kind == "fence" and word == "correction":
            prose += f"\n{piece.content}\n\n"
        elif piece.kind in ("fence", "code", "number"):
            prose += re.sub(r"[^\n]", " ", piece.source) + ("\n" if piece.kind == "fence" else "")
        elif piece.kind == "formula":
            prose += re.sub(r"\{\{[^{}]*\}\}", " ", piece.source)
        else:
            prose += piece.source
    bare = _NOT_NUMBERS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), prose)
    for match in _DECIMAL.finditer(bare):
        yield bare.count("\n", 0, match.start()) + 1, match[0]
