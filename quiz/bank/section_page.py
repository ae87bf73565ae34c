"""The page of a section as everyone sees it, made once for a state of the bank and kept.

What one reader sees and another does not (progress, forms) stands outside of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override

from quiz.bank.freshness import bank_mark
from quiz.bank.keeping import kept
from quiz.bank.listing import question_entries, section_entry
from quiz.bank.markup import plain
from quiz.bank.models import Question, Section
from quiz.exercises import registry


@dataclass(frozen=True, kw_only=True)
class SectionPage:
    """`title` is plain text for the head of the page, `content` all that stands below its bar."""

    title: str
    content: SafeString


def section_page(number: str, language: str) -> SectionPage | None:
    """The page of a published section, or None; one query where it is kept already."""
    families = [(f.slug, f.minutes) for f in registry.all_families() if number in f.sections]
    return _page(number, language, f"{bank_mark()} {families}")


@lru_cache(maxsize=128)
def _page(number: str, language: str, mark: str) -> SectionPage | None:
    found = kept("section", number, language, mark, make=lambda: _made(number, language))
    if not found:
        return None
    title, _, content = found.partition("\n")
    return SectionPage(title=title, content=mark_safe(content))  # noqa: S308 (from the template alone)


def _made(number: str, language: str) -> str:
    """The title in one line, then the content; empty for a section that is not published."""
    published = Section.objects.published()
    found = published.with_texts().filter(number=number).first()
    if found is None:
        return ""
    entry = section_entry(found, language)
    context = {
        "entry": entry,
        "entries": question_entries(Question.objects.published().about(found).with_texts(), language),
        "before": published.filter(position__lt=found.position).order_by("-position").first(),
        "after": published.filter(position__gt=found.position).order_by("position").first(),
    }
    with override(language):
        content = render_to_string("bank/_section.html", context)
    title = plain(entry.reading.title, entry.reading.language)
    return f"{number} {' '.join(title.split())}\n{content}"
