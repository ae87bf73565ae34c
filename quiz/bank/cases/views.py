"""A case as a page: plain links, the whole way in the address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from quiz.bank.cases.case import shipped_case
from quiz.bank.cases.walking import walk


@require_safe
def oom(request: HttpRequest) -> HttpResponse:
    """The failure drill of the start page, as far as the way in `way` leads."""
    case = shipped_case()
    return render(request, "bank/case.html", {"case": case, "walk": walk(case, request.GET.get("way", ""))})
