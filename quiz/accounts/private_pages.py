"""What a person saw is not kept by the browser, where whoever comes next would find it by going back."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers

from quiz.accounts.people import person_of


class PrivatePagesMiddleware:
    """Forbids storing every answer that was made with the session of a known person, unless the view has said
    what may be done with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_settled = response.has_header("Cache-Control")
        if request.session.accessed and not is_settled and person_of(request).is_known:
            add_never_cache_headers(response)
        return response
