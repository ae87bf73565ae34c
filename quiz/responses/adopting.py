"""At sign-in, what a visitor answered, began, read and reported becomes the user's."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction
from django.http import HttpRequest

from quiz.accounts.models import OwnedModel, User
from quiz.accounts.people import SESSION_KEY


def adopt_visitor_rows(sender: object, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Receiver of `user_logged_in`: hand the session's visitor rows over to the user."""
    visitor = request.session.get(SESSION_KEY)
    if not visitor:
        return
    with transaction.atomic():
        for model in OwnedModel.__subclasses__():
            model.adopt(uuid.UUID(visitor), user)
