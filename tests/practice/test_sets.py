"""Practice sets: begun, worked through, left and taken up again, finished; nobody else's."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.accounts.models import User, Visitor
from quiz.bank.models import Question
from quiz.exercises.registry import all_families, get
from quiz.practice.models import PracticeSet
from quiz.responses.models import Response
from tests.conftest import PASSWORD
from tests.practice.working import begin, planted, primary, states, work

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SHORT = ("score_entry", "mha_shape", "gqa_ratio")


@pytest.fixture
def mine(client: Client, candidate: User) -> Client:
    client.force_login(candidate)
    return client


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


# --- beginning ----------------------------------------------------------------------------------------
def test_a_section_s_set_asks_its_families_in_a_stored_order(mine: Client) -> None:
    made = begin(mine, "section", "7.9")
    slugs = [item["family"] for item in made.items]
    assert len(slugs) == 8
    assert set(slugs) == {f.slug for f in all_families() if "7.9" in f.sections}
    again = begin(mine, "section", "7.9")
    assert (again.pk, again.items) == (made.pk, made.items)


def test_a_question_s_set_asks_the_families_linked_to_it(bank: None, mine: Client) -> None:
    made = begin(mine, "question", "12")
    assert {item["family"] for item in made.items} == set(Question.objects.get(number=12).families)


def test_a_mistake_s_set_asks_families_in_which_it_can_be_made(mine: Client) -> None:
    made = begin(mine, "mistake", "no_scale")
    for item in made.items:
        assert "no_scale" in {m.slug for m in get(item["family"]).misconceptions}


def test_one_hand_is_respected(mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    made = begin(mine, "mixed", "", one_handed="1")
    assert all(get(item["family"]).one_handed for item in made.items)
    monkeypatch.setattr("quiz.practice.composing.one_handed", lambda families: [])
    refused = mine.post("/practice/sets/", {"kind": "section", "subject": "7.13", "one_handed": "1"})
    assert refused.headers["Location"] == "/exercises/"
    assert "没有单手可做的练习" in mine.get("/exercises/").content.decode()


@pytest.mark.parametrize(
    ("kind", "subject"),
    [
        ("section", "9.9"),
        ("question", "999"),
        ("question", "²"),
        ("mistake", "x"),
        ("other", ""),
        ("", ""),
        ("section", "7.9\0"),
        ("mistake", "\0"),
        ("mistake", "no_scale" * 20),
    ],
)
def test_sets_about_nothing_are_not_found(bank: None, mine: Client, kind: str, subject: str) -> None:
    assert mine.post("/practice/sets/", {"kind": kind, "subject": subject}).status_code == 404
    assert PracticeSet.objects.count() == 0


@pytest.mark.parametrize("subject", ["\0", "7.9", "x" * 1000])
def test_a_mixed_set_is_about_nothing_in_particular(mine: Client, subject: str) -> None:
    assert begin(mine, "mixed", subject).subject == ""


def test_with_one_hand_or_not_are_different_sets(mine: Client) -> None:
    """Neither is gone on with when the other is asked for, and another one like it is like it."""
    either, one_hand = begin(mine, "mixed", ""), begin(mine, "mixed", "", one_handed="1")
    assert all(get(item["family"]).one_handed for item in one_hand.items)
    assert begin(mine, "mixed", "").pk == either.pk
    assert begin(mine, "mixed", "", one_handed="1").pk == one_hand.pk
    for made, asks in ((either, 0), (one_hand, 1)):
        page = mine.get(f"/practice/sets/{made.pk}/").content.decode()
        assert page.count('name="one_handed" value="1"') == asks


def test_by_get_nothing_is_begun(client: Client) -> None:
    assert client.get("/practice/sets/").headers["Location"] == "/exercises/"
    assert Visitor.objects.count() == 0


def test_a_fresh_set_can_be_asked_for(mine: Client) -> None:
    first = begin(mine)
    second = begin(mine, fresh="1")
    assert second.pk != first.pk


def test_a_finished_set_is_not_gone_on_with(mine: Client, candidate: User) -> None:
    done = planted(candidate, "score_entry")
    work(mine, done, 1, "right")
    assert begin(mine, "mixed", "").pk != done.pk


# --- working through ----------------------------------------------------------------------------------
def test_after_right_at_once_the_next_place_is_the_primary_act(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    page = work(mine, made, 1, "right")
    assert primary(page) == f"/practice/sets/{made.pk}/2/"
    assert states(page) == ["一次做对", "还没做", "还没做"]


@pytest.mark.parametrize("how", ["hint", "solution"])
def test_after_help_other_numbers_are_and_they_stay_in_the_set(
    mine: Client, candidate: User, how: str
) -> None:
    made = planted(candidate, *SHORT)
    page = work(mine, made, 1, how)
    again = f"/practice/sets/{made.pk}/1/again/"
    assert primary(page) == again
    assert f'class="button" href="/practice/sets/{made.pk}/2/"' in page
    answer = mine.post(again)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/practice/sets/{made.pk}/1/")
    made.refresh_from_db()
    assert [len(item["seeds"]) for item in made.items] == [2, 1, 1]
    fresh = mine.get(f"/practice/sets/{made.pk}/1/").content.decode()
    assert f'data-draft="/exercises/score_entry/{made.items[0]["seeds"][1]}/"' in fresh
    assert states(fresh)[0] == {"hint": "提示后做对", "solution": "看了解答"}[how]
    assert states(work(mine, made, 1, "right"))[0] == "一次做对"


def test_wrong_is_to_be_changed_before_anything_else(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    page = work(mine, made, 1, "wrong")
    assert primary(page) == "#answer-form"
    assert states(page)[0] == "还没做对"
    page = work(mine, made, 1, "right")
    assert states(page)[0] == "改后做对"
    assert primary(page) == f"/practice/sets/{made.pk}/2/"


def test_next_goes_round_to_what_was_skipped_and_ends_at_the_overview(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    page = mine.get(f"/practice/sets/{made.pk}/1/").content.decode()
    assert f'href="/practice/sets/{made.pk}/2/">先跳过' in page
    work(mine, made, 2, "right")
    assert primary(work(mine, made, 3, "right")) == f"/practice/sets/{made.pk}/1/"
    assert primary(work(mine, made, 1, "right")) == f"/practice/sets/{made.pk}/"


def test_htmx_gets_the_strip_with_the_new_state(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    data = {"score": "99999", "back": f"/practice/sets/{made.pk}/1/"}
    part = mine.post("/exercises/score_entry/1/answer/", data, headers={"HX-Request": "true"})
    page = part.content.decode()
    assert "<html" not in page
    assert page.count('id="set-strip"') == 1
    assert page.count('hx-swap-oob="outerHTML"') == 2
    assert states(page) == ["还没做对", "还没做", "还没做"]


def test_a_blank_answer_without_a_script_stays_in_the_set(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    back = f"/practice/sets/{made.pk}/1/"
    page = mine.post("/exercises/score_entry/1/answer/", {"score": "", "back": back}).content.decode()
    assert page.count('id="set-strip"') == 1
    assert f'name="back" value="{back}"' in page


def test_the_overview_goes_on_where_one_was_and_says_how_it_went(mine: Client, candidate: User) -> None:
    made = planted(candidate, *SHORT)
    url = f"/practice/sets/{made.pk}/"
    assert primary(mine.get(url).content.decode()) == f"{url}1/"
    work(mine, made, 1, "wrong")
    work(mine, made, 2, "hint")
    page = mine.get(url).content.decode()
    assert "已做 1/3" in page
    assert primary(page) == f"{url}1/"
    work(mine, made, 1, "right")
    work(mine, made, 3, "solution")
    page = mine.get(url).content.decode()
    assert re.findall(r'<b class="numbers">(\d+)</b> ([^<]+)<', page) == [
        ("1", "改后做对"),
        ("1", "提示后做对"),
        ("1", "看了解答"),
    ]
    assert "3 项，全部做完" in page


def test_what_went_wrong_is_named_once_with_a_way_to_practise_it(mine: Client, candidate: User) -> None:
    made = planted(candidate, "scaled_entry", "scaled_entry")
    for position in (1, 2):
        work(mine, made, position, "wrong")
        work(mine, made, position, "right")
    named = [slug for r in Response.objects.all() for slug in r.diagnosis]
    page = mine.get(f"/practice/sets/{made.pk}/").content.decode()
    assert re.findall(r'name="subject" value="(\w+)"', page) == list(dict.fromkeys(named))
    assert "2 处" in page


def test_a_family_that_is_gone_is_passed_over(mine: Client, candidate: User) -> None:
    made = planted(candidate, "no_longer_there", "score_entry")
    page = mine.get(f"/practice/sets/{made.pk}/").content.decode()
    assert "已不再提供" in page
    assert primary(page) == f"/practice/sets/{made.pk}/2/"
    assert mine.get(f"/practice/sets/{made.pk}/1/").headers["Location"] == f"/practice/sets/{made.pk}/"
    assert primary(work(mine, made, 2, "right")) == f"/practice/sets/{made.pk}/"


# --- whose it is --------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["", "1/", "1/again/"])
def test_sets_are_their_owner_s(candidate: User, other_candidate: User, path: str) -> None:
    made = planted(candidate, *SHORT)
    other = Client()
    other.force_login(other_candidate)
    for stranger in (other, Client()):
        for method in (stranger.get, stranger.post):
            if method == stranger.post and not path.endswith("again/"):
                continue
            assert method(f"/practice/sets/{made.pk}/{path}").status_code == 404
    made.refresh_from_db()
    assert [len(item["seeds"]) for item in made.items] == [1, 1, 1]


@pytest.mark.parametrize("path", ["0/", "4/", "99999999999999999999/"])
def test_places_that_do_not_exist_are_not_found(mine: Client, candidate: User, path: str) -> None:
    made = planted(candidate, *SHORT)
    assert mine.get(f"/practice/sets/{made.pk}/{path}").status_code == 404
    assert mine.get("/practice/sets/99999999999999999999/").status_code == 404


def test_an_answer_that_names_somebody_else_s_set_is_an_answer_outside_any(
    candidate: User, other_candidate: User
) -> None:
    made = planted(candidate, *SHORT)
    other = Client()
    other.force_login(other_candidate)
    data = {"score": "99999", "back": f"/practice/sets/{made.pk}/1/"}
    page = other.post("/exercises/score_entry/1/answer/", data, headers={"HX-Request": "true"})
    assert b'id="set-strip"' not in page.content


def test_a_visitor_s_set_becomes_the_user_s_at_sign_in(client: Client, candidate: User) -> None:
    made = begin(client)
    assert (made.user, made.visitor is None) == (None, False)
    client.post("/accounts/login/", {"login": candidate.username, "password": PASSWORD})
    made.refresh_from_db()
    assert (made.user, made.visitor) == (candidate, None)
    assert client.get(f"/practice/sets/{made.pk}/").status_code == 200


def test_a_visitor_s_set_goes_with_the_visitor(client: Client) -> None:
    begin(client)
    Visitor.objects.all().delete()
    assert PracticeSet.objects.count() == 0


# --- weak ones ----------------------------------------------------------------------------------------
def test_my_weak_ones_are_what_did_not_go_right_at_once_worst_first(mine: Client, candidate: User) -> None:
    made = planted(candidate, "score_entry", "mha_shape", "gqa_ratio", "swiglu", "kv_cache")
    for position, how in enumerate(("right", "wrong", "hint", "solution", "wrong"), start=1):
        work(mine, made, position, how)
    work(mine, made, 5, "right")
    assert "练我的弱项（4）" in mine.get("/exercises/").content.decode()
    weak = begin(mine, "weak", "")
    assert {item["family"] for item in weak.items} == {"mha_shape", "gqa_ratio", "swiglu", "kv_cache"}


def test_what_goes_right_at_once_later_is_weak_no_more(mine: Client, candidate: User) -> None:
    made = planted(candidate, "score_entry", "score_entry")
    work(mine, made, 1, "solution")
    assert "练我的弱项（1）" in mine.get("/exercises/").content.decode()
    work(mine, made, 2, "right")
    assert "练我的弱项" not in mine.get("/exercises/").content.decode()


def test_no_weak_ones_yet_says_so(mine: Client) -> None:
    assert "我的弱项：还没有" in mine.get("/exercises/").content.decode()
    answer = mine.post("/practice/sets/", {"kind": "weak"}, follow=True)
    assert "还没有弱项" in answer.content.decode()
    assert PracticeSet.objects.count() == 0


# --- going on -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["/", "/exercises/"])
def test_home_and_the_list_offer_to_go_on_until_it_is_done(
    bank: None, mine: Client, candidate: User, path: str
) -> None:
    assert 'class="continue"' not in mine.get(path).content.decode()
    made = planted(candidate, "score_entry", "mha_shape")
    work(mine, made, 1, "right")
    page = mine.get(path).content.decode()
    assert page.count('class="continue"') == 1
    assert f'href="/practice/sets/{made.pk}/2/">继续' in page
    work(mine, made, 2, "right")
    assert 'class="continue"' not in mine.get(path).content.decode()


@pytest.mark.parametrize("path", ["", "1/"])
def test_pages_of_a_set_take_a_fixed_number_of_queries(mine: Client, candidate: User, path: str) -> None:
    counts = []
    for families in (("score_entry",), ("score_entry", "mha_shape", "gqa_ratio")):
        made = planted(candidate, *families)
        for position in range(1, len(families) + 1):
            work(mine, made, position, "right")
        counts.append(queries(mine, f"/practice/sets/{made.pk}/{path}"))
    assert counts[0] == counts[1] <= 11


def test_home_takes_a_fixed_number_of_queries(bank: None, mine: Client, candidate: User) -> None:
    counts = []
    for count in (1, 3):
        for _set in range(count):
            planted(candidate, *(["score_entry"] * count))
        counts.append(queries(mine, "/"))
    assert counts[0] == counts[1] <= 13
