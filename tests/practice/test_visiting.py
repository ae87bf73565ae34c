"""Since when a page was open, as its form says, and what is believed of it."""

from __future__ import annotations

import time

import pytest
from django.test import Client

from quiz.responses.models import Response

pytestmark = pytest.mark.django_db
URL = "/exercises/scaled_entry/7/"
DAY = 24 * 3600


def hand_in(client: Client, opened: str) -> int | None:
    client.post(f"{URL}answer/", {"scaled": "999", "opened": opened})
    return Response.objects.latest("id").seconds


def test_the_page_says_when_it_was_opened_and_the_answer_how_long_it_took(client: Client) -> None:
    before = int(time.time())
    page = client.get(URL).content.decode()
    opened = int(page.split('name="opened" value="')[1].split('"')[0])
    assert before <= opened <= time.time()
    assert 90 <= (hand_in(client, str(opened - 90)) or 0) < 100


def test_it_stays_the_same_in_the_form_that_htmx_swaps_in(client: Client) -> None:
    opened = str(int(time.time()) - 50)
    data = {"scaled": "999", "opened": opened}
    page = client.post(f"{URL}answer/", data, headers={"HX-Request": "true"}).content.decode()
    assert f'name="opened" value="{opened}"' in page
    page = client.post(f"{URL}help/", {"help": "1", "opened": opened}).content.decode()
    assert f'name="opened" value="{opened}"' in page


@pytest.mark.parametrize("opened", ["", "x", "-5", "1.5", "²", "9" * 40, "in a while", "0"])
def test_what_makes_no_sense_is_not_believed(client: Client, opened: str) -> None:
    assert hand_in(client, opened) is None


@pytest.mark.parametrize("ago", [-60, DAY + 60])
def test_neither_is_the_future_nor_more_than_a_day(client: Client, ago: int) -> None:
    assert hand_in(client, str(int(time.time()) - ago)) is None


# --- which page embeds the exercise -------------------------------------------------------------------
NO_PATH = ["", "foo", "foo/bar.html", "?x", "#x", "\0", "javascript:x", "http://testserver/"]
ELSEWHERE = ["//evil.example", "/\\evil.example", "https://evil.example/"]


@pytest.mark.parametrize("path", [f"{URL}answer/", f"{URL}report/"])
@pytest.mark.parametrize("back", ["/", "/me/?page=2", *NO_PATH, *ELSEWHERE])
def test_without_a_script_one_goes_back_to_a_path_of_this_site_only(
    client: Client, path: str, back: str
) -> None:
    client.post(f"{URL}help/", {"help": "1"})
    answer = client.post(path, {"scaled": "999", "kind": "text", "back": back})
    expected = back if back in ("/", "/me/?page=2") else URL
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{expected}#verdict")
