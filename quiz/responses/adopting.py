"""At sign-in, what a visitor answered, began, read and reported becomes the user's."""

from __future__ import annotations

import uuid
from collections import defaultdict
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest

from quiz.accounts.models import OwnedModel, User
from quiz.accounts.people import SESSION_KEY, Person, lock
from quiz.responses.models import Help, Response
from quiz.responses.standing import Standing


def adopt_visitor_rows(sender: object, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Receiver of `user_logged_in`: hand the session's visitor rows over to the user."""
    raw = request.session.get(SESSION_KEY)
    if not raw:
        return
    visitor_id = uuid.UUID(raw)
    with transaction.atomic():
        for person in (Person(user=user), Person(visitor_id=visitor_id)):
            lock(person)
        _count_on(visitor_id, user)
        for model in OwnedModel.__subclasses__():
            model.adopt(visitor_id, user)


def _count_on(visitor_id: uuid.UUID, user: User) -> None:
    """Count the visitor's answers to variants that the user has worked on as going on from there. The user's
    own tries stay what they were, whenever they were made. Three or four queries."""
    theirs = Response.objects.filter(visitor_id=visitor_id)
    both = {"variant__in": theirs.values("variant")}
    answered: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(user=user, **both).order_by("id"):
        answered[response.variant_id].append(response)
    asked: dict[int, list[Help]] = defaultdict(list)
    for one in Help.objects.filter(Q(user=user) | Q(visitor_id=visitor_id), **both):
        asked[one.variant_id].append(one)
    known = answered.keys() | {pk for pk, helps in asked.items() if any(one.user_id for one in helps)}
    changed = []
    for response in theirs.filter(variant__in=known).order_by("id"):
        helps = asked[response.variant_id]
        steps = {one.step for one in helps if one.user_id or one.created_at <= response.created_at}
        before = Standing.made_of(answered[response.variant_id], steps)
        response.counts = before.would_count(response.verdict, response.raw)
        response.try_number = before.wrong + 1 if response.counts else 0
        response.state = before.state_if_right() if response.verdict == "right" else ""
        answered[response.variant_id].append(response)
        changed.append(response)
    Response.objects.bulk_update(changed, ["counts", "try_number", "state"], batch_size=200)
