"""The filters of the bank's list, read from the address so that a list can be shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict

from quiz.bank.models import Difficulty, Question, QuestionQuerySet

MAX_WORDS = 8
MAX_TEXT = 200


@dataclass(frozen=True, kw_only=True)
class BankFilter:
    """Section number, difficulty and words of the title; empty means all."""

    section: str = ""
    difficulty: str = ""
    words: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> Self:
        """Unknown difficulties count as none, so that an old link still shows something."""
        difficulty = query.get("difficulty", "")
        return cls(
            section=query.get("section", "")[:12],
            difficulty=difficulty if difficulty in Difficulty.values else "",
            words=query.get("words", "").strip()[:MAX_TEXT],
        )

    @property
    def is_empty(self) -> bool:
        return not (self.section or self.difficulty or self.words)

    def as_query(self) -> str:
        given = {"section": self.section, "difficulty": self.difficulty, "words": self.words}
        return urlencode({name: value for name, value in given.items() if value})

    def questions(self) -> QuestionQuerySet:
        """The published questions that pass; each word must occur in the title in one of the languages."""
        found = Question.objects.published()
        if self.section:
            found = found.filter(sections__number=self.section)
        if self.difficulty:
            found = found.filter(difficulty=self.difficulty)
        for word in self.words.split()[:MAX_WORDS]:
            found = found.filter(texts__title__icontains=word)
        return found.distinct().with_texts()
