"""The lab in a real browser, on a real server and a real worker: a run is chosen, started, watched, read.

The same pages on a phone, in both themes and both languages, and without JavaScript.
"""

from __future__ import annotations

import json
import os
import socket
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.databases import RealDatabase, wait_until

pytestmark = [pytest.mark.browser]

TINY = "?backends=flash&backends=naive&lengths=16&lengths=64&heads=1&width=32&dtype=float32"

A_WORKER = "import django; django.setup(); from tests.lab.planted import a_worker; a_worker()"


@pytest.fixture
def site(sqlite_file: RealDatabase, require: Callable[[str], None]) -> str:
    """A server process on a database that the worker shares."""
    require("torch")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sqlite_file.start(
        "manage.py", "runserver", "--noreload", "--nothreading", str(port), log="web", QUIZ_DEBUG="1"
    )
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{address}/lab/", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    wait_until(answers, seconds=60, what=sqlite_file.log("web"))
    return address


@pytest.fixture
def stored(sqlite_file: RealDatabase) -> str:
    """A finished run with planted points; its path."""
    out = sqlite_file.run("-m", "tests.lab.plant").stdout.splitlines()[-1]
    return f"/lab/{json.loads(out)}/"


def no_sideways_scroll(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def require_accessible(page: Page, watch: Any) -> None:
    """axe finds nothing. It adds a style of its own, which the policy blocks: no error of the page."""
    watch.is_paused = True
    found = Axe().run(page)
    watch.is_paused = False
    assert found.violations_count == 0, found.generate_report()


def test_a_run_is_chosen_started_watched_and_read(
    site: str, page: Page, sqlite_file: RealDatabase, watch: Any
) -> None:
    page.goto(f"{site}/lab/{TINY}")
    expect(page.locator("#start")).to_be_disabled()
    sqlite_file.start("manage.py", "worker", "lab", log="worker")
    wait_until(lambda: sqlite_file.rows("SELECT 1 FROM quiz_worker WHERE device != ''"), seconds=60)
    page.reload()
    cost = page.locator("#cost")
    expect(cost.locator("tbody tr th").first).to_have_text("flash 64")
    page.get_by_label("64", exact=True).first.uncheck()
    expect(cost.locator("tbody tr th").first).to_have_text("flash 16")  # live, without a reload
    assert "lengths=64" not in page.url
    page.get_by_label("64", exact=True).first.check()
    expect(cost.locator("tbody tr th").first).to_have_text("flash 64")

    page.click("#start")
    page.wait_for_url("**/lab/*/")
    bar = page.locator("progress")
    expect(bar).to_have_attribute("max", "4")
    expect(bar).to_have_attribute("value", "1", timeout=60_000)  # it moves by itself
    expect(page.locator(".insight")).to_be_visible(timeout=120_000)
    expect(page.locator(".points tbody tr")).to_have_count(4)
    expect(page.locator("svg.chart-wide")).to_have_count(2)
    polls: list[str] = []
    page.on("request", lambda request: polls.append(request.url))
    page.wait_for_timeout(2500)
    assert polls == [], "286 has stopped the polling"
    with page.expect_download() as download:
        page.click("a[href$='results.csv']")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 5
    column = lines[0].split(",").index("median_ms")
    medians = sqlite_file.rows(
        "SELECT json_extract(measurement, '$.median_ms') FROM quiz_point ORDER BY position"
    )
    assert [line.split(",")[column] for line in lines[1:]] == [repr(median) for (median,) in medians]


def test_the_pages_are_accessible_and_fit_a_phone(site: str, page: Page, stored: str, watch: Any) -> None:
    shots = os.environ.get("QUIZ_SHOTS")
    for theme in ("light", "dark"):
        for language in ("zh-hans", "en"):
            page.context.add_cookies(
                [
                    {"name": "theme", "value": theme, "url": site},
                    {"name": "language", "value": language, "url": site},
                ]
            )
            for path in ("/lab/", stored, f"/lab/compare/?a=stored-cpu&b={stored.split('/')[2]}"):
                for width in (1280, 390, 320):
                    page.set_viewport_size({"width": width, "height": 800})
                    page.goto(site + path)
                    assert no_sideways_scroll(page), (path, width, language)
                    if shots:
                        name = f"{path.strip('/').replace('/', '-')}-{width}-{theme}-{language}.png"
                        page.screenshot(path=f"{shots}/{name}", full_page=True)
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                require_accessible(page, watch)


def test_the_link_of_a_run_is_copied(site: str, page: Page, stored: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    for path in (stored, f"/lab/compare/?demo=attention_length&a=stored-cpu&b={stored.split('/')[2]}"):
        page.goto(site + path)
        link = page.locator("[data-copy-link]")
        expect(link).to_have_count(1)
        link.click()
        expect(page.locator(".is-copied")).to_have_text(str(link.get_attribute("data-copied")))
        assert page.evaluate("navigator.clipboard.readText()") == site + path
        assert page.url == site + path  # copied, not followed


def test_a_watched_table_keeps_its_scroll_and_focus_and_the_end_is_announced(
    site: str, page: Page, stored: str, sqlite_file: RealDatabase
) -> None:
    number = stored.split("/")[2]
    sqlite_file.rows(f"DELETE FROM quiz_point WHERE run_id = {number} AND position > 3")
    sqlite_file.rows("UPDATE quiz_job SET state = 'running', doing = 'flash 512', finished_at = NULL")
    page.context.add_cookies([{"name": "language", "value": "en", "url": site}])
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(site + stored)
    rows, box = page.locator(".points tbody tr"), page.locator("#table-box")
    expect(rows).to_have_count(4)
    box.focus()
    box.evaluate("box => { box.scrollLeft = 120; box.dataset.kept = 'yes'; }")
    sqlite_file.rows(
        "INSERT INTO quiz_point (run_id, position, attempt, configuration, outcome, measurement, created_at) "
        "SELECT run_id, 4, attempt, configuration, outcome, measurement, created_at FROM quiz_point "
        f"WHERE run_id = {number} AND position = 3"
    )
    expect(rows).to_have_count(5)
    expect(page.locator("progress")).to_have_attribute("value", "5")
    page.wait_for_timeout(1500)  # another poll, without a new point
    assert box.evaluate("box => [box.scrollLeft, box.dataset.kept]") == [120, "yes"]
    expect(box).to_be_focused()
    expect(page.locator("#outcome")).to_be_empty()
    page.evaluate("document.getElementById('outcome').dataset.kept = 'yes'")
    sqlite_file.rows("UPDATE quiz_job SET state = 'done', finished_at = started_at")
    expect(page.locator("#outcome[role=status][data-kept]")).to_contain_text("Done: 5 of 15 points")
    expect(page.locator(".insight")).to_be_visible()
    expect(page.locator("#progress")).to_have_count(0)
    expect(page.locator("#state")).to_have_count(1)


def test_enter_in_a_field_starts_nothing(
    site: str, page: Page, stored: str, sqlite_file: RealDatabase
) -> None:
    sqlite_file.run("-c", A_WORKER)
    page.goto(f"{site}/lab/{TINY}")
    expect(page.locator("#start")).to_be_enabled()
    for control in (page.get_by_label("64", exact=True).first, page.locator("#id_causal")):
        page.evaluate("document.getElementById('cost').dataset.old = 'yes'")
        control.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#cost:not([data-old])")).to_be_visible()
        expect(control).to_be_focused()
    assert page.url.startswith(f"{site}/lab/?")
    assert sqlite_file.rows("SELECT count(*) FROM quiz_run") == [(1,)]  # the planted one


def test_a_refused_start_keeps_the_choice_in_another_language(
    site: str, page: Page, sqlite_file: RealDatabase
) -> None:
    sqlite_file.run("-c", A_WORKER)
    page.context.add_cookies([{"name": "language", "value": "en", "url": site}])
    page.goto(f"{site}/lab/{TINY}")
    sqlite_file.rows("DELETE FROM quiz_worker")  # it goes away before the start
    page.click("#start")
    expect(page.locator("#cost .notice-error")).to_contain_text("No worker is there to measure.")
    page.click("[aria-label='切换到中文']")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert page.url.startswith(f"{site}/lab/?")
    for size in ("16", "64"):
        expect(page.get_by_label(size, exact=True).first).to_be_checked()


def test_one_drawing_is_shown_at_a_time(site: str, page: Page, stored: str) -> None:
    page.goto(site + stored)
    for width, shown in ((1280, "wide"), (390, "narrow")):
        page.set_viewport_size({"width": width, "height": 800})
        visible = page.locator(".chart svg:visible")
        expect(visible).to_have_count(2)
        assert {node.get_attribute("class") for node in visible.all()} == {f"chart-{shown}"}


def test_a_run_is_watched_and_cancelled_without_javascript(
    site: str, browser: Any, sqlite_file: RealDatabase
) -> None:
    sqlite_file.start("manage.py", "worker", "lab", log="worker")
    wait_until(lambda: sqlite_file.rows("SELECT 1 FROM quiz_worker WHERE device != ''"), seconds=60)
    context = browser.new_context(java_script_enabled=False, locale="en-US")
    page = context.new_page()
    page.goto(f"{site}/lab/")
    page.get_by_label("1024", exact=True).check()
    page.locator("noscript button").click()  # look at the cost first: a GET that can be shared
    assert "lengths=1024" in page.url
    assert "csrf" not in page.url
    page.click("#start")
    page.get_by_role("link", name="Refresh").click()
    page.click("#cancel")
    wait_until(lambda: sqlite_file.rows("SELECT 1 FROM quiz_job WHERE state = 'cancelled'"), seconds=20)
    page.reload()
    assert "Cancelled after" in page.inner_text("#outcome")
    context.close()
