"""The chapter's list and its sections, with how far the reader is; and the two things a reader can do."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from quiz.accounts.people import person_of, person_to_record
from quiz.bank.chaptering import START, pieces
from quiz.bank.keeping import share
from quiz.bank.listing import SectionEntry, section_entry
from quiz.bank.models import Section
from quiz.bank.reading import progress
from quiz.bank.reading.duration import minutes
from quiz.bank.reading.models import Reading
from quiz.bank.reading.tasks import TASKS, tasks
from quiz.bank.section_page import SectionPage, section_page


def _language() -> str:
    return get_language() or "zh-hans"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A section in the list; `part` is the heading that the reader came to."""

    entry: SectionEntry
    minutes: int
    is_read: bool
    part: str = ""


@require_safe
def chapter(request: HttpRequest) -> HttpResponse:
    """The start page and the 24 sections: how long each takes, what belongs to it, how far the reader is."""
    person = person_of(request)
    published = Count("questions", filter=Q(questions__is_published=True), distinct=True)
    sections = Section.objects.published().with_texts().annotate(question_count=published)
    readings = progress.readings_of(person)
    lines = [_line(section, readings.get(section.pk)) for section in sections]
    context = {
        "lines": [line for line in lines if line.entry.section.number != START],
        "start": next((line for line in lines if line.entry.section.number == START), None),
        "read": sum(line.is_read for line in lines if line.entry.section.number != START),
        "bookmark": progress.bookmark_of(person),
    }
    return render(request, "bank/chapter.html", context)


def _line(section: Section, reading: Reading | None) -> Line:
    entry = section_entry(section, _language())
    body = entry.reading.body
    is_read = reading is not None and reading.read_at is not None
    part = ""
    if reading is not None and reading.place and not is_read:
        found = pieces(body)
        part = found[min(reading.place, len(found)) - 1].heading if found else ""
    return Line(entry=entry, minutes=minutes(body), is_read=is_read, part=part)


@require_safe
def section(request: HttpRequest, number: str) -> HttpResponse:
    """One section: its text, its questions, its exercises; the start page with its tasks."""
    page = section_page(number, _language())
    if page is None:
        raise Http404
    person = person_of(request)
    reading = progress.reading_of(person, number)
    context: dict[str, object] = {"page": page, "number": number, "reading": reading}
    if number == START:
        context["tasks"] = tasks(_points(page), progress.ticks_of(person))
    return share(render(request, "bank/section.html", context), page.text)


def _points(page: SectionPage) -> tuple[SafeString, ...]:
    return next((part.points for part in page.parts if part.points), ())


@require_POST
def read(request: HttpRequest, number: str) -> HttpResponse:
    """The reader says that a section is read (`read=yes`), or not after all (`read=no`)."""
    found = get_object_or_404(Section.objects.published(), number=number)
    is_read = request.POST.get("read") == "yes"
    person = person_to_record(request)
    progress.finish(person, found, timezone.now(), is_read=is_read)
    if request.headers.get("HX-Request"):
        context = {"number": number, "reading": progress.reading_of(person, number)}
        return render(request, "bank/_read.html", context)
    return _back(reverse("bank:section", args=[number]) + "#read")


@require_POST
def reached(request: HttpRequest, number: str) -> HttpResponse:
    """The reader came to a part (`place`, from 1) and stayed there. Answers 204."""
    found = get_object_or_404(Section.objects.published().with_texts(), number=number)
    stated = request.POST.get("place", "")
    place = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 4 else 0
    body = section_entry(found, _language()).reading.body
    if not 1 <= place <= len(pieces(body)):
        raise Http404
    progress.reach(person_to_record(request), found, place, timezone.now())
    return HttpResponse(status=204)


@require_POST
def tick(request: HttpRequest) -> HttpResponse:
    """Tick a practice task, or take the tick away."""
    task = request.POST.get("task", "")
    page = section_page(START, _language())
    if task not in TASKS or page is None:
        raise Http404
    person = person_to_record(request)
    progress.turn(person, task)
    if request.headers.get("HX-Request"):
        context = {"tasks": tasks(_points(page), progress.ticks_of(person))}
        return render(request, "bank/_tasks.html", context)
    return _back(reverse("bank:section", args=[START]) + "#tasks")


def _back(address: str) -> HttpResponse:
    response = redirect(address)
    response.status_code = 303
    return response
