"""The chapter and the bank as pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language

from quiz.bank.choosing import QuestionReading, SectionReading, question_in_language, section_in_language
from quiz.bank.filtering import BankFilter
from quiz.bank.models import COLLECTIONS, Difficulty, Question, Section
from quiz.exercises import registry
from quiz.exercises.family import Family


@dataclass(frozen=True, kw_only=True)
class QuestionEntry:
    """A question with its texts in the reader's language."""

    question: Question
    reading: QuestionReading
    sections: tuple[SectionReading, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SectionEntry:
    """A section with its texts in the reader's language and what it leads to."""

    section: Section
    reading: SectionReading
    families: tuple[Family, ...] = ()


def _question_entries(questions: Iterable[Question]) -> list[QuestionEntry]:
    code = get_language() or "zh-hans"
    return [QuestionEntry(question=q, reading=question_in_language(q, code)) for q in questions]


def _section_entry(section: Section) -> SectionEntry:
    families = tuple(f for f in registry.all_families() if section.number in f.sections)
    reading = section_in_language(section, get_language() or "zh-hans")
    return SectionEntry(section=section, reading=reading, families=families)


def _section_entries() -> list[SectionEntry]:
    return [_section_entry(section) for section in Section.objects.published().with_texts()]


def index(request: HttpRequest) -> HttpResponse:
    """The bank, filtered by section, difficulty and words; each answer folded."""
    chosen = BankFilter.from_query(request.GET)
    entries = _question_entries(chosen.questions())
    context = {
        "entries": entries,
        "chosen": chosen,
        "sections": _section_entries(),
        "difficulties": Difficulty.choices,
        "total": Question.objects.published().count(),
    }
    template = (
        "bank/_questions.html" if request.headers.get("HX-Target") == "questions" else "bank/index.html"
    )
    return render(request, template, context)


def question(request: HttpRequest, number: int) -> HttpResponse:
    """One question with its folded answer, its exercises and its neighbours."""
    published = Question.objects.published()
    found = get_object_or_404(published.with_texts(), number=number)
    families = tuple(f for f in registry.all_families() if f.slug in found.families)
    follows = published.filter(number__in=found.next).with_texts()
    context = {
        "entry": _question_entries([found])[0],
        "follows": sorted(_question_entries(follows), key=lambda e: found.next.index(e.question.number)),
        "collections": COLLECTIONS,
        "sections": [_section_entry(s) for s in found.sections.all()],
        "families": families,
        "before": published.filter(number__lt=number).order_by("-number").first(),
        "after": published.filter(number__gt=number).order_by("number").first(),
    }
    return render(request, "bank/question.html", context)


def chapter(request: HttpRequest) -> HttpResponse:
    """The 24 sections, each with how many questions and exercises it has."""
    published = Count("questions", filter=Q(questions__is_published=True), distinct=True)
    sections = Section.objects.published().with_texts().annotate(question_count=published)
    return render(request, "bank/chapter.html", {"entries": [_section_entry(s) for s in sections]})


def section(request: HttpRequest, number: str) -> HttpResponse:
    """One section: its text, its questions, its exercises."""
    published = Section.objects.published()
    found = published.with_texts().filter(number=number).first()
    if found is None:
        raise Http404
    questions = Question.objects.published().about(found).with_texts()
    context = {
        "entry": _section_entry(found),
        "entries": _question_entries(questions),
        "before": published.filter(position__lt=found.position).order_by("-position").first(),
        "after": published.filter(position__gt=found.position).order_by("position").first(),
    }
    return render(request, "bank/section.html", context)
