"""Every way to sign in takes only so many guesses, for the admin's own leads to the site's."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from quiz.accounts.models import User
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def test_the_admin_s_own_way_in_leads_to_the_site_s(client: Client, instructor: User) -> None:
    form = {"username": "chen", "password": PASSWORD, "next": "/admin/"}
    for answer in (client.get("/admin/login/?next=/admin/"), client.post("/admin/login/", form)):
        assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/?next=%2Fadmin%2F")
    assert "_auth_user_id" not in client.session
    page = client.get("/admin/quiz/question/", follow=True)
    assert page.redirect_chain[-1][0] == "/accounts/login/?next=%2Fadmin%2Fquiz%2Fquestion%2F"
    client.post(page.redirect_chain[-1][0], {"login": "chen", "password": PASSWORD})
    assert client.get("/admin/quiz/question/").status_code == 200


def test_whoever_may_not_enter_the_admin_is_told_so(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    assert client.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/login/"])
def test_after_many_wrong_guesses_the_right_one_is_refused_too(
    client: Client, instructor: User, path: str
) -> None:
    cache.clear()

    def guess(password: str) -> None:
        fields = {"login": "chen", "username": "chen", "password": password}
        client.post(path, fields, follow=True)

    for _time in range(10):
        guess("wrong")
    guess(PASSWORD)
    cache.clear()
    assert "_auth_user_id" not in client.session
