"""The list of exercises: tabs, filters, the address that keeps them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.exercises import registry
from quiz.exercises.family import Family
from quiz.exercises.registry import all_families

pytestmark = pytest.mark.django_db


def listed(page: str) -> list[str]:
    return re.findall(r'class="row-link" href="/exercises/(\w+)/"', page)


def in_tab(group: str, keep: Callable[[Family], bool] = lambda family: True) -> list[str]:
    return [family.slug for family in all_families() if family.group == group and keep(family)]


@pytest.fixture
def drill(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more family, in the second tab."""
    kind = type(registry.get("mha_shape"))
    extra = type("Drill", (kind,), {"slug": "a_drill", "group": "drill", "sections": ("7.9",)})
    registry._discover()
    monkeypatch.setitem(registry._registered, "a_drill", extra())


@pytest.fixture
def no_drills(monkeypatch: pytest.MonkeyPatch) -> None:
    registry._discover()
    for slug in in_tab("drill"):
        monkeypatch.delitem(registry._registered, slug)


def page_of(client: Client, query: str = "", **headers: str) -> str:
    answer = client.get(f"/exercises/{query}", headers=headers)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_list_has_every_family_once_under_its_section(client: Client, bank: None) -> None:
    page = page_of(client)
    assert listed(page) == in_tab("numeric")
    sections = dict.fromkeys(f.sections[0] for f in all_families() if f.group == "numeric")
    assert re.findall(r'class="group-number">([\d.]+)<', page) == list(sections)


def test_a_tab_without_families_is_not_shown(client: Client, no_drills: None) -> None:
    assert 'class="tabs"' not in page_of(client)
    assert listed(page_of(client, "?tab=drill")) == in_tab("numeric")


def test_tabs_keep_the_filters_and_say_which_is_current(client: Client, drill: None) -> None:
    page = page_of(client, "?section=7.9")
    tabs = re.findall(r'<a href="([^"]*)"( aria-current="page")?>(\S+) <span', page.split('class="tabs"')[1])
    assert tabs[:2] == [
        ("/exercises/?section=7.9", ' aria-current="page"', "手算"),
        ("/exercises/?tab=drill&amp;section=7.9", "", "找错"),
    ]
    other = page_of(client, "?tab=drill&section=7.9")
    assert listed(other) == in_tab("drill", lambda family: "7.9" in family.sections)
    assert '<input type="hidden" name="tab" value="drill">' in other


def test_filters_by_section_and_by_hand(client: Client, bank: None) -> None:
    assert listed(page_of(client, "?section=7.15")) == in_tab("numeric", lambda f: "7.15" in f.sections)
    assert listed(page_of(client, "?hand=one")) == in_tab("numeric", lambda f: f.one_handed)
    both = page_of(client, "?section=7.12&hand=one")
    assert listed(both) == in_tab("numeric", lambda f: f.one_handed and "7.12" in f.sections)
    assert '<option value="7.12" selected>' in both
    assert 'value="one" checked' in both


@pytest.mark.parametrize("query", ["?section=9.9", "?section=%3Cscript%3E", "?section=" + "7" * 500])
def test_nothing_found_says_so_and_shows_the_way_back(client: Client, query: str) -> None:
    page = page_of(client, query)
    assert listed(page) == []
    assert '<a class="button" href="/exercises/">显示全部练习</a>' in page
    assert "<script>" not in page


@pytest.mark.parametrize("query", ["?tab=other", "?hand=two", "?"])
def test_unknown_values_count_as_none(client: Client, query: str) -> None:
    assert listed(page_of(client, query)) == in_tab("numeric")


def test_htmx_gets_the_list_alone(client: Client) -> None:
    page = page_of(client, "?section=7.9", HX_Request="true", HX_Target="catalogue")
    assert page.lstrip().startswith('<div id="catalogue"')


def test_a_section_chosen_can_be_practised_as_a_set(client: Client) -> None:
    assert 'name="subject"' not in page_of(client)
    assert 'name="subject" value="7.9"' in page_of(client, "?section=7.9")


def test_list_takes_a_fixed_number_of_queries(client: Client, bank: None) -> None:
    with CaptureQueriesContext(connection) as captured:
        page_of(client)
    assert len(captured) == 2
