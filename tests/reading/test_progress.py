"""How far somebody is: told part by part, said by a button, theirs alone, and with them when they sign in."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from quiz.accounts.expiry import remove_idle_visitors
from quiz.accounts.models import User, Visitor
from quiz.bank.models import Section
from quiz.bank.reading.models import Reading, Tick
from quiz.bank.reading.tasks import TASKS
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bank")]


def reach(client: Client, place: object, number: str = "7.9") -> int:
    return client.post(f"/chapter/{number}/reached/", {"place": place}).status_code


def sign_in(client: Client, user: User) -> None:
    client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})


def test_the_parts_are_kept_in_order_and_never_go_back(client: Client) -> None:
    assert [reach(client, place) for place in (2, 4, 3)] == [204] * 3
    row = Reading.objects.get()
    assert (row.section.number, row.place, row.read_at) == ("7.9", 4, None)


@pytest.mark.parametrize("place", ["0", "8", "-1", "x", "", "1e3", "９", "99999999999"])
def test_a_part_that_is_not_there_is_not_reached(client: Client, place: str) -> None:
    assert reach(client, place) == 404
    assert not Reading.objects.exists()
    assert not Visitor.objects.exists()


def test_a_look_leaves_no_trace(client: Client) -> None:
    for path in ("/", "/chapter/", "/chapter/7.9/", "/chapter/start/", "/chapter/start/oom/"):
        client.get(path)
    assert not Reading.objects.exists()
    assert set(client.cookies) <= {"csrftoken"}


def test_the_list_says_where_one_is_and_what_is_read(client: Client) -> None:
    assert "继续读" not in client.get("/chapter/").content.decode()
    reach(client, 4)
    client.post("/chapter/7.1/read/", {"read": "yes"})
    html = client.get("/chapter/").content.decode()
    assert '<a class="button" href="/chapter/7.9/#shapes">继续读</a>' in html
    assert "读完 1 / 24 节" in html
    assert html.count("✓ 读完") == 1
    assert '读到： <span lang="zh-hans">矩阵形状</span>' in html
    assert '<a class="button" href="/chapter/7.9/#shapes">继续读</a>' in client.get("/").content.decode()


def test_the_button_works_without_a_script_and_can_be_undone(client: Client) -> None:
    answer = client.post("/chapter/7.9/read/", {"read": "yes"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/chapter/7.9/#read")
    assert Reading.objects.get().read_at is not None
    assert 'name="read" value="no"' in client.get("/chapter/7.9/").content.decode()
    client.post("/chapter/7.9/read/", {"read": "no"})
    assert Reading.objects.get().read_at is None
    assert 'name="read" value="yes"' in client.get("/chapter/7.9/").content.decode()


def test_what_is_read_is_not_offered_to_go_on_with(client: Client) -> None:
    reach(client, 3)
    client.post("/chapter/7.9/read/", {"read": "yes"})
    assert "继续读" not in client.get("/chapter/").content.decode()


def test_everyone_has_their_own(client: Client, candidate: User, other_candidate: User) -> None:
    clients = {}
    for user in (candidate, other_candidate):
        clients[user] = Client()
        clients[user].force_login(user)
    reach(clients[candidate], 5)
    assert "继续读" in clients[candidate].get("/chapter/").content.decode()
    for other in (clients[other_candidate], client):
        assert "继续读" not in other.get("/chapter/").content.decode()


def test_signing_in_keeps_the_further_of_both(client: Client, candidate: User) -> None:
    at_home = Client()
    at_home.force_login(candidate)
    reach(at_home, 6)
    at_home.post("/chapter/start/tasks/", {"task": "oral"})
    reach(client, 2)
    reach(client, 3, "7.10")
    client.post("/chapter/7.9/read/", {"read": "yes"})
    for task in ("oral", "block"):
        client.post("/chapter/start/tasks/", {"task": task})
    sign_in(client, candidate)
    rows = Reading.objects.order_by("section__position")
    assert [(r.section.number, r.place, r.user, r.visitor, r.read_at is not None) for r in rows] == [
        ("7.9", 6, candidate, None, True),
        ("7.10", 3, candidate, None, False),
    ]
    assert sorted(Tick.objects.filter(user=candidate).values_list("task", flat=True)) == ["block", "oral"]
    assert Tick.objects.count() == 2


def test_an_idle_visitor_takes_it_along(client: Client) -> None:
    reach(client, 2)
    client.post("/chapter/start/tasks/", {"task": "faults"})
    later = timezone.now() + timedelta(days=settings.VISITOR_DAYS + 1)
    remove_idle_visitors(now=later)
    assert (Reading.objects.count(), Tick.objects.count()) == (0, 0)


def ticked(html: str) -> list[str]:
    return re.findall(r'value="(\w+)" role="checkbox" aria-checked="true"', html)


def test_a_task_is_ticked_and_unticked(client: Client) -> None:
    html = client.get("/chapter/start/").content.decode()
    assert re.findall(r'name="task" value="(\w+)"', html) == list(TASKS)
    assert ticked(html) == []
    answer = client.post("/chapter/start/tasks/", {"task": "faults"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/chapter/start/#tasks")
    assert ticked(client.get("/chapter/start/").content.decode()) == ["faults"]
    again = client.post("/chapter/start/tasks/", {"task": "faults"}, headers={"HX-Request": "true"})
    assert ticked(again.content.decode()) == []
    assert client.post("/chapter/start/tasks/", {"task": "nothing"}).status_code == 404


@pytest.mark.parametrize("rows", [1, 3])
def test_pages_take_a_fixed_number_of_queries(
    client: Client, candidate: User, rows: int, django_assert_num_queries: Any
) -> None:
    client.force_login(candidate)
    numbers = ["7.9", "7.10", "7.11"][:rows]
    Section.objects.exclude(number__in=["start", *numbers]).delete()
    for number in numbers:
        reach(client, 2, number)
    client.post("/chapter/start/tasks/", {"task": "oral"})
    counts = {"/chapter/": 8, "/chapter/7.9/": 5, "/chapter/start/": 6}
    for path, most in counts.items():
        client.get(path)
        with django_assert_num_queries(most):
            client.get(path)


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_anchors_are_the_same_in_every_language(client: Client, language: str) -> None:
    html = client.get("/chapter/7.9/", headers={"accept-language": language}).content.decode()
    keys = ["intuition", "formula", "terms", "shapes", "example", "code", "misconceptions"]
    assert re.findall(r'<section class="part" aria-labelledby="(\w+)"', html) == keys
    contents = html.partition("data-contents>")[2].partition("</nav>")[0]
    assert re.findall(r'href="#([\w-]+)"', contents) == [*keys, "questions", "exercises"]
    ids = re.findall(r'<h[23] id="([\w-]+)"', html)
    assert ids == [*re.findall(r'class="anchor no-print" href="#([\w-]+)"', html), "questions", "exercises"]
    assert "example-1" in ids


def test_neighbours_are_named_and_the_start_page_comes_first(client: Client) -> None:
    def neighbours(path: str) -> list[str]:
        html = client.get(path).content.decode()
        return re.findall(r'rel="(?:prev|next)" href="([^"]+)"', html)

    assert neighbours("/chapter/start/") == ["/chapter/7.1/"]
    assert neighbours("/chapter/7.1/") == ["/chapter/start/", "/chapter/7.2/"]
    assert neighbours("/chapter/7.24/") == ["/chapter/7.23/"]
    title = Section.objects.get(number="7.2").texts.get(language="zh-hans").title
    assert title in client.get("/chapter/7.1/").content.decode()
