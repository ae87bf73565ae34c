"""What is wrong in drafts of content, wherever they lie (`python -m tests.bank.check_draft`).

`12.zh-hans.md` is a question, `7.09.en.md` a section, `glossary.yaml` the glossary; the file in the other
language beside it is read too, and both are compared. Everything is asked that the bank asks, but for the
output of listings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from quiz.bank import glossary
from quiz.bank.filing import Complaints, ContentFile
from quiz.bank.links import Known
from quiz.bank.parsing import QUESTION_FILE, SECTION_FILE, read_glossary
from quiz.bank.question_files import read_question
from quiz.bank.rules import Files, Rules
from quiz.bank.section_files import read_section
from quiz.exercises import registry
from tests.bank.decimals import allowed, decimals
from tests.bank.lengths import wrong_lengths

UNFINISHED = re.compile(r"\b(?:TODO|TBD|FIXME|XXX)\b|lorem|待补|待写|待定|占位", re.IGNORECASE)
RULES = Rules(
    known=Known(
        sections={f"7.{number}" for number in range(1, 25)},
        questions=set(range(1, 40)),
        families={family.slug for family in registry.all_families()},
    ),
    printed=False,
)


def check(paths: list[Path]) -> list[str]:
    """Every error of the drafts, with file and line."""
    complaints = Complaints()
    for name, folder, pattern in sorted(_drafts(paths, complaints), key=lambda draft: draft[:2]):
        files = _files(name, folder, complaints)
        if pattern is QUESTION_FILE:
            _check_question(name, files)
        else:
            read_section(name, files, 1, RULES)
        for file in files.values():
            _check_prose(file)
    return [str(error) for error in sorted(set(complaints.errors))]


def _drafts(paths: list[Path], complaints: Complaints) -> set[tuple[str, Path, re.Pattern[str]]]:
    found = set()
    for path in each_file(paths):
        if path.name == glossary.FILE:
            read_glossary(path, complaints)
            continue
        for pattern in (QUESTION_FILE, SECTION_FILE):
            match = pattern.fullmatch(path.name)
            if match:
                found.add((match[1], path.parent, pattern))
                break
        else:
            complaints.add(path, 1, "the name is no question's (12.en.md) and no section's (7.09.en.md)")
    return found


def each_file(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.md")) if path.is_dir() else [path]


def _files(name: str, folder: Path, complaints: Complaints) -> Files:
    paths = {language: folder / f"{name}.{language}.md" for language in ("zh-hans", "en")}
    return {
        language: ContentFile.read(path, complaints, language)
        for language, path in paths.items()
        if path.exists()
    }


def _check_question(name: str, files: Files) -> None:
    spec = read_question(name, files, RULES)
    for language, text in (spec.texts if spec else {}).items():
        for message in wrong_lengths(asdict(text), language):
            files[language].add(files[language].document.body_line, message)


def _check_prose(file: ContentFile) -> None:
    """Typed decimals, and signs that something is not finished."""
    text = file.path.read_text(encoding="utf-8")
    known = allowed()
    for line, literal in decimals(file.document.body):
        if literal not in known:
            message = f"{literal} is typed: compute it, or put it on tests/bank/allowed_decimals.txt"
            file.add(file.document.body_line + line - 1, message)
    for match in UNFINISHED.finditer(text):
        file.add(text.count("\n", 0, match.start()) + 1, f"unfinished: {match[0]}")
