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
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from quiz.accounts.people import person_of, person_to_record
from quiz.exercises import registry
from quiz.exercises.registry import UnknownFamily
from quiz.exercises.seeds import PUBLIC_SEEDS
from quiz.exercises.variants import UnknownPart, Variant
from quiz.practice.attempts import attempts_of
from quiz.practice.catalogue import groups
from quiz.practice.exercise import Exercise, present
from quiz.responses.answering import answers_from, is_empty, spread
from quiz.responses.fields import reading_of
from quiz.responses.keeping import open_variant
from quiz.responses.models import Help
from quiz.responses.recording import record, record_help

ATTEMPTS_A_PAGE = 20
SOLUTION = "solution"
HINTS = ("1", "2", "3")
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
    """Every exercise by section."""
    return render(request, "practice/index.html", {"groups": groups()})


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
    exercise = present(_open(slug, seed), person_of(request))
    return render(request, "practice/variant.html", {"exercise": exercise})


@posted
def answer(request: HttpRequest, slug: str, seed: int) -> HttpResponseBase:
    """Mark and record an answer, then show the verdict. Nothing typed: nothing recorded."""
    asked = _open(slug, seed)
    answers = answers_from(asked, request.POST.dict())
    if is_empty(answers):
        exercise = present(asked, person_of(request), back=_back(request), typed=answers, focus="missing")
        return _whole_or_part(request, exercise)
    person = person_to_record(request)
    record(person, variant=asked, raw=answers, now=timezone.now())
    if not _is_htmx(request):
        return _see_other(request, slug, seed)
    return _whole_or_part(request, present(asked, person, back=_back(request)))


@posted
def ask_help(request: HttpRequest, slug: str, seed: int) -> HttpResponseBase:
    """Show the next hint or the solution; what was typed stays."""
    asked = _open(slug, seed)
    wanted = request.POST.get("help", "")
    if wanted != SOLUTION and wanted not in HINTS:
        return HttpResponse(_("Ask for a hint by its number, or for the solution."), status=400)
    if wanted != SOLUTION and not asked.hints:
        return HttpResponse(_("This exercise has no hints."), status=400)
    person = person_to_record(request)
    step = Help.SOLUTION if wanted == SOLUTION else int(wanted)
    record_help(person, variant=asked, step=step, now=timezone.now())
    answers = answers_from(asked, request.POST.dict())
    focus = "solution" if step == Help.SOLUTION else "hint"
    return _whole_or_part(request, present(asked, person, back=_back(request), typed=answers, focus=focus))


@require_POST
def reading(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    """How texts are read, unmarked: `part` and `text` (repeated), or `paste` to be spread over cells."""
    asked = _open(slug, seed)
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
    page = Paginator(attempts_of(person_of(request)), ATTEMPTS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "practice/me.html", {"page": page})


def _open(slug: str, seed: int) -> Variant:
    if seed >= PUBLIC_SEEDS:
        raise Http404(_("A variant's number is a whole number below 2147483648."))
    try:
        return open_variant(slug, seed)
    except UnknownFamily:
        raise Http404(_("There is no exercise of this name.")) from None


def _whole_or_part(request: HttpRequest, exercise: Exercise) -> HttpResponse:
    """With htmx the parts that changed; without it the whole page."""
    template = "practice/_answered.html" if _is_htmx(request) else "practice/variant.html"
    return render(request, template, {"exercise": exercise})


def _is_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _back(request: HttpRequest) -> str:
    """The page that embeds the exercise, when the form names one on this site."""
    back = request.POST.get("back", "")
    hosts = {request.get_host()}
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts=hosts, require_https=request.is_secure())
    return back if back and safe else ""


def _see_other(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    to = _back(request) or reverse("practice:variant", args=[slug, seed])
    response = redirect(f"{to}#verdict")
    response.status_code = 303
    return response
