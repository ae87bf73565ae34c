"""Every page of the admin opens for an administrator, and users are made there."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from quiz.accounts.models import User
from quiz.exercises.drawing import vary
from quiz.responses.keeping import keep
from quiz.responses.models import Report

pytestmark = pytest.mark.django_db
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
OURS = [model for model in MODELS if model._meta.app_label == "quiz"]
NEW = {"username": "lin", "name": "林晓", "email": "lin@example.org"}


@pytest.fixture
def boss() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss", password="pass"))
    return client


@pytest.fixture
def rows(bank: None, candidate: User) -> None:
    """At least one row of every model that has a page, the ones of other people's applications aside."""
    Report.objects.create(user=candidate, variant=keep(vary("scaled_entry", 7)), kind="text")


def address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_the_list_and_the_form_of_a_model_open(model: type[Model], boss: Client, rows: None) -> None:
    page = boss.get(address(model, "changelist"))
    assert page.status_code == 200
    may_add = admin.site._registry[model].has_add_permission(page.wsgi_request)
    assert boss.get(address(model, "add")).status_code == (200 if may_add else 403)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.label)
def test_the_pages_of_a_row_open(model: type[Model], boss: Client, rows: None) -> None:
    row = model._default_manager.latest("pk")
    for page in ("change", "history"):
        assert boss.get(address(model, page, row.pk)).status_code == 200, page
    deleting = boss.get(address(model, "delete", row.pk))
    may_delete = admin.site._registry[model].has_delete_permission(deleting.wsgi_request, row)
    assert deleting.status_code == (200 if may_delete else 403)


def test_an_administrator_makes_a_user_who_can_sign_in(boss: Client) -> None:
    passwords = {"usable_password": "true", "password1": "correct horse", "password2": "correct horse"}
    made = boss.post("/admin/quiz/user/add/", NEW | passwords)
    user = User.objects.get(username="lin")
    assert made.headers["Location"] == f"/admin/quiz/user/{user.pk}/change/"
    assert (user.name, user.email, user.is_staff, user.is_active) == ("林晓", "lin@example.org", False, True)
    client = Client()
    client.post("/accounts/login/", {"login": "lin", "password": "correct horse"})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_a_user_may_be_made_without_a_password(boss: Client) -> None:
    boss.post("/admin/quiz/user/add/", NEW | {"usable_password": "false"})
    assert not User.objects.get(username="lin").has_usable_password()


@pytest.mark.parametrize(
    "changed",
    [
        {"password2": "another horse"},
        {"password1": "", "password2": ""},
        {"password1": "12345", "password2": "12345"},
        {"username": ""},
        {"username": "BOSS"},
    ],
)
def test_what_is_wrong_with_a_new_user_is_said(boss: Client, changed: dict[str, str]) -> None:
    good = {"usable_password": "true", "password1": "correct horse", "password2": "correct horse"}
    page = boss.post("/admin/quiz/user/add/", NEW | good | changed)
    assert (page.status_code, b"errorlist" in page.content) == (200, True)
    assert User.objects.count() == 1


def test_an_administrator_gives_a_new_password(boss: Client, candidate: User) -> None:
    path = f"/admin/quiz/user/{candidate.pk}/password/"
    assert boss.get(path).status_code == 200
    boss.post(path, {"usable_password": "true", "password1": "fresh horse 7", "password2": "fresh horse 7"})
    candidate.refresh_from_db()
    assert candidate.check_password("fresh horse 7")
