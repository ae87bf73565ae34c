"""The shipped files to a validated bank, or every error at once with its file and line.

Two files a question (`questions/12.zh-hans.md`, `12.en.md`), two a section (`sections/7.09.zh-hans.md`, …),
two for the start page (`start.zh-hans.md`, …), the glossary, and the case. Nothing is guessed: an unknown
field, a heading given twice, a formula that does not render, a live number that does not compute, a language
that says less than the other are errors.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from quiz.bank import glossary
from quiz.bank.cases import case
from quiz.bank.chaptering import START
from quiz.bank.checking import check
from quiz.bank.filing import Complaints, ContentFile
from quiz.bank.links import Known
from quiz.bank.models import Language
from quiz.bank.question_files import read_question
from quiz.bank.rules import Files, Rules
from quiz.bank.section_files import number_of, read_section
from quiz.bank.specs import BankSpec, ContentErrors
from quiz.exercises import registry

CONTENT = glossary.CONTENT
LANGUAGES = (Language.ZH.value, Language.EN.value)
WHOLE = True  # whether every part of every question and section is demanded

QUESTION_FILE = re.compile(r"(\d{2})\.(zh-hans|en)\.md")
SECTION_FILE = re.compile(r"(\d+\.\d{2})\.(zh-hans|en)\.md")


def parse_bank(
    folder: Path = CONTENT, *, families: Collection[str] | None = None, whole: bool = WHOLE
) -> BankSpec:
    """The bank in `folder`. `families` are the slugs questions may link, by default all that are registered.

    Raises ContentErrors, which holds everything that is wrong, in the order of the files.
    """
    complaints = Complaints()
    sections = _files(folder / "sections", SECTION_FILE, complaints)
    start = _start(folder, complaints)
    questions = _files(folder / "questions", QUESTION_FILE, complaints)
    known = Known(
        sections={number_of(name) for name in sections},
        questions={int(name) for name in questions},
        families={f.slug for f in registry.all_families()} if families is None else set(families),
    )
    rules = Rules(known=known, whole=whole)
    read_glossary(folder / glossary.FILE, complaints)
    for message in case.faults_in(folder / case.FILE):
        complaints.add(folder / case.FILE, 1, message)
    ordered = sorted(sections, key=lambda name: [int(part) for part in name.split(".")])
    section_specs = [read_section(START, start, 0, rules)] if start else []
    section_specs += [read_section(name, sections[name], at, rules) for at, name in enumerate(ordered, 1)]
    question_specs = [read_question(name, questions[name], rules) for name in sorted(questions)]
    if complaints.errors:
        raise ContentErrors(tuple(sorted(set(complaints.errors))))
    return BankSpec(
        sections=tuple(section_specs), questions=tuple(spec for spec in question_specs if spec is not None)
    )


def read_glossary(path: Path, complaints: Complaints) -> None:
    """Complain about everything that is wrong in a glossary; a bank may be without one."""
    if not path.exists():
        return
    terms, faults = glossary.read_glossary(path.read_text(encoding="utf-8"))
    for fault in faults:
        complaints.add(path, fault.line, fault.message)
    for term in terms:
        for language in LANGUAGES:
            for problem in check(term.definition(language), language):
                complaints.add(path, term.line, f"{term.slug}: {problem.message}")


def _start(folder: Path, complaints: Complaints) -> Files:
    """The start page's files by language; a bank may be without them, not without one of them."""
    paths = {language: folder / f"{START}.{language}.md" for language in LANGUAGES}
    there = {language: path for language, path in paths.items() if path.exists()}
    if there and len(there) < len(paths):
        complaints.add(next(iter(there.values())), 1, "the file in the other language is missing")
        return {}
    return {language: ContentFile.read(path, complaints, language) for language, path in there.items()}


def _files(folder: Path, pattern: re.Pattern[str], complaints: Complaints) -> dict[str, Files]:
    """The files of a folder by name and language; stray files and missing twins are complained about."""
    found: dict[str, Files] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = pattern.fullmatch(path.name)
        if match is None:
            complaints.add(path, 1, "the file's name is not one of the bank's")
            continue
        found.setdefault(match[1], {})[match[2]] = ContentFile.read(path, complaints, match[2])
    if not found:
        complaints.add(folder, 1, "the folder holds no content")
    for files in found.values():
        for language in LANGUAGES:
            if language not in files:
                only = next(iter(files.values()))
                complaints.add(only.path, 1, f"the file in the other language is missing: {language}")
    return {name: files for name, files in found.items() if len(files) == len(LANGUAGES)}
