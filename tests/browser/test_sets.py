"""Practice sets, reports and the statistics in a browser: by keyboard, on a phone, without JavaScript."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from quiz.accounts.models import User
from quiz.exercises import code
from quiz.exercises.drawing import vary
from quiz.practice.models import PracticeSet
from quiz.responses.models import Report, Response
from tests.browser.looks import every_look
from tests.browser.test_practice import PHONE, dressed, settle
from tests.responses.planting import imagine, people, plant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHORT = ("score_entry", "visible_pairs", "receptive_field")


def sign_in(page: Page, site: str, user: User) -> None:
    client = Client()
    client.force_login(user)
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])


def planted(user: User, *families: str) -> PracticeSet:
    items = [{"family": slug, "seeds": [seed]} for seed, slug in enumerate(families, start=1)]
    return PracticeSet.objects.create(user=user, kind="mixed", items=items)


def asked(position: int) -> tuple[str, str]:
    """The field of a place of SHORT and its right answer."""
    variant = vary(SHORT[position - 1], position)
    name = variant.required[0].name
    return name, str(variant.right[name])


@pytest.fixture
def phone(browser: Browser, site: str, watch: Any) -> Any:
    context = browser.new_context(**PHONE)  # type: ignore[arg-type]
    watched = type(watch)(context, site)
    yield context.new_page()
    context.close()
    watched.require_nothing()


def test_a_set_is_worked_through_by_keyboard_alone(
    site: str, bank: None, page: Page, candidate: User
) -> None:
    sign_in(page, site, candidate)
    made = planted(candidate, *SHORT)
    page.goto(f"{site}/practice/sets/{made.pk}/")
    page.keyboard.press("n")
    for position in (1, 2, 3):
        page.wait_for_url(f"**/practice/sets/{made.pk}/{position}/")
        expect(page.locator(".set-name .numbers")).to_have_text(f"{position}/3")
        name, right = asked(position)
        field = page.locator(f'[name="{name}"]')
        while not field.evaluate("(field) => field === document.activeElement"):
            page.keyboard.press("Tab")
        if position == 2:
            page.keyboard.type("1")
            page.keyboard.press("Enter")
            expect(page.locator("#verdict-heading")).to_be_focused()
            expect(page.locator('.set-places [aria-current="step"]')).to_contain_text("还没做对")
            page.keyboard.press("n")
            expect(field).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type(right)
        page.keyboard.press("Enter")
        expect(page.locator("[data-verdict=right]")).to_be_visible()
        settle(page)
        expect(page.locator("#verdict-heading")).to_be_focused()
        page.keyboard.press("n")
    page.wait_for_url(f"**/practice/sets/{made.pk}/")
    expect(page.locator(".set-counts li")).to_have_text(["2 一次做对", "1 改后做对"])


def test_leaving_loses_nothing(site: str, page: Page, candidate: User) -> None:
    sign_in(page, site, candidate)
    made = planted(candidate, *SHORT)
    name, right = asked(1)
    page.goto(f"{site}/practice/sets/{made.pk}/1/")
    page.locator(f'[name="{name}"]').fill("12")
    page.goto(f"{site}/exercises/")
    page.locator(".continue .button").click()
    expect(page.locator(f'[name="{name}"]')).to_have_value("12")
    page.locator(f'[name="{name}"]').fill(right)
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict=right]")).to_be_visible()
    page.reload()
    expect(page.locator("[data-verdict=right]")).to_be_visible()
    expect(page.locator('.set-places [aria-current="step"]')).to_contain_text("一次做对")
    page.goto(f"{site}/")
    expect(page.locator(".continue")).to_contain_text("已做 1/3")


def test_other_numbers_after_help_stay_in_the_set_and_back_is_harmless(
    site: str, page: Page, candidate: User
) -> None:
    sign_in(page, site, candidate)
    made = planted(candidate, *SHORT)
    page.goto(f"{site}/practice/sets/{made.pk}/1/")
    page.locator('.form-actions [name=help][value="solution"]').click()
    expect(page.locator(".solution")).to_be_visible()
    settle(page)
    before = page.locator("[data-draft]").get_attribute("data-draft")
    page.keyboard.press("n")
    expect(page.locator("[data-draft]")).not_to_have_attribute("data-draft", before or "")
    assert page.url == f"{site}/practice/sets/{made.pk}/1/"
    page.go_back()
    page.go_forward()
    made.refresh_from_db()
    assert [len(item["seeds"]) for item in made.items] == [2, 1, 1]


def test_time_is_counted_from_the_first_opening_over_a_reload(site: str, page: Page) -> None:
    page.goto(f"{site}/exercises/score_entry/1/")
    opened = page.locator("[name=opened]").input_value()
    page.evaluate(f"sessionStorage.setItem('kept::opened:/exercises/score_entry/1/', '{int(opened) - 60}')")
    page.reload()
    expect(page.locator("[name=opened]")).to_have_value(str(int(opened) - 60))
    page.locator("[name=score]").fill("1")
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict]")).to_be_visible()
    assert 60 <= (Response.objects.get().seconds or 0) < 120


def test_something_wrong_is_reported_by_keyboard(site: str, page: Page) -> None:
    page.goto(f"{site}/exercises/score_entry/1/")
    page.locator("[name=score]").fill("12345")
    page.keyboard.press("Enter")
    expect(page.locator("[data-verdict=wrong]")).to_be_visible()
    settle(page)
    summary = page.locator(".report > summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("I get another number.")
    expect(page.locator(".verdict-actions")).to_be_visible()
    page.reload()
    words = page.locator(".report textarea")
    expect(words).to_have_value("I get another number.")
    page.locator(".report-form .button").click()  # the kind was not kept: said, and the words stay
    expect(page.locator(".field-error")).to_be_focused()
    expect(words).to_have_value("I get another number.")
    page.locator(".report [value=answer]").check()
    page.locator(".report-form .button").click()
    expect(page.locator("[data-reported] .notice")).to_be_focused()
    report = Report.objects.get()
    assert (report.kind, report.words) == ("answer", "I get another number.")
    assert report.response == Response.objects.get()
    page.reload()
    expect(page.locator(".report textarea")).to_have_value("")


def test_everything_works_without_javascript(browser: Browser, site: str, bank: None) -> None:
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    page.goto(f"{site}/exercises/")
    page.locator("#filter-section").select_option("7.9")
    page.locator("#filter-hand").check()
    page.locator(".catalogue-filters button").click()
    assert page.url == f"{site}/exercises/?section=7.9&hand=one"
    page.locator(".starts button").first.click()
    made = PracticeSet.objects.get()
    assert page.url == f"{site}/practice/sets/{made.pk}/1/"
    page.locator('.form-actions [name=help][value="solution"]').click()
    expect(page.locator(".set-strip")).to_have_count(1)
    page.locator(".code-check summary").click()
    expect(page.locator("#numpy-code")).to_contain_text("import numpy as np")
    expect(page.locator("[data-copy-from]")).to_be_hidden()
    page.locator(".report > summary").click()
    page.locator(".report [value=other]").check()
    page.locator(".report-form .button").click()
    expect(page.locator(".field-error")).to_have_text("请写几个字，说明哪里有问题。")
    page.locator("textarea").fill("太难")
    page.locator(".report-form .button").click()
    assert page.url == f"{site}/practice/sets/{made.pk}/1/#verdict"
    expect(page.locator(".notice").first).to_contain_text("谢谢")
    assert Report.objects.get().words == "太难"
    page.locator(".act .button-primary").click()
    made.refresh_from_db()
    assert len(made.items[0]["seeds"]) == 2
    context.close()


def test_the_code_that_is_copied_gives_the_answer(site: str, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    variant = vary("attention_row", 3)
    page.goto(f"{site}/exercises/attention_row/3/")
    expect(page.locator(".code-check")).to_have_count(0)
    page.locator('.form-actions [name=help][value="solution"]').click()
    page.locator(".code-check summary").click()
    page.locator("[data-copy-from]").click()
    expect(page.locator(".is-copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == code.numpy_code(variant)
    names: dict[str, Any] = {}
    exec(copied, names)
    assert all(
        math.isclose(one, other, abs_tol=1e-12)
        for one, other in zip(names["output"], variant.right["output"], strict=True)
    )
    page.locator(".solution .copies summary").first.focus()
    page.keyboard.press("Enter")
    page.locator(".solution .copies-list button").first.click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("np.array(")


def test_the_act_is_under_the_thumb_in_a_set_on_a_phone(site: str, phone: Page, candidate: User) -> None:
    sign_in(phone, site, candidate)
    made = planted(candidate, *SHORT)
    phone.goto(f"{site}/practice/sets/{made.pk}/1/")

    def bar(selector: str) -> dict[str, float]:
        box = phone.locator(selector).bounding_box()
        assert box
        return dict(box)

    for selector in (".form-actions", ".verdict-actions"):
        assert round(bar(selector)["y"] + bar(selector)["height"]) == 664
        if selector == ".form-actions":
            name, right = asked(1)
            phone.locator(f'[name="{name}"]').fill(right)
            phone.locator("[data-key=next]").tap()
            expect(phone.locator("[data-verdict=right]")).to_be_visible()
            settle(phone)
    primary = phone.locator(".verdict-actions [data-primary]")
    expect(primary).to_have_text("下一项")
    primary.tap()
    phone.wait_for_url(f"**/practice/sets/{made.pk}/2/")
    places = phone.locator(".set-places a").evaluate_all(
        "(all) => all.map((one) => [one.offsetWidth, one.offsetHeight])"
    )
    assert places == [[36, 44]] * 3


@pytest.mark.parametrize("width", [390, 320])
def test_no_page_scrolls_sideways(
    site: str, bank: None, phone: Page, candidate: User, instructor: User, width: int
) -> None:
    plant(imagine(people(21), ["scaled_entry", "kv_cache"], each=8, rng=np.random.default_rng(1)))
    phone.set_viewport_size({"width": width, "height": 664})
    sign_in(phone, site, instructor)
    made = planted(instructor, *(["scaled_entry"] * 8))
    paths = [
        "/exercises/?section=7.9",
        f"/practice/sets/{made.pk}/",
        f"/practice/sets/{made.pk}/1/",
        "/desk/",
    ]
    paths += [f"/desk/families/{path}" for path in ("", "scaled_entry/", "scaled_entry/unknown/")]
    for path in paths:
        phone.goto(f"{site}{path}")
        assert phone.evaluate("document.documentElement.scrollWidth") == width, path


@every_look
def test_accessible(
    request: pytest.FixtureRequest,
    site: str,
    bank: None,
    instructor: User,
    accessible: Callable[[Page], None],
    *,
    theme: str,
    language: str,
    kind: str,
) -> None:
    page: Page = request.getfixturevalue("page" if kind == "wide" else "phone")
    plant(imagine(people(21), ["scaled_entry", "kv_cache"], each=8, rng=np.random.default_rng(1)))
    sign_in(page, site, instructor)
    made = planted(instructor, "scaled_entry", *SHORT)
    page.goto(f"{site}/practice/sets/{made.pk}/")
    accessible(dressed(page, theme=theme, language=language))
    page.goto(f"{site}/practice/sets/{made.pk}/1/")
    wrong = vary("scaled_entry", 1).mistakes["no_scale"]["scaled"]
    page.locator("[name=scaled]").fill(f"{wrong:.4f}")
    page.locator("#answer-form").evaluate("(form) => form.requestSubmit(form.querySelector('[data-submit]'))")
    expect(page.locator("[data-verdict=wrong]")).to_be_visible()
    settle(page)
    page.locator(".report > summary").click()
    page.locator(".report-form .button").click()
    expect(page.locator(".field-error")).to_be_visible()
    accessible(page)
    page.locator(".report [value=text]").check()
    page.locator(".report-form .button").click()
    expect(page.locator("[data-reported]")).to_be_visible()
    accessible(page)
    page.locator('.verdict-actions [name=help][value="solution"]').evaluate("(button) => button.click()")
    expect(page.locator(".code-check")).to_be_visible()
    page.locator(".code-check summary").click()
    settle(page)
    accessible(page)
    for path in (
        f"/practice/sets/{made.pk}/", "/exercises/?section=7.9", "/me/", "/desk/", "/desk/families/",
        "/desk/families/scaled_entry/", "/desk/families/scaled_entry/unknown/",
    ):  # fmt: skip
        page.goto(f"{site}{path}")
        accessible(page)
