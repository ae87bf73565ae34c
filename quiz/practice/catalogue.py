"""The list of exercises, grouped by the section of the chapter they practise."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import get_language

from quiz.bank.choosing import SectionReading, section_in_language
from quiz.bank.models import Section
from quiz.exercises import registry
from quiz.exercises.family import Family


@dataclass(frozen=True, kw_only=True)
class Group:
    """A section's number and title (none when the chapter has no such published section) and its families."""

    number: str
    title: SectionReading | None
    families: tuple[Family, ...]


def groups() -> list[Group]:
    """Every family under its first section, in the order of the chapter. Two queries."""
    language = get_language() or "zh-hans"
    titles = {s.number: section_in_language(s, language) for s in Section.objects.published().with_texts()}
    found: dict[str, list[Family]] = {}
    for family in registry.all_families():
        found.setdefault(family.sections[0], []).append(family)
    return [
        Group(number=number, title=titles.get(number), families=tuple(families))
        for number, families in found.items()
    ]
