"""The bank as pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language
from django.views.decorators.vary import vary_on_headers

from quiz.bank.filtering import BankFilter
from quiz.bank.listing import question_entries, section_entry
from quiz.bank.models import COLLECTIONS, Difficulty, Question, Section
from quiz.exercises import registry


def _language() -> str:
    return get_language() or "zh-hans"


@vary_on_headers("HX-Target")
def index(request: HttpRequest) -> HttpResponse:
    """The bank, filtered by section, difficulty and words; each answer folded."""
    chosen = BankFilter.from_query(request.GET)
    entries = question_entries(chosen.questions(), _language())
    sections = Section.objects.published().numbered().with_texts()
    context = {
        "entries": entries,
        "chosen": chosen,
        "sections": [section_entry(section, _language()) for section in sections],
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
        "entry": question_entries([found], _language())[0],
        "follows": sorted(
            question_entries(follows, _language()), key=lambda e: found.next.index(e.question.number)
        ),
        "collections": COLLECTIONS,
        "sections": [section_entry(s, _language()) for s in found.published_sections],
        "families": families,
        "before": published.filter(number__lt=number).order_by("-number").first(),
        "after": published.filter(number__gt=number).order_by("number").first(),
    }
    return render(request, "bank/question.html", context)
