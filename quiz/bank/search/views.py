"""The search page and the glossary."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from quiz.bank.choosing import language_of
from quiz.bank.glossary import Term, glossary
from quiz.bank.keeping import rendered
from quiz.bank.search.excerpts import Excerpt, excerpt, highlighted
from quiz.bank.search.gathering import index
from quiz.bank.search.index import Hit

LONGEST = 200
MOST = 20


@dataclass(frozen=True, kw_only=True)
class Result:
    """One line of the results."""

    kind: str
    key: str
    language: str
    title: SafeString
    url: str
    excerpt: Excerpt


@require_safe
@vary_on_headers("HX-Target")
def search(request: HttpRequest) -> HttpResponse:
    """What the chapter, the bank and the glossary say about some words. The words stand in the address."""
    query = " ".join(request.GET.get("q", "").split())[:LONGEST]
    context: dict[str, object] = {"query": query, "results": [], "suggestion": ""}
    if query:
        found = index()
        context["results"] = results(found.search(query), language_of(get_language() or "zh-hans"))
        context["suggestion"] = "" if context["results"] else found.suggestion(query)
    part = request.headers.get("HX-Target") == "results"
    return render(request, "bank/_results.html" if part else "bank/search.html", context)


def results(hits: list[Hit], language: str) -> list[Result]:
    """Each item once: in the reader's language where it says so there, else in the other."""
    best: dict[tuple[str, str], Hit] = {}
    order: list[tuple[str, str]] = []
    for hit in hits:
        item = (hit.document.kind, hit.document.key)
        if item not in best:
            order.append(item)
            best[item] = hit
        elif hit.document.language == language:
            best[item] = hit
    return [_result(best[item]) for item in order[:MOST]]


def _result(hit: Hit) -> Result:
    document, found = hit.document, excerpt(hit)
    anchor = f"#{found.anchor}" if found.anchor else ""
    return Result(
        kind=document.kind,
        key=document.key,
        language=document.language,
        title=highlighted(document.title, hit),
        url=f"{document.address}{anchor}",
        excerpt=found,
    )


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A term as the glossary shows it."""

    term: Term
    name: str
    other: str
    definition: SafeString


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    """Every term with its meaning, by its English name, which both languages of the field share."""
    language = language_of(get_language() or "zh-hans")
    ordered = sorted(glossary().values(), key=lambda term: term.en.lower())
    entries = [
        Entry(
            term=term,
            name=term.name(language),
            other="" if term.zh == term.en else (term.en if language == "zh-hans" else term.zh),
            definition=rendered(term.definition(language), language),
        )
        for term in ordered
    ]
    return render(request, "bank/glossary.html", {"entries": entries})
