"""Signing in: the visitor's rows become the user's, nobody else's do."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from quiz.accounts.models import User
from quiz.responses.models import Help, Response
from tests.conftest import PASSWORD

ANSWER = "/exercises/scaled_entry/5/answer/"
HELP = "/exercises/scaled_entry/5/help/"


def sign_in(client: Client, user: User) -> None:
    answer = client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert answer.status_code == 302


@pytest.mark.django_db
def test_visitor_rows_become_the_users(candidate: User) -> None:
    here, elsewhere = Client(), Client()
    here.post(ANSWER, {"scaled": "1"})
    here.post(HELP, {"help": "1"})
    elsewhere.post(ANSWER, {"scaled": "2"})
    sign_in(here, candidate)
    assert [r.raw["scaled"] for r in Response.objects.filter(user=candidate)] == ["1"]
    assert Help.objects.get().user == candidate
    left = Response.objects.get(user=None)
    assert (left.raw["scaled"], left.visitor is None) == ("2", False)
    assert b"scaled_entry/5/" in here.get("/me/").content


@pytest.mark.django_db
def test_signing_in_without_a_visitor_changes_nothing(candidate: User, other_candidate: User) -> None:
    client = Client()
    sign_in(client, other_candidate)
    client.post(ANSWER, {"scaled": "3"})
    fresh = Client()
    sign_in(fresh, candidate)
    assert Response.objects.get().user == other_candidate
