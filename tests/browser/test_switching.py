"""Switching the language or the theme loses nothing of an address that a page has changed since it came."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHANGES = [
    ("/bank/", "[name=section]", "7.9", "/bank/?section=7.9&difficulty=&words="),
    ("/exercises/", "[name=section]", "7.9", "/exercises/?section=7.9"),
    ("/search/", "#q", "softmax", "/search/?q=softmax"),
]


def switch_both(page: Page, address: str) -> None:
    page.get_by_role("button", name="Switch to English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert page.url == address
    page.locator("[data-theme-button]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.url == address


@pytest.mark.parametrize(("path", "field", "value", "after"), CHANGES)
def test_what_htmx_put_into_the_address_stays(
    site: str, bank: None, page: Page, path: str, field: str, value: str, after: str
) -> None:
    page.goto(site + path)
    if field.startswith("#"):
        page.fill(field, value)
    else:
        page.select_option(field, value)
    page.wait_for_url(site + after)
    switch_both(page, site + after)


def test_the_place_on_the_page_stays(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/chapter/7.9/")
    page.evaluate("location.hash = 'formula'")
    switch_both(page, f"{site}/chapter/7.9/#formula")


@pytest.mark.parametrize(("path", "field"), [("/bank/", "#words"), ("/search/", "#q")])
def test_typing_leaves_one_entry_in_the_history(
    site: str, bank: None, page: Page, path: str, field: str
) -> None:
    page.goto(f"{site}/about/")
    page.goto(site + path)
    for words in ("R", "Ro", "RoPE"):
        page.fill(field, words)
        page.wait_for_url(lambda url, words=words: url.endswith(f"={words}"))
    page.go_back()
    assert page.url == f"{site}/about/"
    page.go_forward()
    expect(page.locator(field)).to_have_value("RoPE")
