"""题目统计 as instructors and graders see it: rows, orders, dates, one family, unexplained answers, CSV."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quiz.accounts.models import User
from quiz.exercises.drawing import vary
from quiz.exercises.registry import all_families
from quiz.pages.families import UNKNOWN_A_PAGE
from quiz.responses.models import Report, Response, Variant
from quiz.responses.statistics import family_statistics
from tests.responses.planting import START, Work, imagine, people, plant

pytestmark = pytest.mark.django_db
URL = "/desk/families/"


@pytest.fixture
def desk(instructor: User) -> Client:
    client = Client()
    client.force_login(instructor)
    return client


@pytest.fixture
def works(db: None) -> list[Work]:
    families = ["scaled_entry", "kv_cache", "mha_shape"]
    made = imagine(people(25), families, each=10, rng=np.random.default_rng(2))
    plant(made)
    return made


def page_of(client: Client, path: str = "") -> str:
    answer = client.get(f"{URL}{path}")
    assert answer.status_code == 200, path
    return str(answer.content.decode())


def rows(page: str) -> list[tuple[str, ...]]:
    """Slug, version and the numbers of each row of the table."""
    body = page.split("<tbody>")[1].split("</tbody>")[0]
    return [
        (
            re.findall(r'href="/desk/families/(\w+)/', row)[0],
            re.findall(r"· v(\d+)", row)[0],
            *re.findall(r'<td class="number">([^<]*)</td>', row),
        )
        for row in body.split("<tr>")[1:]
    ]


def table(answer: object) -> list[list[str]]:
    text = answer.content.decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.reader(io.StringIO(text)))


# --- the list -----------------------------------------------------------------------------------------
def test_every_family_and_version_has_a_row_with_its_numbers(desk: Client, works: list[Work]) -> None:
    page = page_of(desk)
    by_key = {(row[0], row[1]): row[2:] for row in rows(page)}
    counted = family_statistics()
    assert set(by_key) == {(one.slug, str(one.version)) for one in counted}
    for one in counted:
        people_, begun, first, *_rest = by_key[one.slug, str(one.version)]
        assert (people_, begun) == (str(one.people), str(one.begun))
        assert first == f"{100 * one.first / one.begun:.0f}%"
    untouched = len(all_families()) - 3
    assert f"还有 {untouched} 类没有人做过" in page


@pytest.mark.parametrize(
    ("order", "column", "falling"), [("people", 2, True), ("first", 4, False), ("unknown", 10, True)]
)
def test_what_deserves_a_look_comes_first(
    desk: Client, works: list[Work], order: str, column: int, falling: bool
) -> None:
    page = page_of(desk, f"?order={order}")
    found = [float(row[column].rstrip("%")) for row in rows(page)]
    assert found == sorted(found, reverse=falling)
    assert page.count("aria-sort=") == 1


def test_by_default_the_order_is_that_of_the_chapter(desk: Client, works: list[Work]) -> None:
    order = [row[0] for row in rows(page_of(desk))]
    chapter = [family.slug for family in all_families()]
    assert order == sorted(order, key=chapter.index)
    assert order == [row[0] for row in rows(page_of(desk, "?order=nonsense"))]


def test_dates_narrow_it_and_go_along(desk: Client, works: list[Work]) -> None:
    day = (START + timedelta(days=30)).date().isoformat()
    before, after = page_of(desk, f"?until={day}"), page_of(desk, f"?since={day}")
    every = sum(int(row[3]) for row in rows(page_of(desk)))
    parts = [sum(int(row[3]) for row in rows(page)) for page in (before, after)]
    assert 0 < parts[0] < every
    assert sum(parts) >= every  # the day itself is in both
    assert f'href="/desk/families/kv_cache/?since={day}"' in after
    assert f"order=first&amp;since={day}" in after
    assert f'href="/desk/families/families.csv?since={day}"' in after


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?since=yesterday", "从："),
        ("?since=2026-07-02&until=2026-07-01", "到：结束日期早于开始日期。"),
        ("?until=9999-12-31", ""),
    ],
)
def test_odd_dates_are_said_and_leave_the_time_open(
    desk: Client, works: list[Work], query: str, said: str
) -> None:
    page = page_of(desk, query)
    errors = re.findall(r'class="field-error"[^>]*>([^<]*)<', page)
    assert (len(errors), bool(errors) and errors[0].startswith(said)) == (bool(said), bool(said))
    assert len(rows(page)) == len(family_statistics())


def test_nothing_answered_says_so(desk: Client) -> None:
    assert "还没有人作答。" in page_of(desk)
    assert "这段时间没有人作答。" in page_of(desk, "?since=2026-01-01")


@pytest.mark.parametrize("path", ["", "scaled_entry/", "scaled_entry/unknown/"])
def test_pages_take_a_fixed_number_of_queries(desk: Client, candidate: User, path: str) -> None:
    counts = []
    for families in (["scaled_entry"], ["scaled_entry", "kv_cache", "mha_shape"]):
        for seed, slug in enumerate(families):
            stored = Variant.objects.create(
                family=slug, seed=10 * len(families) + seed, version=1, drawn=dict(vary(slug, 1).drawn)
            )
            plant([Work(candidate, stored, ["wrong"] * 3, [[], [], []])])
        with CaptureQueriesContext(connection) as captured:
            page_of(desk, path)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 10


# --- one family ---------------------------------------------------------------------------------------
def bars(page: str, section: str) -> list[tuple[str, int]]:
    body = page.split(f'id="{section}"')[1].split("</table>")[0]
    found = re.findall(r'<th scope="row">(.*?)</th>.*?<td class="number">(\d+)</td>', body)
    return [(re.sub(r"<[^>]+>", "", label), int(count)) for label, count in found]


def test_a_family_shows_how_its_work_ended_and_its_mistakes(desk: Client, works: list[Work]) -> None:
    page = page_of(desk, "scaled_entry/")
    for one in family_statistics():
        if one.slug == "scaled_entry":
            ends = [one.first, one.changed, one.helped, one.solution, one.still_open]
            assert [count for _label, count in bars(page, f"version-{one.version}")] == ends
    mistakes = dict(bars(page, "mistakes"))
    unknown = sum(one.unknown for one in family_statistics() if one.slug == "scaled_entry")
    assert mistakes["不是我们认识的错法"] == unknown
    assert "忘了除以 √d_k" in mistakes
    assert "忘了除以 √d_k 还是 除以了 d_k，而不是 √d_k" in mistakes
    only = dict(bars(page_of(desk, "scaled_entry/?version=2"), "mistakes"))
    assert 0 < sum(only.values()) < sum(mistakes.values())


def test_a_family_that_is_gone_keeps_its_numbers(desk: Client, candidate: User) -> None:
    stored = Variant.objects.create(family="long_gone", seed=1, version=3, drawn={})
    responses = {"variant": stored, "raw": {}, "verdict": "wrong", "score": 0, "marking_version": 1}
    Response.objects.create(user=candidate, **responses, try_number=1, diagnosis=["old_slug"])
    assert 'href="/desk/families/long_gone/"' in page_of(desk)
    page = page_of(desk, "long_gone/")
    assert dict(bars(page, "mistakes")) == {"old_slug": 1}
    assert desk.get(f"{URL}long_gone/unknown/").status_code == 404


@pytest.mark.parametrize("path", ["never_there/", "never_there/unknown/", "never_there/unknown/unknown.csv"])
def test_a_family_that_never_was_is_not_found(desk: Client, path: str) -> None:
    assert desk.get(f"{URL}{path}").status_code == 404


# --- what nothing explains ----------------------------------------------------------------------------
def answered(client: Client, text: str, *, seed: int = 7) -> None:
    client.post(f"/exercises/scaled_entry/{seed}/answer/", {"scaled": text})


def test_unexplained_answers_show_what_was_typed_beside_the_right_value(desk: Client, client: Client) -> None:
    answered(client, "1/√2+<b>")
    answered(client, "123.456")
    answered(client, f"{vary('scaled_entry', 7).mistakes['no_scale']['scaled']:.4f}")
    page = page_of(desk, "scaled_entry/unknown/")
    assert "1 个答案" in page
    assert page.count('<a href="/exercises/scaled_entry/7/">7</a>') == 1
    assert "<code>123.456</code>" in page
    right = vary("scaled_entry", 7).right["scaled"]
    assert f"{right:.4f}".rstrip("0").replace("-", "−") in page
    assert "<b>" not in page.split("<main")[1]


def test_unexplained_answers_are_paged(desk: Client, candidate: User) -> None:
    stored = Variant.objects.create(
        family="scaled_entry", seed=1, version=1, drawn=dict(vary("scaled_entry", 1).drawn)
    )
    works = [Work(candidate, stored, ["wrong"], [[]]) for _one in range(UNKNOWN_A_PAGE + 1)]
    plant(works)
    pages = [page_of(desk, f"scaled_entry/unknown/?page={n}&version=1") for n in (1, 2)]
    assert [page.count('scope="rowgroup"') for page in pages] == [UNKNOWN_A_PAGE, 1]
    assert 'rel="next" href="?page=2&amp;version=1"' in pages[0]
    assert "没有：到现在为止" in page_of(desk, "scaled_entry/unknown/?version=2")


# --- CSV ----------------------------------------------------------------------------------------------
def test_the_rows_as_csv_are_unrounded(desk: Client, works: list[Work]) -> None:
    answer = desk.get(f"{URL}families.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    header, *lines = table(answer)
    found = {(row[0], int(row[1])): dict(zip(header, row, strict=True)) for row in lines}
    for one in family_statistics():
        line = found[one.slug, one.version]
        assert int(line["begun"]) == one.begun
        assert float(line["first_share"]) == one.first_share
        expected = "" if one.discrimination is None else repr(one.discrimination)
        assert line["discrimination"] == expected


def test_unexplained_answers_as_csv_are_safe_in_a_spreadsheet(desk: Client, client: Client) -> None:
    answered(client, "=1+1")
    answered(client, "-4.25")
    header, *lines = table(desk.get(f"{URL}scaled_entry/unknown/unknown.csv"))
    typed = [row[header.index("typed")] for row in lines]
    assert typed[0] == "'-4.25"
    assert not any(text.startswith(("=", "+", "-", "@")) for text in typed)


# --- the desk -----------------------------------------------------------------------------------------
def test_the_desk_counts_open_reports_and_the_week_s_mistakes(
    desk: Client, client: Client, candidate: User
) -> None:
    assert "没有待处理的" in desk.get("/desk/").content.decode()
    client.force_login(candidate)
    wrong = f"{vary('scaled_entry', 7).mistakes['no_scale']['scaled']:.4f}"
    answered(client, wrong)
    client.post("/exercises/scaled_entry/7/report/", {"kind": "text"})
    page = desk.get("/desk/").content.decode()
    assert "1 条待处理" in page
    assert 'href="/desk/families/scaled_entry/">忘了除以 √d_k</a>' in page
    Response.objects.update(created_at=timezone.now() - timedelta(days=8))
    Report.objects.update(resolved_at=timezone.now())
    page = desk.get("/desk/").content.decode()
    assert "这几天没有人犯认得出的错" in page
    assert "没有待处理的" in page


def test_the_desk_is_in_the_navigation_of_those_who_work_there(desk: Client, grader: User) -> None:
    other = Client()
    other.force_login(grader)
    for client in (desk, other):
        assert '<a class="nav-item" href="/desk/" aria-current="page">工作台</a>' in page_of(client)
    assert 'href="/desk/"' not in Client().get("/exercises/").content.decode()
