"""Answering in browsers of a few years ago: what they lack is taken away before the page runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from quiz.exercises.drawing import vary
from quiz.responses.models import Response

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROW = vary("attention_row", 1842)
SPOT = vary("spot_the_line", 5)
PHONE = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True, "locale": "zh-CN"}
# Newer than Safari 15.4, Chrome 92 and Firefox 103, before which the stylesheets do not hold either.
NEWER = """
  delete Element.prototype.checkVisibility;
  delete HTMLFormElement.prototype.requestSubmit;
  const list = Array.prototype;
  for (const name of ["findLast", "findLastIndex", "toSorted", "toReversed", "with"]) delete list[name];
  for (const name of ["groupBy", "fromAsync"]) for (const kind of [Map, Object, Array]) delete kind[name];
  for (const name of ["withResolvers", "try"]) delete Promise[name];
  for (const name of ["canParse", "parse"]) delete URL[name];
  for (const name of ["union", "difference", "intersection"]) delete Set.prototype[name];
  for (const name of ["any", "timeout"]) delete AbortSignal[name];
  for (const name of ["structuredClone", "Iterator"]) delete window[name];
"""
NO_STYLES = "window.getComputedStyle = () => { throw new Error('not here'); };"


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`opened(script, **how)`: a page on which the script runs before any of ours."""
    contexts: list[BrowserContext] = []

    def open_page(script: str, **how: Any) -> Page:
        contexts.append(browser.new_context(**{"locale": "zh-CN", **how}))
        contexts[-1].add_init_script(script)
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


def test_the_keypad_types_and_hands_in(site: str, opened: Callable[..., Page], watch: Any) -> None:
    page = opened(NEWER, **PHONE)
    watched = type(watch)(page.context, site)
    page.goto(f"{site}/exercises/attention_row/1842/")
    page.locator('[name="output.0.0"]').tap()
    expect(page.locator("[data-keypad]")).to_be_visible()
    for key in ("1", "2"):
        page.locator(f'[data-insert="{key}"]').tap()
    page.locator("[data-key=next]").tap()
    expect(page.locator('[name="output.0.1"]')).to_be_focused()
    page.locator('[data-insert="7"]').tap()
    page.locator("[data-key=next]").tap()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "wrong")
    assert Response.objects.get().raw["output"] == ["12", "7"]
    watched.require_nothing()


def test_keys_choose_and_go_on(site: str, opened: Callable[..., Page], watch: Any) -> None:
    page = opened(NEWER)
    watched = type(watch)(page.context, site)
    page.goto(f"{site}/exercises/spot_the_line/5/")
    lines = [one.slug for one in SPOT.part("line").options]
    wrong = "2" if lines[0] == SPOT.right["line"] else "1"
    page.keyboard.press(wrong)
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict-heading")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator(f'input[name=line][data-option="{wrong}"]')).to_be_focused()
    watched.require_nothing()


def test_a_keypad_that_cannot_open_leaves_the_system_keyboard(site: str, opened: Callable[..., Page]) -> None:
    page = opened(NO_STYLES, **PHONE)
    page.goto(f"{site}/exercises/attention_row/1842/")
    cell = page.locator('[name="output.0.0"]')
    cell.tap()
    expect(page.locator("[data-keypad]")).to_be_hidden()
    expect(cell).to_be_focused()
    assert cell.evaluate("(field) => field.inputMode") == "text"
