"""The README's picture: a wrong answer explained, taken from the page itself.

`QUIZ_WRITE_PICTURES=1 pytest tests/browser/test_pictures.py` writes static/pictures/; the suite checks that
the page still shows what the picture shows.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from quiz.exercises.drawing import vary
from quiz.exercises.formatting import show

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FOLDER = Path(__file__).resolve().parent.parent.parent / "static" / "pictures"
FAMILY, SEED, MISTAKE = "attention_row", 1842, "no_scale"
SIZE = {"width": 1200, "height": 630}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_picture_of_a_wrong_answer_explained(site: str, bank: None, browser: Browser, theme: str) -> None:
    variant = vary(FAMILY, SEED)
    mistake = variant.misconception(MISTAKE)
    page = browser.new_page(viewport=SIZE, locale="zh-CN", color_scheme=theme)  # type: ignore[arg-type]
    page.goto(f"{site}/exercises/{FAMILY}/{SEED}/")
    page.locator("details.conventions summary").click()
    for column, value in enumerate(variant.mistakes[MISTAKE]["output"]):
        page.locator(f'[name="output.0.{column}"]').fill(show(value))
    page.locator("button:visible", has_text="交卷看对错").first.click()
    expect(page.locator("#verdict h2").first).to_contain_text(mistake.title.zh)
    expect(page.locator("#verdict")).to_contain_text(mistake.caption.zh)
    picture = page.screenshot(animations="disabled", caret="hide")
    page.close()
    assert picture.startswith(b"\x89PNG")
    if os.environ.get("QUIZ_WRITE_PICTURES") == "1":
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"wrong-{theme}.png").write_bytes(picture)
    assert (FOLDER / f"wrong-{theme}.png").exists()
