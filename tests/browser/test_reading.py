"""A candidate reads: home, bank, question, chapter; in both themes and languages, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ("/", "/bank/", "/bank/12/", "/chapter/", "/chapter/7.16/", "/accounts/login/")
WIDTHS = (1280, 390, 320)


def overflow(page: Page) -> int:
    """By how many pixels the page could be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize(("language", "theme"), [("zh-hans", "light"), ("en", "dark")])
def test_pages_are_accessible(
    site: str, bank: None, page: Page, theme: str, language: str, accessible: Callable[[Page], None]
) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.context.add_cookies([{"name": "language", "value": language, "url": site}])
    for path in PAGES:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(site + path)
        accessible(page)
        page.set_viewport_size({"width": 390, "height": 664})
        accessible(page)


def test_no_page_scrolls_sideways(site: str, bank: None, page: Page) -> None:
    wide = {}
    for path in PAGES:
        page.goto(site + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            if overflow(page) > 0:
                wide[path, width] = overflow(page)
    assert wide == {}


def test_reads_unfolds_and_goes_on_to_an_exercise(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/")
    page.get_by_role("link", name="题库").first.click()
    expect(page.locator(".entry")).to_have_count(39)
    page.select_option("[name=section]", "7.9")
    expect(page.locator(".entry")).to_have_count(1)
    assert page.url.endswith("section=7.9&difficulty=&words=")
    page.reload()
    expect(page.locator(".entry")).to_have_count(1)
    page.locator(".entry a").first.click()
    answer = page.locator("#short_answer .reading")
    expect(answer).to_be_hidden()
    page.locator("#short_answer summary").press("Enter")
    expect(answer).to_be_visible()
    assert answer.locator("math").count() > 0
    page.get_by_role("link", name="算出一个缩放后的分数").click()
    page.wait_for_url("**/exercises/scaled_entry/*/")


def test_unfold_all_opens_and_closes_every_answer(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/")
    button = page.locator("[data-unfold]")
    button.click()
    expect(page.locator("details.answer[open]")).to_have_count(39)
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(page.locator("details.answer[open]")).to_have_count(0)


def test_printing_opens_every_fold_and_closes_it_again(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/12/")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("details.answer[open]")).to_have_count(8)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator("details.answer[open]")).to_have_count(0)


def test_language_and_theme_are_switched_where_one_is(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/12/")
    page.get_by_role("button", name="Switch to English").click()
    assert page.url == f"{site}/bank/12/"
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.locator("[data-theme-button]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_typing_in_the_search_keeps_the_focus_and_the_list_follows(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/")
    page.locator("#words").press_sequentially("RoPE")
    expect(page.locator(".entry")).to_have_count(1)
    expect(page.locator("#words")).to_be_focused()
    page.locator("#words").fill("没有这样的题")
    expect(page.locator(".entry")).to_have_count(0)
    page.get_by_role("link", name="看全部题目").click()
    expect(page.locator(".entry")).to_have_count(39)
