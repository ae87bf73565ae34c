"""A visitor's id is random, kept in the session, and made only when something is answered."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.utils import timezone

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person, person_of, person_to_record

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def asking(session: SessionStore, user: User | None = None) -> HttpRequest:
    from django.contrib.auth.models import AnonymousUser

    request = HttpRequest()
    request.session = session
    request.user = user or AnonymousUser()
    return request


def test_looking_leaves_no_trace() -> None:
    session = SessionStore()
    assert person_of(asking(session)) == Person()
    assert dict(session.items()) == {}
    assert Visitor.objects.count() == 0


def test_answering_gives_a_visitor_an_id_that_lasts() -> None:
    session = SessionStore()
    first = person_to_record(asking(session))
    assert person_of(asking(session)) == first
    assert person_to_record(asking(session)) == first
    assert list(Visitor.objects.values_list("id", flat=True)) == [first.visitor_id]


def test_the_id_is_not_the_session_key() -> None:
    session = SessionStore()
    session.create()
    person = person_to_record(asking(session))
    session.cycle_key()
    assert person_of(asking(session)) == person
    assert str(person.visitor_id) != session.session_key


def test_answering_again_marks_the_visitor_as_seen() -> None:
    session = SessionStore()
    person = person_to_record(asking(session))
    long_ago = timezone.now() - timedelta(days=80)
    Visitor.objects.update(seen_at=long_ago)
    person_to_record(asking(session))
    assert Visitor.objects.get(id=person.visitor_id).seen_at > long_ago + timedelta(days=79)


def test_a_signed_in_user_is_never_a_visitor() -> None:
    user = User.objects.create_user("lin", password="pass")
    session = SessionStore()
    session["visitor"] = str(uuid.uuid4())
    assert person_of(asking(session, user)) == Person(user=user)
    assert person_to_record(asking(session, user)) == Person(user=user)


def test_nobody_owns_nothing() -> None:
    """An unknown person's filter matches no row, not every row without an owner."""
    Visitor.objects.create()
    assert not Visitor.objects.filter(Person().owns()).exists()
