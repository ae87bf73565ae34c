"""“Something is wrong here”, beside every verdict: a form in the page, or a page of its own."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from quiz.accounts.people import Person, person_of, person_to_record
from quiz.exercises.variants import Variant
from quiz.practice.forms import ReportForm
from quiz.practice.opening import open_or_404
from quiz.practice.visiting import safe_back
from quiz.responses.models import Report, Response
from quiz.responses.reporting import TooMany, file_report, own_response


@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, slug: str, seed: int) -> HttpResponse:
    """Ask what is wrong, or store it. Whoever has left no trace yet has nothing to report on."""
    asked, person = open_or_404(slug, seed), person_of(request)
    if not person.is_known:
        return redirect("practice:variant", slug, seed)
    about = _response(request, person, asked)
    context = {"variant": asked, "response": about, "kinds": Report.Kind.choices, "back": safe_back(request)}
    if request.method != "POST":
        return render(request, "practice/report.html", context | {"form": ReportForm()})
    form = ReportForm(request.POST)
    if not form.is_valid():
        return _again(request, context | {"form": form}, status=422)
    person = person_to_record(request)
    try:
        file_report(person, variant=asked, response=about, now=timezone.now(), **form.cleaned_data)
    except TooMany:
        return _again(request, context | {"form": form, "too_many": True}, status=429)
    return _thanks(request, asked)


def _response(request: HttpRequest, person: Person, asked: Variant) -> Response | None:
    """The answer that is reported on, none for a solution that was asked for without one."""
    number = request.POST.get("response") or request.GET.get("response") or ""
    if not number:
        return None
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    found = own_response(person, asked, int(number)) if is_number else None
    if found is None:
        raise Http404
    return found


def _again(request: HttpRequest, context: dict[str, Any], *, status: int) -> HttpResponse:
    """The form with what was typed and what is wrong with it. htmx swaps in only what succeeded."""
    if request.headers.get("HX-Request") == "true":
        return render(request, "practice/_report.html", context | {"is_open": True})
    return render(request, "practice/report.html", context, status=status)


def _thanks(request: HttpRequest, asked: Variant) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return render(request, "practice/_reported.html", {"variant": asked})
    messages.success(request, _("Thank you: it is with the people who write the exercises."))
    here = reverse("practice:variant", args=[asked.family.slug, asked.seed])
    response = HttpResponseRedirect(f"{safe_back(request) or here}#verdict")
    response.status_code = 303
    return response
