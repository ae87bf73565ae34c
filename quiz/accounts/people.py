"""The person behind a request: a user, or a visitor with a random id kept in the session.

Never the session key: it changes at sign-in.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.http import HttpRequest
from django.utils import timezone

from quiz.accounts.models import User, Visitor

SESSION_KEY = "visitor"


@dataclass(frozen=True, kw_only=True)
class Person:
    """Exactly one of `user` and `visitor_id` is set, or neither for a visitor who has left no trace yet."""

    user: User | None = None
    visitor_id: uuid.UUID | None = None

    @property
    def is_known(self) -> bool:
        return self.user is not None or self.visitor_id is not None

    def owns(self) -> models.Q:
        """The filter for rows with `user` and `visitor` columns that belong to this person."""
        if self.user is not None:
            return models.Q(user=self.user)
        if self.visitor_id is not None:
            return models.Q(visitor_id=self.visitor_id)
        return models.Q(pk__in=[])

    def as_columns(self) -> dict[str, Any]:
        """Values for the `user` and `visitor_id` columns of a new row."""
        return {"user": self.user, "visitor_id": self.visitor_id}


def lock(person: Person) -> None:
    """Let whatever else this person records wait until the transaction is over. Call it first in one, so that
    what is read there still holds when something is written.
    """
    if person.user is not None:
        User.objects.select_for_update(no_key=True).filter(pk=person.user.pk).first()
    elif person.visitor_id is not None:
        Visitor.objects.select_for_update(no_key=True).filter(pk=person.visitor_id).first()


def person_of(request: HttpRequest) -> Person:
    """Who is asking. Reads only: no row and no cookie come from looking."""
    if isinstance(request.user, User):
        return Person(user=request.user)
    raw = request.session.get(SESSION_KEY)
    return Person(visitor_id=uuid.UUID(raw) if raw else None)


def person_to_record(request: HttpRequest) -> Person:
    """Who is answering: a visitor without an id is given one, and their row is created or touched."""
    person = person_of(request)
    if person.user is not None:
        return person
    visitor_id = person.visitor_id or uuid.uuid4()
    Visitor.objects.update_or_create(id=visitor_id, defaults={"seen_at": timezone.now()})
    request.session[SESSION_KEY] = str(visitor_id)
    return Person(visitor_id=visitor_id)
