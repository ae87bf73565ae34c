"""The page of a section as everyone sees it, made once for a state of the bank and kept.

What one reader sees and another does not (progress, ticked tasks, forms) stands between its pieces.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override

from quiz.bank import chaptering
from quiz.bank.freshness import bank_mark
from quiz.bank.keeping import kept
from quiz.bank.listing import question_entries, section_entry
from quiz.bank.markup import plain
from quiz.bank.models import Question, Section
from quiz.bank.reading.duration import minutes
from quiz.bank.reading.outline import Part, parts


@dataclass(frozen=True, kw_only=True)
class SectionPage:
    """`title` is plain text for the head of the page, `reached` the address that is told how far a reader is;
    `contents`, `head`, the parts, `tail` and `neighbours` stand on it in this order, the text in `language`.
    `text` is all parts in one, where nothing that one reader alone sees stands between them; else empty.
    """

    title: str
    language: str
    reached: str
    contents: SafeString
    head: SafeString
    parts: tuple[Part, ...]
    text: SafeString
    tail: SafeString
    neighbours: SafeString
    has_exercises: bool


def section_page(number: str, language: str) -> SectionPage | None:
    """The page of a published section, or None; one query where it is kept already."""
    return _page(number, language, bank_mark())


@lru_cache(maxsize=128)
def _page(number: str, language: str, mark: str) -> SectionPage | None:
    found = json.loads(kept("section", number, language, mark, make=lambda: _made(number, language)))
    return _read(found) if found else None


def _read(found: dict[str, Any]) -> SectionPage:
    """The kept page; every text in it came from our templates and our renderer."""
    return SectionPage(
        title=found["title"],
        language=found["language"],
        reached=found["reached"],
        contents=mark_safe(found["contents"]),  # noqa: S308
        head=mark_safe(found["head"]),  # noqa: S308
        parts=tuple(_part(part) for part in found["parts"]),
        text=mark_safe(found["text"]),  # noqa: S308
        tail=mark_safe(found["tail"]),  # noqa: S308
        neighbours=mark_safe(found["neighbours"]),  # noqa: S308
        has_exercises=found["has_exercises"],
    )


def _part(found: dict[str, Any]) -> Part:
    return Part(
        anchor=found["anchor"],
        title=mark_safe(found["title"]),  # noqa: S308
        html=mark_safe(found["html"]),  # noqa: S308
        points=tuple(mark_safe(point) for point in found["points"]),  # noqa: S308
    )


def _made(number: str, language: str) -> str:
    """The page as JSON; null for a section that is not published."""
    found = Section.objects.published().with_texts().filter(number=number).first()
    if found is None:
        return "null"
    with override(language):
        return json.dumps(_pieces(found, language), ensure_ascii=False)


def _pieces(section: Section, language: str) -> dict[str, Any]:
    published = Section.objects.published().with_texts()
    before = published.filter(position__lt=section.position).order_by("-position").first()
    after = published.filter(position__gt=section.position).order_by("position").first()
    entry = section_entry(section, language)
    body = entry.reading.body
    shown = parts(body, entry.reading.language)
    context = {
        "entry": entry,
        "opening": chaptering.opening(body) if shown else body,
        "parts": shown,
        "minutes": minutes(body),
        "is_start": section.number == chaptering.START,
        "entries": question_entries(Question.objects.published().about(section).with_texts(), language),
        "before": before and section_entry(before, language),
        "after": after and section_entry(after, language),
    }
    title = " ".join(plain(entry.reading.title, entry.reading.language).split())
    return {
        "title": title if context["is_start"] else f"{section.number} {title}",
        "language": entry.reading.language,
        "reached": reverse("bank:reached", args=[section.number]),
        "contents": render_to_string("bank/_contents.html", context),
        "head": render_to_string("bank/_section.html", context),
        "parts": [vars(part) for part in shown],
        "text": "" if any(part.points for part in shown) else render_to_string("bank/_parts.html", context),
        "tail": render_to_string("bank/_section_after.html", context),
        "neighbours": render_to_string("bank/_neighbours.html", context),
        "has_exercises": bool(entry.families),
    }
