"""The shipped bank as values: what the files say, before there is a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class ContentError:
    """Something wrong in a content file, at a line (from 1)."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class ContentErrors(ValueError):
    """Everything that is wrong with the content files, at once."""

    def __init__(self, errors: tuple[ContentError, ...]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(error) for error in errors))


@dataclass(frozen=True, kw_only=True)
class SectionTextSpec:
    title: str
    body: str


@dataclass(frozen=True, kw_only=True)
class SectionSpec:
    number: str
    position: int
    texts: dict[str, SectionTextSpec]  # by language


@dataclass(frozen=True, kw_only=True)
class QuestionTextSpec:
    """The texts of a question in one language; the parts are those of `answers.PARTS`, as Markdown."""

    title: str
    examines: str
    short_answer: str = ""
    minute_answer: str = ""
    full_answer: str = ""
    passing_points: str = ""
    bonus_points: str = ""
    common_mistakes: str = ""
    follow_ups: str = ""
    sources: str = ""


@dataclass(frozen=True, kw_only=True)
class QuestionSpec:
    number: int
    sections: tuple[str, ...]
    difficulty: str
    families: tuple[str, ...]
    texts: dict[str, QuestionTextSpec]  # by language
    abilities: tuple[str, ...] = ()
    asked: int | None = None
    next: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BankSpec:
    sections: tuple[SectionSpec, ...]
    questions: tuple[QuestionSpec, ...]
