"""The list of exercises: a tab for each group, filters kept in the address, groups by section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from quiz.bank.choosing import SectionReading, section_in_language
from quiz.bank.models import Section
from quiz.exercises import registry
from quiz.exercises.family import Family

NUMERIC, DRILL = "numeric", "drill"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What of the list is wanted: a tab (a family's group), a section's number, only what one hand can do."""

    tab: str = NUMERIC
    section: str = ""
    one_handed: bool = False

    @classmethod
    def from_query(cls, query: QueryDict) -> Self:
        """An unknown tab counts as the first, so that an old link still shows something."""
        return cls(
            tab=DRILL if query.get("tab") == DRILL else NUMERIC,
            section=query.get("section", "")[:12],
            one_handed=query.get("hand") == "one",
        )

    @property
    def is_empty(self) -> bool:
        return not (self.section or self.one_handed)

    @property
    def url(self) -> str:
        given = {
            "tab": self.tab if self.tab != NUMERIC else "",
            "section": self.section,
            "hand": "one" if self.one_handed else "",
        }
        query = urlencode({name: value for name, value in given.items() if value})
        return reverse("practice:index") + (f"?{query}" if query else "")


@dataclass(frozen=True, kw_only=True)
class Tab:
    key: str
    name: str
    count: int
    url: str
    is_current: bool


@dataclass(frozen=True, kw_only=True)
class Group:
    """A section's number and title (none when the chapter has no such published section) and its families."""

    number: str
    title: SectionReading | None
    families: tuple[Family, ...]


class Catalogue:
    """What the list shows for a choice. One query for the sections and one for their texts."""

    def __init__(self, chosen: Chosen) -> None:
        self.families: Sequence[Family] = registry.all_families()
        self.chosen = chosen
        if not any(family.group == chosen.tab for family in self.families):
            self.chosen = replace(chosen, tab=NUMERIC)

    @cached_property
    def tabs(self) -> list[Tab]:
        """Only those that have something in them; they keep the filters."""
        found = []
        for key, name in ((NUMERIC, _("By hand")), (DRILL, _("Spot the fault"))):
            count = sum(family.group == key for family in self.families)
            if count:
                url = replace(self.chosen, tab=key).url
                found.append(Tab(key=key, name=name, count=count, url=url, is_current=key == self.chosen.tab))
        return found

    @cached_property
    def titles(self) -> dict[str, SectionReading]:
        language = get_language() or "zh-hans"
        published = Section.objects.published().with_texts()
        return {section.number: section_in_language(section, language) for section in published}

    @cached_property
    def sections(self) -> list[tuple[str, SectionReading | None]]:
        """The sections that families of this tab practise, in the order of the chapter."""
        numbers = {number for family in self._in_tab for number in family.sections}
        ordered = sorted(numbers, key=lambda number: [int(part) for part in number.split(".")])
        return [(number, self.titles.get(number)) for number in ordered]

    @property
    def _in_tab(self) -> list[Family]:
        return [family for family in self.families if family.group == self.chosen.tab]

    @cached_property
    def groups(self) -> list[Group]:
        """Every family that passes, under its first section or, with one chosen, under that."""
        found: dict[str, list[Family]] = {}
        for family in self._in_tab:
            if self.chosen.one_handed and not family.one_handed:
                continue
            if not self.chosen.section:
                found.setdefault(family.sections[0], []).append(family)
            elif self.chosen.section in family.sections:
                found.setdefault(self.chosen.section, []).append(family)
        return [
            Group(number=number, title=self.titles.get(number), families=tuple(families))
            for number, families in found.items()
        ]

    @property
    def count(self) -> int:
        return sum(len(group.families) for group in self.groups)
