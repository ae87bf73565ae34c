"""The shipped files to a validated bank, or every error at once with its file and line.

Two files a question (`questions/12.zh-hans.md`, `12.en.md`), two a section (`sections/7.09.zh-hans.md`, …).
The Chinese file holds the facts and its texts, the English one only texts. Nothing is guessed: an unknown
field, a heading given twice, a formula that does not render, a live number that does not compute are errors.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from quiz.bank.filing import Complaints, ContentFile
from quiz.bank.models import FIRST_OWN_NUMBER, Difficulty, Language
from quiz.bank.specs import (
    BankSpec,
    ContentErrors,
    QuestionSpec,
    QuestionTextSpec,
    SectionSpec,
    SectionTextSpec,
)
from quiz.exercises import registry

CONTENT = Path(__file__).resolve().parent / "content"
LANGUAGES = (Language.ZH.value, Language.EN.value)
HEADINGS = {"short answer": "short_answer"}  # heading of a question file -> field of its text

_QUESTION_FILE = re.compile(r"(\d{2})\.(zh-hans|en)\.md")
_SECTION_FILE = re.compile(r"(\d+\.\d{2})\.(zh-hans|en)\.md")

Files = dict[str, dict[str, ContentFile]]  # name -> language -> file


def parse_bank(folder: Path = CONTENT, *, families: Collection[str] | None = None) -> BankSpec:
    """The bank in `folder`. `families` are the slugs questions may link, by default all that are registered.

    Raises ContentErrors, which holds everything that is wrong, in the order of the files.
    """
    complaints = Complaints()
    known = {f.slug for f in registry.all_families()} if families is None else set(families)
    sections = _sections(_files(folder / "sections", _SECTION_FILE, complaints))
    numbers = {section.number for section in sections}
    questions = _questions(_files(folder / "questions", _QUESTION_FILE, complaints), numbers, known)
    if complaints.errors:
        raise ContentErrors(tuple(sorted(set(complaints.errors))))
    return BankSpec(sections=sections, questions=questions)


def _files(folder: Path, pattern: re.Pattern[str], complaints: Complaints) -> Files:
    """The files of a folder by name and language; stray files and missing twins are complained about."""
    found: Files = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = pattern.fullmatch(path.name)
        if match is None:
            complaints.add(path, 1, "the file's name is not one of the bank's")
            continue
        found.setdefault(match[1], {})[match[2]] = ContentFile.read(path, complaints)
    if not found:
        complaints.add(folder, 1, "the folder holds no content")
    for files in found.values():
        for language in LANGUAGES:
            if language not in files:
                only = next(iter(files.values()))
                complaints.add(only.path, 1, f"the file in the other language is missing: {language}")
    return {name: files for name, files in found.items() if len(files) == len(LANGUAGES)}


def _sections(files: Files) -> tuple[SectionSpec, ...]:
    ordered = sorted(files.items(), key=lambda item: [int(part) for part in item[0].split(".")])
    return tuple(_section(name, by_language, at) for at, (name, by_language) in enumerate(ordered, 1))


def _section(name: str, files: dict[str, ContentFile], position: int) -> SectionSpec:
    expected = ".".join(str(int(part)) for part in name.split("."))
    facts = files[Language.ZH]
    facts.allow({"number", "title"})
    files[Language.EN].allow({"title"})
    number = facts.word("number")
    if number and number != expected:
        facts.complain("number", f"number is {number!r} but the file's name says {expected!r}")
    texts = {
        language: SectionTextSpec(title=file.line_of_text("title", 200), body=file.body())
        for language, file in files.items()
    }
    return SectionSpec(number=expected, position=position, texts=texts)


def _questions(files: Files, sections: set[str], families: set[str]) -> tuple[QuestionSpec, ...]:
    return tuple(_question(name, files[name], sections, families) for name in sorted(files))


def _question(
    name: str, files: dict[str, ContentFile], sections: set[str], families: set[str]
) -> QuestionSpec:
    facts = files[Language.ZH]
    facts.allow({"number", "sections", "difficulty", "families", "title", "examines"})
    files[Language.EN].allow({"title", "examines"})
    _check_number(facts, int(name))
    return QuestionSpec(
        number=int(name),
        sections=facts.words("sections", sections, "section", at_least=1),
        difficulty=facts.one_of("difficulty", Difficulty.values),
        families=facts.words("families", families, "exercise family"),
        texts={language: _question_text(file) for language, file in files.items()},
    )


def _check_number(facts: ContentFile, expected: int) -> None:
    number = facts.whole_number("number")
    if number is not None and number != expected:
        facts.complain("number", f"number is {number} but the file's name says {expected}")
    if not 1 <= expected < FIRST_OWN_NUMBER:
        facts.complain("number", f"shipped questions are numbered 1 to {FIRST_OWN_NUMBER - 1}")


def _question_text(file: ContentFile) -> QuestionTextSpec:
    parts = file.parts(HEADINGS)
    return QuestionTextSpec(
        title=file.line_of_text("title", 300),
        examines=file.line_of_text("examines", 300),
        short_answer=parts.get("short_answer", ""),
    )
