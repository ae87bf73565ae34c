"""The exercise pages without JavaScript: addresses, forms, redirects, and who sees what."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.accounts.models import User
from quiz.exercises.drawing import vary
from quiz.exercises.registry import all_families
from quiz.exercises.types import Kind
from quiz.responses.answering import GRIDS, field_name
from quiz.responses.models import Help, Response
from quiz.responses.models import Variant as StoredVariant
from tests.responses.typing import form_data

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ENTRY = vary("scaled_entry", 7)
URL = "/exercises/scaled_entry/7/"


def answer(client: Client, text: str, **headers: str) -> str:
    return client.post(f"{URL}answer/", {"scaled": text}, follow=True, headers=headers).content.decode()


@pytest.mark.parametrize("sent", ["%00", "1%00", "%ED%A0%80", "%FF%FE"])
@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_no_database_stores_is_stored_as_unreadable(client: Client, kind: str, sent: str) -> None:
    """NUL above all. Bytes that are no text are no text before they come to us."""
    family, part = next((f, p) for f in all_families() for p in vary(f.slug, 1).required if p.kind == kind)
    field = field_name(part, 0, 0) if kind in GRIDS else part.name
    url = f"/exercises/{family.slug}/1/"
    client.post(f"{url}answer/", f"{field}={sent}", content_type="application/x-www-form-urlencoded")
    stored = Response.objects.get()
    assert (stored.verdict, stored.counts) == ("malformed", False)
    assert "\ufffd" in json.dumps(stored.raw, ensure_ascii=False)
    assert client.get(url).status_code == 200


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_family_leads_to_a_fresh_variant(client: Client) -> None:
    seen = set()
    for _visit in range(3):
        response = client.get("/exercises/kv_cache/")
        assert response.status_code == 303
        found = re.fullmatch(r"/exercises/kv_cache/(\d+)/", response.headers["Location"])
        assert found
        assert 0 <= int(found[1]) < 2**31
        seen.add(found[1])
    assert len(seen) == 3


@pytest.mark.parametrize(
    "path",
    [
        "/exercises/nothing/",
        "/exercises/nothing/1/",
        f"/exercises/kv_cache/{2**31}/",
        "/exercises/kv_cache/-1/",
    ],
)
def test_what_does_not_exist_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_largest_public_seed_is_a_variant(client: Client) -> None:
    assert client.get(f"/exercises/kv_cache/{2**31 - 1}/").status_code == 200


def test_the_same_link_shows_everyone_the_same_numbers() -> None:
    pages = [Client().get(URL).content.decode() for _person in range(2)]
    givens = [re.findall(r"<td>(.*?)</td>", page) for page in pages]
    assert givens[0] == givens[1] == [str(n).replace("-", "−") for n in ENTRY.drawn["q"] + ENTRY.drawn["k"]]


def test_looking_writes_nothing(client: Client) -> None:
    response = client.get(URL)
    assert StoredVariant.objects.count() == Response.objects.count() == 0
    assert "sessionid" not in response.cookies


def test_answer_redirects_and_the_page_shows_the_verdict_and_the_text(client: Client) -> None:
    wrong = f"{ENTRY.mistakes['no_scale']['scaled']:.3f}"
    response = client.post(f"{URL}answer/", {"scaled": wrong})
    assert (response.status_code, response.headers["Location"]) == (303, f"{URL}#verdict")
    page = client.get(URL).content.decode()
    assert re.findall(r'data-verdict="(\w+)"', page) == ["wrong"]
    assert f'value="{wrong}"' in page
    assert 'id="verdict" class="outcome" role="status"' in page


def test_right_after_a_change_says_so(client: Client) -> None:
    answer(client, "999")
    page = answer(client, f"{ENTRY.right['scaled']:.3f}")
    heading = re.search(r'id="verdict-heading"[^>]*>(.*?)</h2>', page)
    assert heading
    assert heading[1] == "对，改后做对"
    assert page.count('class="earlier"') == 1


def test_htmx_gets_the_outcome_and_the_form_only(client: Client) -> None:
    page = answer(client, "999", HX_Request="true")
    assert "<html" not in page
    assert page.count('data-verdict="wrong"') == page.count('hx-swap-oob="outerHTML"') == 1


def test_blank_answer_records_nothing_and_says_what_is_missing(client: Client) -> None:
    page = answer(client, "  ")
    assert Response.objects.count() == StoredVariant.objects.count() == 0
    assert page.count('class="notice" tabindex="-1" data-focus') == 1


def test_unreadable_text_is_quoted_safely_kept_and_not_counted(client: Client) -> None:
    page = answer(client, "<b>*1*</b>")
    assert re.findall(r'data-verdict="(\w+)"', page) == ["malformed"]
    assert "<b>" not in page
    assert 'value="&lt;b&gt;*1*&lt;/b&gt;"' in page
    assert Response.objects.get().counts is False


def test_two_readings_are_offered_and_one_click_chooses(client: Client) -> None:
    right = ENTRY.right["scaled"]
    page = answer(client, f"{right:.3f}".replace(".", ","))
    assert re.findall(r'data-verdict="(\w+)"', page) == ["ambiguous"]
    choices = re.findall(r'name="choose" value="scaled\|(.*?)"', page)
    assert len(choices) == 2
    assert float(choices[0]) == round(right, 3)
    chosen = client.post(
        f"{URL}answer/", {"scaled": "whatever", "choose": f"scaled|{choices[0]}"}, follow=True
    ).content.decode()
    assert re.findall(r'data-verdict="(\w+)"', chosen) == ["right"]


def test_help_keeps_what_was_typed(client: Client) -> None:
    page = client.post(f"{URL}help/", {"help": "1", "scaled": "1/√2"}).content.decode()
    assert 'value="1/√2"' in page
    assert page.count('class="hint-number"') == 1
    assert list(Help.objects.values_list("step", flat=True)) == [1]
    assert Response.objects.count() == 0


@pytest.mark.parametrize("wanted", ["", "0", "-1", "99", "all", "²"])
def test_help_of_no_kind_is_refused(client: Client, wanted: str) -> None:
    assert client.post(f"{URL}help/", {"help": wanted}).status_code == 400
    assert Help.objects.count() == 0


@pytest.mark.parametrize("deed", ["answer", "help"])
def test_coming_back_by_get_leads_to_the_exercise(client: Client, deed: str) -> None:
    assert client.get(f"{URL}{deed}/").headers["Location"] == URL


def test_reading_is_told_without_marking(client: Client) -> None:
    told = client.post(f"{URL}reading/", {"part": "scaled", "text": ["-1/√2", "1,5", "x", ""]}).json()
    assert [one["state"] for one in told["readings"]] == ["value", "ask", "refuse", ""]
    assert told["readings"][0]["text"].endswith("−0.7071")
    pasted = client.post("/exercises/full_output/1/reading/", {"part": "output", "paste": "1\t2\n3\t4"})
    assert pasted.json() == {"cells": [["1", "2"], ["3", "4"]]}
    assert client.post(f"{URL}reading/", {"part": "nothing", "text": "1"}).status_code == 400
    assert StoredVariant.objects.count() == 0


def test_answer_from_an_embedding_page_goes_back_there_but_never_elsewhere(client: Client) -> None:
    def to(back: str) -> str:
        return client.post(f"{URL}answer/", {"scaled": "1", "back": back}).headers["Location"]

    assert to("/") == "/#verdict"
    assert to("https://example.org/") == to("//example.org/") == f"{URL}#verdict"


def test_page_takes_a_fixed_number_of_queries_however_many_tries(client: Client, bank: None) -> None:
    assert queries(client, URL) <= 3
    answer(client, "1")
    one = queries(client, URL)
    for text in ("2", "3"):
        answer(client, text)
    assert queries(client, URL) == one <= 8


def test_my_attempts_are_mine_newest_first(candidate: User, other_candidate: User) -> None:
    mine, theirs = Client(), Client()
    mine.force_login(candidate)
    theirs.force_login(other_candidate)
    for seed in (1, 2, 3):
        mine.post(f"/exercises/scaled_entry/{seed}/answer/", {"scaled": "1"})
    cache = vary("kv_cache", 9)
    theirs.post("/exercises/kv_cache/9/answer/", form_data(cache, cache.right))
    assert Response.objects.filter(user=other_candidate).count() == 1
    page = mine.get("/me/").content.decode()
    assert re.findall(r'href="/exercises/(\w+/\d+)/"', page) == [f"scaled_entry/{s}" for s in (3, 2, 1)]
    assert re.findall(r'href="/exercises/(\w+/\d+)/"', Client().get("/me/").content.decode()) == []


def test_my_attempts_take_a_fixed_number_of_queries(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    client.post(f"{URL}answer/", {"scaled": "1"})
    one = queries(client, "/me/")
    for seed in (8, 9):
        client.post(f"/exercises/mha_shape/{seed}/answer/", {"shape": "2"})
    assert Response.objects.count() == 3
    assert queries(client, "/me/") == one


def test_my_attempts_are_paged(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    variant = vary("scaled_entry", 1)
    client.post("/exercises/scaled_entry/1/answer/", form_data(variant, variant.right))
    first = Response.objects.get()
    rows = [
        Response(user=candidate, variant=first.variant, raw={}, verdict="wrong", score=0, marking_version=1)
        for _row in range(20)
    ]
    Response.objects.bulk_create(rows)
    pages = [client.get(f"/me/?page={n}").content.decode() for n in (1, 2)]
    assert [page.count("<li>") for page in pages] == [20, 1]
    assert 'rel="next" href="?page=2"' in pages[0]
    assert 'rel="prev" href="?page=1"' in pages[1]


def test_nothing_answered_yet_says_what_to_do(client: Client) -> None:
    page = client.get("/me/").content.decode()
    assert page.count('class="button button-primary" href="/exercises/"') == 1
