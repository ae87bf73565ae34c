"""Signing in: the visitor's rows become the user's, nobody else's do, and two histories become one."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import UniqueConstraint
from django.test import Client
from django.urls import reverse

from quiz.accounts.models import OwnedModel, User
from quiz.accounts.people import Person
from quiz.exercises.drawing import vary
from quiz.exercises.registry import all_families
from quiz.practice.outcomes import outcome_of
from quiz.responses.adopting import adopt_visitor_rows
from quiz.responses.models import Help, Probe, Response
from quiz.responses.standing import Standing, standing_of
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ENTRY = vary("scaled_entry", 5)
ANSWER, HELP = "/exercises/scaled_entry/5/answer/", "/exercises/scaled_entry/5/help/"
QUERIES = 19


def sign_in(client: Client, user: User) -> None:
    answer = client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert answer.status_code == 302


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


def test_signing_in_without_a_visitor_changes_nothing(candidate: User, other_candidate: User) -> None:
    client = Client()
    sign_in(client, other_candidate)
    client.post(ANSWER, {"scaled": "3"})
    fresh = Client()
    sign_in(fresh, candidate)
    assert Response.objects.get().user == other_candidate


# --- two histories of one variant ---------------------------------------------------------------------
FEW = [
    (),
    ("right",),
    ("wrong",),
    ("unread",),
    ("hint",),
    ("solution",),
    ("wrong", "wrong too"),
    ("hint", "right"),
]


def do(client: Client, deeds: tuple[str, ...], *, seed: int) -> None:
    url, right = f"/exercises/scaled_entry/{seed}/", vary("scaled_entry", seed).right["scaled"]
    typed = {"right": f"{right:.4f}", "wrong": "900", "wrong too": "901", "unread": "1.2.3"}
    for deed in deeds:
        if deed in typed:
            answer = client.post(f"{url}answer/", {"scaled": typed[deed]})
        else:
            answer = client.post(f"{url}help/", {"help": {"hint": "1"}.get(deed, deed)})
        assert answer.status_code < 400


def standing(user: User, seed: int) -> Standing:
    return standing_of(Person(user=user), family="scaled_entry", seed=seed, version=ENTRY.version)


def told(standing: Standing) -> list[tuple[str, bool, int, str]]:
    return [(row.raw["scaled"], row.counts, row.try_number, row.state) for row in standing.responses]


@pytest.mark.parametrize("first", FEW, ids=" ".join)
def test_they_are_counted_as_if_it_had_all_been_done_signed_in(
    candidate: User, other_candidate: User, first: tuple[str, ...]
) -> None:
    """One person does the first deeds signed in and others signed out, and then signs in; another does all of
    it signed in."""
    mine, signed_out, others = Client(), Client(), Client()
    mine.force_login(candidate)
    others.force_login(other_candidate)
    for seed, then in enumerate(FEW):
        do(mine, first, seed=seed)
        do(signed_out, then, seed=seed)
        do(others, first + then, seed=seed)
    sign_in(signed_out, candidate)
    for seed, then in enumerate(FEW):
        one, other = standing(candidate, seed), standing(other_candidate, seed)
        assert told(one) == told(other), then
        assert (one.hints, one.gave_up, outcome_of(one)) == (other.hints, other.gave_up, outcome_of(other)), (
            then
        )
    do(mine, ("hint", "solution", "right"), seed=FEW.index(("hint",)))
    assert not Response.objects.exclude(visitor=None).exists()


@pytest.mark.parametrize("before", [("right",), ("wrong", "wrong too"), ("solution",)], ids=" ".join)
def test_what_the_user_did_stays_what_it_was_though_the_visitor_was_there_before(
    candidate: User, before: tuple[str, ...]
) -> None:
    mine, signed_out = Client(), Client()
    mine.force_login(candidate)
    was = []
    for seed, then in enumerate(FEW):
        do(signed_out, before, seed=seed)
        do(mine, then, seed=seed)
        was.append(told(standing(candidate, seed)))
    sign_in(signed_out, candidate)
    for seed, earlier in enumerate(was):
        now = told(standing(candidate, seed))
        assert all(row in now for row in earlier)
        tries = [number for _text, counts, number, _state in now if counts]
        assert sorted(tries) == list(range(1, len(tries) + 1))


def test_further_probes_seen_by_both_are_seen_once(candidate: User) -> None:
    family = next(family for family in all_families() if len(vary(family.slug, 1).probes) > 1)
    url = f"/exercises/{family.slug}/1/help/"
    mine, signed_out = Client(), Client()
    mine.force_login(candidate)
    mine.post(url, {"help": "probe"})
    for _probe in range(2):
        signed_out.post(url, {"help": "probe"})
    sign_in(signed_out, candidate)
    assert list(Probe.objects.values_list("user", "number")) == [(candidate.pk, 1), (candidate.pk, 2)]


@pytest.mark.parametrize("model", OwnedModel.__subclasses__(), ids=lambda model: model.__name__)
def test_what_is_there_once_can_be_there_only_once(model: type[OwnedModel]) -> None:
    """The rule by which rows are adopted is the one that the database holds."""
    alone = {
        tuple(constraint.fields)
        for constraint in model._meta.constraints
        if isinstance(constraint, UniqueConstraint)
    }
    if model.once:
        assert alone == {("user", *model.once), ("visitor", *model.once)}
    else:
        assert not alone or "adopt" in vars(model)


@pytest.mark.parametrize("variants", [1, 3])
def test_adopting_takes_a_fixed_number_of_queries(
    candidate: User, variants: int, django_assert_num_queries: Any
) -> None:
    mine, signed_out = Client(), Client()
    mine.force_login(candidate)
    for seed in range(variants):
        do(mine, ("wrong", "hint"), seed=seed)
        do(signed_out, ("wrong too", "hint"), seed=seed)
    request = signed_out.get("/me/").wsgi_request
    with django_assert_num_queries(QUERIES):
        adopt_visitor_rows(None, request, candidate)
