"""Signing in and out in a browser: back to where one was, and what was typed stays one's own."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from quiz.accounts.models import User
from quiz.responses.models import Response
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EXERCISE = "/exercises/scaled_entry/7/"


def cell(page: Page) -> Locator:
    return page.locator("[name=scaled]")


def fill_in(page: Page, user: User) -> None:
    page.locator("#id_login").fill(user.username)
    page.locator("#id_password").fill(PASSWORD)
    page.locator("main .button-primary").click()
    expect(page.locator('.bar form[action="/accounts/logout/"]')).to_be_visible()


def sign_out(page: Page) -> None:
    page.locator('.bar form[action="/accounts/logout/"] button').click()
    expect(page.locator(".bar [data-sign-in]")).to_be_visible()


def test_signing_in_leads_back_also_where_htmx_changed_the_address(
    site: str, candidate: User, page: Page
) -> None:
    page.goto(f"{site}/exercises/")
    page.locator("#filter-hand").check()
    page.wait_for_url("**/exercises/?*hand=one*")
    there = page.url
    page.locator(".bar [data-sign-in]").click()
    page.wait_for_url("**/accounts/login/?next=*")
    page.locator(".bar [data-sign-in]").click()  # on the page itself it goes nowhere else
    page.locator("#id_login").fill("nobody")
    page.locator("#id_password").fill("wrong")
    page.locator("main .button-primary").click()
    expect(page.locator("main [role=alert]")).to_be_visible()
    fill_in(page, candidate)
    assert page.url == there


def test_what_was_typed_before_signing_in_elsewhere_can_be_handed_in(
    site: str, candidate: User, page: Page, watch: Any
) -> None:
    """The token of the open page is dead: that is said at the first letter, and one reload mends it."""
    page.goto(f"{site}{EXERCISE}")
    cell(page).fill("99")
    expect(page.locator("#read-scaled")).to_have_attribute("data-state", "value")
    other = page.context.new_page()
    other.goto(f"{site}/accounts/login/")
    fill_in(other, candidate)

    watch.is_paused = True  # the browser notes a refusal as an error
    refused = page.locator("[data-exercise] [data-failure] [data-refused]")
    cell(page).fill("998")
    expect(refused).to_be_visible()
    expect(page.locator("#read-scaled")).to_be_empty()
    page.locator("[data-submit]").click()
    expect(refused).to_be_visible()
    refused.locator("[data-reload]").click()
    expect(refused).to_be_hidden()
    watch.is_paused = False
    expect(cell(page)).to_have_value("998")
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "wrong")
    assert [r.user for r in Response.objects.all()] == [candidate]


def test_nobody_is_given_what_another_typed(
    site: str, candidate: User, other_candidate: User, page: Page
) -> None:
    """On one computer, in one tab: signed in, signed out, somebody else, and the first again."""
    page.goto(f"{site}/accounts/login/?next={EXERCISE}")
    fill_in(page, candidate)
    cell(page).fill("1/7")
    sign_out(page)
    page.goto(f"{site}{EXERCISE}")
    expect(cell(page)).to_have_value("")
    page.locator(".bar [data-sign-in]").click()
    fill_in(page, other_candidate)
    expect(cell(page)).to_have_value("")
    page.context.clear_cookies()  # the session ran out
    page.goto(f"{site}/accounts/login/?next={EXERCISE}")
    fill_in(page, candidate)
    expect(cell(page)).to_have_value("1/7")


def test_going_back_after_signing_out_shows_nothing_of_the_person(
    site: str, candidate: User, page: Page
) -> None:
    page.goto(f"{site}/accounts/login/?next={EXERCISE}")
    fill_in(page, candidate)
    cell(page).fill("999")
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict]")).to_be_visible()
    page.goto(f"{site}/me/")
    expect(page.locator(".attempts > li")).to_have_count(1)
    sign_out(page)
    page.go_back()
    expect(page.locator(".bar [data-sign-in]")).to_be_visible()
    expect(page.locator(".attempts > li")).to_have_count(0)
