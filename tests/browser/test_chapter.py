"""The chapter in a browser: contents that follow, progress, the drill by keyboard, paper, the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from quiz.bank.exporting import exported
from quiz.bank.models import Question, Section
from quiz.bank.reading.models import Reading, Tick

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SECTION = "/chapter/7.9/"
SOME = (SECTION, "/chapter/start/", "/chapter/start/oom/?way=ac", "/about/", "/bank/export/", "/bank/16/")
WIDTHS = (1280, 390, 320)


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_nothing_scrolls_sideways(site: str, bank: None, page: Page) -> None:
    wide = {}
    for path in SOME:
        page.goto(site + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            if overflow(page) > 0:
                wide[path, width] = overflow(page)
    assert wide == {}


def test_the_contents_follow_and_what_one_stayed_at_is_kept(site: str, bank: None, page: Page) -> None:
    page.goto(site + SECTION)
    contents = page.locator("[data-contents]")
    expect(contents).to_be_visible()
    with page.expect_response("**/reached/") as told:
        page.locator("#shapes").evaluate("heading => heading.scrollIntoView()")
        expect(contents.locator("[aria-current]")).to_have_text("矩阵形状")
    assert told.value.status == 204
    row = Reading.objects.get()
    assert (row.section.number, row.place) == ("7.9", 4)
    page.goto(f"{site}/chapter/")
    page.get_by_role("link", name="继续读").click()
    page.wait_for_url(f"{site}{SECTION}#shapes")
    expect(contents.locator("[aria-current]")).to_have_text("矩阵形状")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    expect(contents.locator("[aria-current]")).to_have_text("练习")


def test_on_a_phone_the_contents_are_folded(site: str, bank: None, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 664})
    page.goto(site + SECTION)
    expect(page.locator("[data-contents]")).to_be_hidden()
    folded = page.locator(".contents-folded")
    folded.locator("summary").press("Enter")
    folded.get_by_role("link", name="代码").click()
    assert page.url.endswith("#code")
    expect(page.locator("#code")).to_be_in_viewport()


def test_read_is_said_at_once_and_by_keyboard(site: str, bank: None, page: Page) -> None:
    page.goto(site + SECTION)
    page.get_by_role("button", name="读完了").press("Enter")
    expect(page.locator("#read [role=status]")).to_contain_text("读完")
    expect(page.locator("#read-button")).to_be_focused()
    assert Reading.objects.get().read_at is not None


def test_a_heading_is_shared_by_its_sign(site: str, bank: None, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    page.goto(site + SECTION)
    page.get_by_role("link", name="链接到「公式」").press("Enter")
    expect(page.locator(".is-copied")).to_have_text("链接已复制")
    assert page.evaluate("navigator.clipboard.readText()") == f"{site}{SECTION}#formula"
    assert page.url == f"{site}{SECTION}#formula"


def test_a_task_is_ticked_in_place(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/chapter/start/")
    box = page.locator("#task-faults")
    box.press("Space")
    expect(box).to_have_attribute("aria-checked", "true")
    expect(box).to_be_focused()
    assert Tick.objects.get().task == "faults"


def test_the_drill_is_walked_with_the_keys(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/chapter/start/oom/")
    page.keyboard.press("1")
    expect(page.locator(".consequence.is-poor")).to_have_count(1)
    for _ in range(30):
        if page.locator("[data-choices]").count() == 0:
            break
        before = page.url
        page.keyboard.press("1")
        page.wait_for_url(lambda url, before=before: url != before)
    expect(page.locator(".consequence.is-good")).to_have_count(6)
    expect(page.get_by_role("heading", name="复盘")).to_be_in_viewport()
    page.reload()
    expect(page.locator(".consequence.is-good")).to_have_count(6)


def test_without_a_script_everything_can_be_done(site: str, bank: None, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    page.goto(f"{site}/chapter/start/oom/")
    page.locator("[data-choices] a").nth(2).click()
    assert page.url.endswith("?way=c#now")
    page.goto(f"{site}/chapter/start/")
    page.locator("#task-oral").click()
    expect(page.locator("#task-oral")).to_have_attribute("aria-checked", "true")
    page.goto(site + SECTION)
    page.locator("#read-button").click()
    expect(page.locator("#read [role=status]")).to_contain_text("读完")
    expect(page.locator("[data-print]")).to_be_hidden()
    context.close()


def test_paper_shows_the_text_and_no_controls(site: str, bank: None, page: Page) -> None:
    page.goto(site + SECTION)
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in (
        ".bar nav",
        "[data-contents]",
        ".contents-folded",
        "#read",
        ".neighbours",
        ".anchor",
        "footer",
    ):
        expect(page.locator(hidden).first).to_be_hidden()
    expect(page.locator("#formula")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.part h2')).breakAfter") == "avoid"


def test_the_file_is_read_from_disk_without_a_network(bank: None, tmp_path: Path, browser: Browser) -> None:
    Section.objects.exclude(number__in=["start", "7.9"]).delete()
    Question.objects.exclude(number=12).delete()
    path = tmp_path / "qkv.html"
    path.write_text(exported("both"), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 664}, color_scheme="dark")
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(path.as_uri())
    page.get_by_role("link", name="English").click()
    expect(page.locator("#en-front")).to_be_in_viewport()
    answer = page.locator("#en-q12-short_answer")
    expect(answer.locator(".reading")).to_be_hidden()
    answer.locator("summary").click()
    expect(answer.locator(".reading")).to_be_visible()
    assert answer.locator("mfrac, msqrt").first.bounding_box() is not None
    page.locator("#en-front a", has_text="7.9").click()
    expect(page.locator(r"#en-7\.9")).to_be_in_viewport()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 20, 18)"
    assert overflow(page) == 0
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert errors == []
    context.close()
