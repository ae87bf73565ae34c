"""The theme a person chose, kept in a cookie."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from quiz.pages.context import THEMES

YEAR = 365 * 24 * 3600


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme and go back to where the person was."""
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = "/"
    response = HttpResponseRedirect(target)
    theme = request.POST.get("theme", "auto")
    if theme in THEMES:
        response.set_cookie(
            "theme", theme, max_age=YEAR, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    return response
