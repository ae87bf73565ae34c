"""axe finds nothing on the pages for reading, unfolded, wide and on a phone, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.test_chapter import SOME

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ALL = (*(f"/chapter/7.{n}/" for n in range(1, 25)), *(f"/bank/{n}/" for n in range(1, 40)))


def sweep(page: Page, site: str, paths: tuple[str, ...], accessible: Callable[[Page], None]) -> None:
    for path in paths:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(site + path)
        page.evaluate("document.querySelectorAll('details.answer').forEach((fold) => { fold.open = true; })")
        accessible(page)
        page.set_viewport_size({"width": 390, "height": 664})
        accessible(page)


@pytest.mark.parametrize(("theme", "language"), [("light", "zh-hans"), ("dark", "en")])
def test_the_pages_for_reading_are_accessible(
    site: str, bank: None, page: Page, theme: Any, language: str, accessible: Callable[[Page], None]
) -> None:
    page.emulate_media(color_scheme=theme)
    page.context.add_cookies([{"name": "language", "value": language, "url": site}])
    sweep(page, site, SOME, accessible)


@pytest.mark.prove
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_section_and_question_is_accessible(
    site: str, bank: None, page: Page, theme: Any, accessible: Callable[[Page], None]
) -> None:
    page.emulate_media(color_scheme=theme)
    sweep(page, site, ALL, accessible)
