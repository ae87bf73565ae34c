"""Pages for the people at the desk: everyone else is sent to sign in, or told that they may not."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from quiz.accounts.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def at_desk(view: View[P]) -> View[P]:
    """Instructors, graders and administrators see the view."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return redirect_to_login(request.get_full_path())
        if not request.user.works_at_desk:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded
