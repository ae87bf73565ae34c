"""The columns that a batch file has and gets."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from quiz.exercises.types import Response, Text

INPUT = ("candidate", "family", "seed", "part", "response")
OUTPUT = ("verdict", "score", "expected", "diagnosis", "reason")


@dataclass(frozen=True)
class Row:
    """One row to judge. `echo` is what the output repeats: cells in the order of the header, or an
    object's pairs. `problem`: why the row cannot be judged as it stands.
    """

    line: int
    echo: Any
    family: str
    seed: str
    part: str
    response: Response
    problem: Text | None = None


def column_name(text: str) -> str:
    """A header cell as a column name: full-width letters, spaces around and capitals do not matter."""
    return unicodedata.normalize("NFKC", text).strip().casefold()
