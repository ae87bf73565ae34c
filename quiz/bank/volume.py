"""The whole chapter and bank in one piece of HTML: for paper, and for a file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override

from quiz.bank import chaptering
from quiz.bank.anchoring import Namespace
from quiz.bank.cases.case import shipped_case
from quiz.bank.freshness import bank_mark
from quiz.bank.glossary import glossary
from quiz.bank.keeping import kept
from quiz.bank.listing import QuestionEntry, SectionEntry, question_entries, section_entry
from quiz.bank.models import COLLECTIONS, Question, Section
from quiz.bank.reading.outline import Part, parts


@dataclass(frozen=True, kw_only=True)
class Article:
    """One section with its text in parts."""

    entry: SectionEntry
    opening: str
    parts: tuple[Part, ...]


def volume(language: str, *, folded: bool) -> SafeString:
    """Everything that is published, in one language; `folded`: answers are closed `<details>`."""
    how = "folded" if folded else "open"
    html = kept("volume", language, how, bank_mark(), make=lambda: _made(language, folded=folded))
    return mark_safe(html)  # noqa: S308 (our own templates)


def _made(language: str, *, folded: bool) -> str:
    sections = [section_entry(s, language) for s in Section.objects.published().with_texts()]
    questions = question_entries(Question.objects.published().with_texts(), language)
    names = {entry.section.number for entry in sections} | {
        f"q{entry.question.number}" for entry in questions
    }
    space = Namespace(
        prefix="zh" if language.startswith("zh") else "en",
        articles=names | {"front", "bank", "terms", "case"},
    )
    with override(language):
        return "\n".join(
            space.article(
                name, render_to_string(f"bank/volume/{template}.html", {**context, "folded": folded})
            )
            for name, template, context in _articles(sections, questions, language)
        )


def _articles(
    sections: list[SectionEntry], questions: list[QuestionEntry], language: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Name, template and context of each article, in order."""
    yield "front", "front", {"sections": sections, "questions": questions}
    for entry in sections:
        yield entry.section.number, "section", {"article": _article(entry)}
        if entry.section.number == chaptering.START:
            yield "case", "case", {"case": shipped_case()}
    yield "bank", "bank", {"questions": questions}
    for question in questions:
        yield f"q{question.question.number}", "question", {"entry": question, "collections": COLLECTIONS}
    terms = sorted(glossary().values(), key=lambda term: term.en.lower())
    told = [
        {"slug": term.slug, "zh": term.zh, "en": term.en, "definition": term.definition(language)}
        for term in terms
    ]
    yield "terms", "terms", {"terms": told, "language": language}


def _article(entry: SectionEntry) -> Article:
    shown = parts(entry.reading.body, entry.reading.language)
    opening = chaptering.opening(entry.reading.body) if shown else entry.reading.body
    return Article(entry=entry, opening=opening, parts=shown)
