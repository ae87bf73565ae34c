"""The words of an exercise: what a family offers, what a variant asks, what a verdict says.

Pure values: no Django, no clock, no randomness. Prose is bilingual (`Text`) and Markdown; `$…$` is maths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["scalar", "integer", "vector", "matrix", "shape", "sequence", "choice"]
Group = Literal["numeric", "drill"]
Role = Literal["q", "k", "v", "s", "o", ""]  # whose colour a matrix or a label wears
VerdictKey = Literal[
    "right", "partial", "wrong", "wrong_shape", "malformed", "ambiguous", "unknown", "grader_fault"
]

# JSON values: a number, nested lists of numbers (−inf is the float), or the slug of a choice.
Value = Any
Values = dict[str, Value]  # part name -> value
Drawn = Mapping[str, Any]  # what a draw produced; JSON, stored with the variant
Response = str | list[str] | list[list[str]]  # what was typed: one text, or one text a cell


@dataclass(frozen=True)
class Text:
    """The same prose in both languages of the product."""

    zh: str
    en: str

    def in_language(self, code: str) -> str:
        return self.zh if code.lower().startswith("zh") else self.en


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """|given − right| ≤ max(absolute, relative · |right|); exact when both are 0."""

    absolute: float = 0.0
    relative: float = 0.0

    def width(self, right: float) -> float:
        return max(self.absolute, self.relative * abs(right))

    def accepts(self, given: float, right: float) -> bool:
        if given == right:  # also −inf against −inf
            return True
        return abs(given - right) <= self.width(right)


DECIMAL = Tolerance(absolute=0.005)
MAGNITUDE = Tolerance(relative=0.005)
EXACT = Tolerance()


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """How a sublayer is wired: the boxes before the path splits, on the branch, and after the sum; without
    `skip` nothing goes round the branch.
    """

    before: tuple[str, ...] = ()
    branch: tuple[str, ...]
    after: tuple[str, ...] = ()
    skip: bool = True


@dataclass(frozen=True, kw_only=True)
class Option:
    """One answer of a choice. A page shows `drawing`, where there is one, and reads `label` out."""

    slug: str
    label: Text
    drawing: Wiring | None = None


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing asked: `shape` is () for a number, (n,) for a vector, (rows, columns) for a matrix.

    `required` parts are the answer; the others are steps a candidate may open one at a time.
    `infinite` parts accept −∞ (masked scores). `uses` names the earlier parts that this one is computed from.
    `stem` is what a choice is about, said above its options; the options of a part that `is_listing` are
    lines of Python, in their order.
    """

    name: str
    kind: Kind
    label: Text
    shape: tuple[int, ...] = ()
    tolerance: Tolerance = DECIMAL
    role: Role = ""
    required: bool = True
    infinite: bool = False
    options: tuple[Option, ...] = ()
    stem: Text | None = None
    is_listing: bool = False
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Misconception:
    """A known mistake. `title` completes "looks like …"; `told` says in a sentence what was probably done;
    `question` leads on without giving the answer; `caption` names the row that shows its number."""

    slug: str
    title: Text
    told: Text
    question: Text
    caption: Text


@dataclass(frozen=True, kw_only=True)
class Given:
    """A matrix, vector or number shown with the prompt; `lit` is the row (from 0) the question is about."""

    name: str
    value: Value
    role: Role = ""
    lit: int | None = None
    note: Text | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """A few facts or numbers shown with a prompt: what they are, and rows that begin with their heading."""

    caption: Text
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The task, what is given, and every convention the answer relies on."""

    task: Text
    givens: tuple[Given, ...]
    conventions: tuple[Text, ...]
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SolutionStep:
    """One step of the worked solution; `part` links it to the part it answers, `figure` shows its value."""

    text: Text
    part: str = ""
    figure: Given | None = None


@dataclass(frozen=True, kw_only=True)
class PartVerdict:
    """How one part was read and marked. `cells` holds True/False for each cell (flat, row by row);
    `diagnosis` what may have been done (see `quiz.exercises.diagnosis`), several when either fits; `reason`
    is a sentence; `code` is the slug of what stopped the reading ("empty", "two_points", …), "" when it was
    read. `follows` names the wrong earlier parts that this one was rightly worked out from (see
    `quiz.exercises.carrying`); its cells then agree with that, not with the right value.
    """

    part: str
    key: VerdictKey
    score: float
    reason: Text
    value: Value = None
    readings: tuple[Value, ...] = ()
    cells: tuple[bool, ...] = ()
    diagnosis: tuple[str, ...] = ()
    where: tuple[int, int] | None = None  # row and column, from 1, of the cell that could not be read
    code: str = ""
    follows: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on all parts that were answered. `score` is the mean over the required parts."""

    key: VerdictKey
    score: float
    parts: tuple[PartVerdict, ...]

    @property
    def first_wrong(self) -> PartVerdict | None:
        """The first part that went wrong by itself: not one that only follows from an earlier part."""
        return next((p for p in self.parts if p.key != "right" and not p.follows), None)

    @property
    def diagnosis(self) -> tuple[str, ...]:
        wrong = self.first_wrong
        return wrong.diagnosis if wrong else ()
