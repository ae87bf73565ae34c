"""The pages of the exercises: the list, one variant, its answers, readings and helps, and my attempts."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps

from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from quiz.accounts.people import person_of, person_to_record
from quiz.exercises import registry
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.seeds import PUBLIC_SEEDS
from quiz.exercises.variants import UnknownPart
from quiz.practice.attempts import attempts_of, reports_of
from quiz.practice.catalogue import Catalogue, Chosen
from quiz.practice.exercise import Exercise, present
from quiz.practice.opening import open_or_404
from quiz.practice.sets import unfinished
from quiz.practice.visiting import new_visit, opened_at, safe_back, visit_of
from quiz.practice.weaknesses import weaknesses_of
from quiz.responses.answering import answers_from, is_empty, spread
from quiz.responses.fields import reading_of
from quiz.responses.models import Help
from quiz.responses.probing import record_probe
from quiz.responses.recording import record, record_help

ATTEMPTS_A_PAGE = 20
SOLUTION = "solution"
HINTS = ("1", "2", "3")
PROBE = "probe"
View = Callable[[HttpRequest, str, int], HttpResponseBase]


def posted(view: View) -> View:
    """The view takes POST; whoever comes by GET (a reload, a switch of language) is sent to the exercise."""

    @wraps(view)
    def guarded(request: HttpRequest, slug: str, seed: int) -> HttpResponseBase:
        if request.method in ("GET", "HEAD"):
            return redirect("practice:variant", slug, seed)
        return require_POST(view)(request, slug, seed)

    return guarded


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The exercises of one tab by section, filtered; sets to begin, and the one to go on with."""
    person = person_of(request)
    context = {
        "catalogue": Catalogue(Chosen.from_query(request.GET)),
        "unfinished": unfinished(person),
        "weaknesses": weaknesses_of(person),
    }
    is_part = request.headers.get("HX-Target") == "catalogue"
    response = render(request, "practice/_catalogue.html" if is_part else "practice/index.html", context)
    patch_vary_headers(response, ["HX-Target"])
    return response


@require_safe
def family(request: HttpRequest, slug: str) -> HttpResponse:
    """Go to a fresh variant."""
    try:
        registry.get(slug)
    except UnknownFamily:
        raise Http404(_("There is no exercise of this name.")) from None
    response = HttpResponseRedirect(reverse("practice:variant", args=[slug, secrets.randbelow(PUBLIC_SEEDS)]))
    response.status_code = 303
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
def variant(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    """One variant: the same for everyone who follows its link."""
    exercise = present(open_or_404(slug, seed), person_of(request), visit=new_visit(timezone.now()))
    return render(request, "practice/variant.html", {"exercise": exercise})


@posted
def answer(request: HttpRequest, slug: str, seed: int) -> HttpResponseBase:
    """Mark and record an answer, then show the verdict. Nothing typed: nothing recorded."""
    asked, now = open_or_404(slug, seed), timezone.now()
    answers = answers_from(asked, request.POST.dict())
    if is_empty(answers):
        person = person_of(request)
        visit = visit_of(request, person, now)
        return _whole_or_part(request, present(asked, person, visit=visit, typed=answers, focus="missing"))
    person = person_to_record(request)
    record(person, variant=asked, raw=answers, now=now, opened_at=opened_at(request, now))
    if not _is_htmx(request):
        return _see_other(request, slug, seed)
    return _whole_or_part(request, present(asked, person, visit=visit_of(request, person, now)))


@posted
def ask_help(request: HttpRequest, slug: str, seed: int) -> HttpResponseBase:
    """Show the next hint, the solution, or a further probe; what was typed stays."""
    asked, now = open_or_404(slug, seed), timezone.now()
    wanted = request.POST.get("help", "")
    if wanted not in (SOLUTION, PROBE, *HINTS):
        return HttpResponse(_("Ask for a hint by its number, or for the solution."), status=400)
    if wanted in HINTS and not asked.hints:
        return HttpResponse(_("This exercise has no hints."), status=400)
    if wanted == PROBE and not asked.probes:
        return HttpResponse(_("This exercise has no further probes."), status=400)
    person = person_to_record(request)
    if wanted == PROBE:
        record_probe(person, variant=asked, now=now)
    else:
        record_help(person, variant=asked, step=Help.SOLUTION if wanted == SOLUTION else int(wanted), now=now)
    answers = answers_from(asked, request.POST.dict())
    focus = "hint" if wanted in HINTS else wanted
    visit = visit_of(request, person, now)
    return _whole_or_part(request, present(asked, person, visit=visit, typed=answers, focus=focus))


@require_POST
def reading(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    """How texts are read, unmarked: `part` and `text` (repeated), or `paste` to be spread over cells."""
    asked = open_or_404(slug, seed)
    texts = request.POST.getlist("text")
    try:
        part = asked.part(request.POST.get("part", ""))
    except UnknownPart:
        return JsonResponse({"error": _("There is no such part.")}, status=400)
    if "paste" in request.POST:
        return JsonResponse({"cells": spread(part, request.POST["paste"])})
    found = [reading_of(part, text) for text in texts]
    return JsonResponse({"readings": [{"text": one.text, "state": one.state} for one in found]})


@require_GET
def me(request: HttpRequest) -> HttpResponse:
    """My attempts, newest first; nobody else's."""
    person = person_of(request)
    page = Paginator(attempts_of(person), ATTEMPTS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "practice/me.html", {"page": page, "reports": reports_of(person)})


def _whole_or_part(request: HttpRequest, exercise: Exercise) -> HttpResponse:
    """With htmx the parts that changed; without it the whole page."""
    template = "practice/_answered.html" if _is_htmx(request) else "practice/variant.html"
    return render(request, template, {"exercise": exercise})


def _is_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _see_other(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    to = safe_back(request) or reverse("practice:variant", args=[slug, seed])
    response = HttpResponseRedirect(f"{to}#verdict")
    response.status_code = 303
    return response
