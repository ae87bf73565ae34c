"""What works only with JavaScript is shown only with it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = (
    "/",
    "/bank/",
    "/bank/12/",
    "/chapter/7.9/",
    "/bank/print/",
    "/search/?q=softmax",
    "/exercises/full_output/12/",
)


def test_no_button_does_nothing(site: str, bank: None, browser: Browser) -> None:
    """`type="button"` sends nothing: without a script such a button is dead."""
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    dead = {}
    for path in PAGES:
        page.goto(site + path)
        dead[path] = page.locator("button[type=button]").filter(visible=True).all_inner_texts()
    context.close()
    assert dead == {path: [] for path in PAGES}


def test_unfold_all_is_there_with_a_script_and_after_a_swap(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/")
    expect(page.locator("[data-unfold]")).to_be_visible()
    page.select_option("[name=section]", "7.9")
    expect(page.locator(".entry")).to_have_count(1)
    page.locator("[data-unfold]").click()
    expect(page.locator("details.answer[open]")).to_have_count(1)
