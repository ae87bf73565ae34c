"""Questions and sections with their texts in the reader's language, as pages list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quiz.bank.choosing import QuestionReading, SectionReading, question_in_language, section_in_language
from quiz.bank.models import Question, Section
from quiz.exercises import registry
from quiz.exercises.family import Family


@dataclass(frozen=True, kw_only=True)
class QuestionEntry:
    """A question with its texts in the reader's language."""

    question: Question
    reading: QuestionReading


@dataclass(frozen=True, kw_only=True)
class SectionEntry:
    """A section with its texts in the reader's language and what it leads to."""

    section: Section
    reading: SectionReading
    families: tuple[Family, ...] = ()


def question_entries(questions: Iterable[Question], language: str) -> list[QuestionEntry]:
    return [QuestionEntry(question=q, reading=question_in_language(q, language)) for q in questions]


def published_among(numbers: Sequence[str]) -> list[str]:
    """Those of these sections that a reader may open, in the order given. One query."""
    found = set(Section.objects.published().filter(number__in=numbers).values_list("number", flat=True))
    return [number for number in numbers if number in found]


def section_entry(section: Section, language: str) -> SectionEntry:
    families = tuple(f for f in registry.all_families() if section.number in f.sections)
    reading = section_in_language(section, language)
    return SectionEntry(section=section, reading=reading, families=families)
