"""At sign-in, what a visitor answered, began and reported becomes the user's."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest

from quiz.accounts.models import User
from quiz.accounts.people import SESSION_KEY
from quiz.responses.models import OwnedModel


def adopt_visitor_rows(sender: object, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Receiver of `user_logged_in`: hand the session's visitor rows over to the user."""
    visitor = request.session.get(SESSION_KEY)
    if not visitor:
        return
    with transaction.atomic():
        for model in OwnedModel.__subclasses__():
            model._default_manager.filter(visitor_id=visitor).update(user=user, visitor=None)
