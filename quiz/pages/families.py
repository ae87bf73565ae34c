"""题目统计: how each family of exercises is done, for instructors and graders; as pages and as CSV."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from quiz.accounts.guarding import at_desk
from quiz.bank.listing import published_among
from quiz.exercises import registry
from quiz.exercises.types import Text
from quiz.pages.asking import Asked, asked_of
from quiz.pages.family_rows import (
    FamilyRow,
    end_rows,
    family_or_none,
    family_row,
    mistake_rows,
    ordered,
    unknown_row,
)
from quiz.pages.spreadsheets import csv_answer
from quiz.responses.discriminating import LEAST_OTHERS, LEAST_PEOPLE
from quiz.responses.models import Variant
from quiz.responses.statistics import (
    FamilyStatistics,
    family_statistics,
    mistake_counts,
    unknown_responses,
)

UNKNOWN_A_PAGE = 25
UNKNOWN_IN_A_FILE = 5000
NUMBERS = tuple(one.name for one in fields(FamilyStatistics) if one.name not in ("slug", "version"))
SHARES = ("first_share", "unknown_share", "tries_each", "still_open")


@require_safe
@at_desk
def index(request: HttpRequest) -> HttpResponse:
    """Every family and version that somebody has worked on."""
    asked = asked_of(request.GET)
    rows = _rows(asked)
    touched = {row.statistics.slug for row in rows}
    context = {
        "asked": asked,
        "rows": ordered(rows, asked.order),
        "untouched": [family for family in registry.all_families() if family.slug not in touched],
        "least_people": LEAST_PEOPLE,
        "least_others": LEAST_OTHERS,
    }
    return render(request, "pages/families.html", context)


@require_safe
@at_desk
def as_csv(request: HttpRequest) -> HttpResponse:
    """The same rows with every number, unrounded."""
    rows = ordered(_rows(asked_of(request.GET)), "chapter")
    header = ("family", "version", "section", "title_zh", "title_en", *NUMBERS, *SHARES)
    return csv_answer("qkv-families.csv", header, map(_line, rows))


@require_safe
@at_desk
def family(request: HttpRequest, slug: str) -> HttpResponse:
    """One family: its versions, how its work ended, its mistakes, and the way to what nothing explains."""
    asked = asked_of(request.GET)
    found = family_or_none(slug)
    rows = [family_row(statistics) for statistics in family_statistics(asked.period, slug=slug)]
    if found is None and not rows and not Variant.objects.filter(family=slug).exists():
        raise Http404
    chosen = [row for row in rows if asked.version in (None, row.statistics.version)]
    counts = mistake_counts(slug, asked.period, version=asked.version)
    unknown_url = reverse("pages:family_unknown", args=[slug]) + _query(asked)
    context = {
        "asked": asked,
        "family": found,
        "sections": published_among(found.sections) if found else [],
        "slug": slug,
        "title": found.title if found else Text(slug, slug),
        "rows": rows,
        "ends": [(row, end_rows(row.statistics)) for row in chosen if row.statistics.begun],
        "mistakes": mistake_rows(slug, counts, unknown_url=unknown_url),
        "wrong": sum(one.count for one in counts),
        "unknown_url": unknown_url,
    }
    return render(request, "pages/family.html", context)


@require_safe
@at_desk
def unknown(request: HttpRequest, slug: str) -> HttpResponse:
    """The wrong answers of a family that no known mistake explains: where new ones are found."""
    asked = asked_of(request.GET)
    found = family_or_none(slug)
    if found is None:
        raise Http404
    responses = unknown_responses(slug, asked.period, version=asked.version)
    page = Paginator(responses, UNKNOWN_A_PAGE).get_page(request.GET.get("page"))
    context = {"asked": asked, "family": found, "page": page, "rows": [unknown_row(row) for row in page]}
    return render(request, "pages/family_unknown.html", context)


@require_safe
@at_desk
def unknown_as_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same answers, the latest of them, one line a part."""
    asked = asked_of(request.GET)
    if family_or_none(slug) is None:
        raise Http404
    responses = unknown_responses(slug, asked.period, version=asked.version)[:UNKNOWN_IN_A_FILE]
    header = ("handed_in_at", "family", "version", "seed", "part", "typed", "read_as", "right")
    lines = (
        (row.when.isoformat(), slug, row.version, row.seed, part.label, part.typed, part.value, part.right)
        for row in map(unknown_row, responses)
        for part in row.parts
    )
    return csv_answer(f"qkv-{slug}-unknown.csv", header, lines)


def _rows(asked: Asked) -> list[FamilyRow]:
    return [family_row(statistics) for statistics in family_statistics(asked.period)]


def _line(row: FamilyRow) -> list[Any]:
    statistics = row.statistics
    numbers = [getattr(statistics, name) for name in (*NUMBERS, *SHARES)]
    return [statistics.slug, statistics.version, row.section, row.title.zh, row.title.en, *numbers]


def _query(asked: Asked) -> str:
    """The dates and the version, for pages about the same answers."""
    if asked.version is None:
        return asked.query
    return f"?version={asked.version}{asked.also}"
