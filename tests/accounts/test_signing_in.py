"""Signing in and out: by name or e-mail, with clear errors, back to where one was."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from quiz.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def lin() -> User:
    return User.objects.create_user("lin", "lin@example.org", "correct horse")


@pytest.mark.parametrize("login", ["lin", "lin@example.org"])
def test_signs_in_by_name_or_mail(client: Client, lin: User, login: str) -> None:
    answer = client.post("/accounts/login/", {"login": login, "password": "correct horse"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(lin.pk)


def test_goes_back_to_where_one_was(client: Client, lin: User) -> None:
    answer = client.post(
        "/accounts/login/?next=/me/", {"login": "lin", "password": "correct horse", "next": "/me/"}
    )
    assert answer.headers["Location"] == "/me/"


def test_never_goes_to_another_site(client: Client, lin: User) -> None:
    form = {"login": "lin", "password": "correct horse", "next": "https://evil.example/"}
    assert client.post("/accounts/login/", form).headers["Location"] == "/"


def test_a_wrong_password_is_said_and_the_name_kept(client: Client, lin: User) -> None:
    answer = client.post("/accounts/login/", {"login": "lin", "password": "wrong"})
    page = answer.content.decode()
    assert "_auth_user_id" not in client.session
    assert 'value="lin"' in page
    assert 'role="alert"' in page or "form-errors" in page


def test_signs_out_by_post_only(client: Client, lin: User) -> None:
    client.force_login(lin)
    client.get("/accounts/logout/")
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("path", ["/", "/me/?page=2", "/bank/?q=softmax&section=7.3", "/nothing/here/"])
def test_the_link_on_a_page_leads_back_to_it(client: Client, lin: User, path: str) -> None:
    page = client.get(path).content.decode()
    links = re.findall(r'href="(/accounts/login/[^"]*)" data-sign-in', page)
    assert len(links) == 2
    for link in links:
        assert parse_qs(urlsplit(link).query)["next"] == [path]


def test_the_link_on_the_page_itself_does_not_pile_up(client: Client) -> None:
    page = client.get("/accounts/login/?next=/me/").content.decode()
    links = re.findall(r'href="(/accounts/login/[^"]*)" data-sign-in', page)
    assert links == ["/accounts/login/?next=/me/"] * 2


@pytest.mark.parametrize(("language", "lang"), [("zh-hans", "zh-Hans"), ("en", "en")])
def test_a_page_with_an_old_token_is_told_in_the_language_that_it_declares(language: str, lang: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies["language"] = language
    answer = client.post("/accounts/login/", {"login": "lin", "password": "x"})
    assert answer.status_code == 403
    page = answer.content.decode()
    assert f'<html lang="{lang}">' in page
    assert ("Please send it again" in page) == (lang == "en")


def test_there_is_no_sign_up_address() -> None:
    with pytest.raises(NoReverseMatch):
        reverse("account_signup")
