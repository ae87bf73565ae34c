"""How an exercise came to be on the screen: which page embeds it, since when, and in which practice set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import Http404, HttpRequest
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

from quiz.accounts.people import Person
from quiz.practice.models import PracticeSet
from quiz.practice.sets import Place, progress_of, sets_of


@dataclass(frozen=True, kw_only=True)
class Visit:
    """`back` is the page that answers return to, "" for the exercise's own; `opened` when that page was first
    sent, in whole seconds since 1970."""

    opened: int
    back: str = ""
    place: Place | None = None


def new_visit(now: datetime, *, back: str = "", place: Place | None = None) -> Visit:
    return Visit(opened=int(now.timestamp()), back=back, place=place)


def visit_of(request: HttpRequest, person: Person, now: datetime) -> Visit:
    """The visit that a form goes on with; what is missing or makes no sense in it is taken as new. Call it
    after the answer was recorded, so that the set's progress is that of now."""
    opened = opened_at(request, now) or now
    back = safe_back(request)
    return Visit(opened=int(opened.timestamp()), back=back, place=place_at(back, person))


def opened_at(request: HttpRequest, now: datetime) -> datetime | None:
    """When the page that sent this form was opened, as it says; never in the future."""
    stated = request.POST.get("opened", "")
    if not (stated.isascii() and stated.isdigit() and len(stated) < 12):
        return None
    opened = datetime.fromtimestamp(int(stated), tz=UTC)
    return opened if opened <= now else None


def safe_back(request: HttpRequest) -> str:
    """The path of the page that embeds the exercise, when the form names one on this site."""
    back = request.POST.get("back", "")
    is_path = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_path else ""


def place_at(path: str, person: Person) -> Place | None:
    """The place of a set that has this address, if it is the person's own."""
    try:
        found = resolve(path)
    except Resolver404:
        return None
    return place_of(person, **found.kwargs) if found.view_name == "practice:set_item" else None


def place_of(person: Person, number: int, position: int) -> Place | None:
    """At most three queries."""
    practice_set: PracticeSet | None = sets_of(person).filter(pk=number).first()
    if practice_set is None or not 1 <= position <= len(practice_set.items):
        return None
    progress = progress_of(practice_set, person)
    return Place(progress, progress.items[position - 1])


def place_or_404(person: Person, number: int, position: int) -> Place:
    place = place_of(person, number, position)
    if place is None:
        raise Http404
    return place
