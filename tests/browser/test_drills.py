"""A candidate answers choices in a browser: by keyboard, on a phone, without JavaScript, and read out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from quiz.exercises.drawing import vary
from quiz.exercises.variants import Variant
from quiz.responses.models import Probe, Response
from tests.browser.looks import every_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SPOT = vary("spot_the_line", 5)
BROKEN = vary("broken_implementation", 3)
STATEMENTS = vary("true_or_false", 3)
WIRED = vary("pre_post", 3)
DRILLS = (SPOT, BROKEN, STATEMENTS, vary("symptom_chain", 4), vary("dispatcher_decision", 4), WIRED)
PHONE = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True, "locale": "zh-CN"}


def url(site: str, variant: Variant) -> str:
    return f"{site}/exercises/{variant.family.slug}/{variant.seed}/"


def option(page: Page, part: str, slug: str) -> Locator:
    return page.locator(f'input[name="{part}"][value="{slug}"]')


def number(variant: Variant, part: str, slug: str) -> int:
    """The key that chooses an option."""
    return [one.slug for one in variant.part(part).options].index(slug) + 1


def label(page: Page, part: str, slug: str) -> Locator:
    return page.locator("label.option", has=option(page, part, slug))


def settle(page: Page) -> None:
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def test_a_drill_is_answered_by_keys_alone(site: str, bank: None, page: Page) -> None:
    """Digits choose, Enter goes on and hands in, N goes back to what is wrong."""
    wrong, right = SPOT.mistakes["suspected_scaled_scores"]["line"], SPOT.right
    page.goto(url(site, SPOT))
    page.keyboard.press(str(number(SPOT, "line", wrong)))
    expect(option(page, "line", wrong)).to_be_checked()
    expect(option(page, "line", wrong)).to_be_focused()
    page.keyboard.press("Enter")
    expect(option(page, "fault", SPOT.part("fault").options[0].slug)).to_be_focused()
    page.keyboard.press(str(number(SPOT, "fault", right["fault"])))
    page.keyboard.press("Enter")
    expect(page.locator("#verdict-heading")).to_have_text("2 问里对了 1 问")
    expect(page.locator("#verdict-heading")).to_be_focused()
    expect(label(page, "line", wrong)).to_have_class("option is-wrong")
    expect(label(page, "fault", right["fault"])).to_have_class("option is-right")
    expect(page.locator(".chosen")).to_have_count(1)

    page.keyboard.press("n")
    expect(option(page, "line", wrong)).to_be_focused()
    page.keyboard.press(str(number(SPOT, "line", right["line"])))
    expect(label(page, "line", wrong)).to_have_class("option")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#verdict-heading")).to_have_text("对，改后做对")
    assert [r.verdict for r in Response.objects.order_by("id")] == ["partial", "right"]


def test_arrows_choose_within_a_question_and_tab_leads_to_the_next(site: str, page: Page) -> None:
    page.goto(url(site, STATEMENTS))
    options = [one.slug for one in STATEMENTS.part("s1").options]
    option(page, "s1", options[0]).focus()
    page.keyboard.press("ArrowDown")
    expect(option(page, "s1", options[1])).to_be_checked()
    page.keyboard.press("Tab")
    expect(option(page, "s2", STATEMENTS.part("s2").options[0].slug)).to_be_focused()
    page.keyboard.press("2")
    expect(option(page, "s2", STATEMENTS.part("s2").options[1].slug)).to_be_checked()
    expect(option(page, "s1", options[1])).to_be_checked()
    page.reload()
    expect(option(page, "s1", options[1])).to_be_checked()
    assert Response.objects.count() == 0


def test_digits_typed_into_a_cell_choose_nothing(site: str, page: Page) -> None:
    page.goto(url(site, WIRED))
    page.locator('[name="output.0.0"]').focus()
    page.keyboard.type("2")
    expect(page.locator('[name="output.0.0"]')).to_have_value("2")
    expect(page.locator("input[name=diagram]:checked")).to_have_count(0)
    for _cell in range(3):
        page.keyboard.press("Enter")
    expect(page.locator("input[name=diagram]").first).to_be_focused()


def test_an_open_choice_is_asked_for_and_nothing_is_counted(site: str, page: Page) -> None:
    page.goto(url(site, SPOT))
    option(page, "line", SPOT.right["line"]).check(force=True)
    page.locator("[data-submit]").click()
    expect(page.locator("#verdict-heading")).to_have_text("「错成了什么」还没有选")
    expect(page.locator(".option.is-right, .option.is-wrong")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator("input[name=fault]").first).to_be_focused()
    assert [r.counts for r in Response.objects.all()] == [False]


def test_more_probes_are_shown_in_place_and_take_the_focus(site: str, page: Page) -> None:
    page.goto(url(site, BROKEN))
    page.keyboard.press("3")
    chosen = BROKEN.part("fault").options[2].slug
    for count in (5, 6):
        page.locator("#probes button").click()
        expect(page.locator(".facts")).to_have_count(count)
        expect(page.locator(".facts figcaption").nth(count - 1)).to_be_focused()
        expect(option(page, "fault", chosen)).to_be_checked()
    expect(page.locator("#probes button")).to_have_count(0)
    assert Probe.objects.count() == 2
    assert page.url == url(site, BROKEN)


@pytest.fixture
def phone(browser: Browser, site: str, watch: Any) -> Any:
    context = browser.new_context(**PHONE)  # type: ignore[arg-type]
    watched = type(watch)(context, site)
    yield context.new_page()
    context.close()
    watched.require_nothing()


def test_lines_are_chosen_with_a_thumb(site: str, bank: None, phone: Page) -> None:
    phone.goto(url(site, SPOT))
    heights = phone.locator("label.option").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
    assert min(heights) >= 44
    label(phone, "line", SPOT.right["line"]).tap()
    expect(option(phone, "line", SPOT.right["line"])).to_be_checked()
    label(phone, "fault", SPOT.right["fault"]).tap()
    phone.locator("[data-submit]").tap()
    expect(phone.locator("#verdict-heading")).to_have_text("对，一次做对")
    expect(phone.locator("[data-keypad]")).to_be_hidden()


def test_the_keypad_leads_on_to_the_choice(site: str, phone: Page) -> None:
    cross = vary("cross_shape", 3)
    phone.goto(url(site, cross))
    phone.locator("[name=shape]").tap()
    expect(phone.locator("[data-key=next]")).to_have_text("下一格")
    phone.locator("[data-key=next]").tap()
    expect(phone.locator("input[name=sources]").first).to_be_focused()
    expect(phone.locator("[data-keypad]")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("variant", DRILLS, ids=lambda v: v.family.slug)
def test_no_drill_scrolls_sideways(site: str, phone: Page, variant: Variant, width: int) -> None:
    phone.set_viewport_size({"width": width, "height": 616})
    for language in ("zh-hans", "en"):
        phone.context.add_cookies([{"name": "language", "value": language, "url": site}])
        phone.goto(url(site, variant))
        assert phone.evaluate("document.documentElement.scrollWidth") == width, language
    phone.locator('.form-actions [name=help][value="solution"]').tap()
    expect(phone.locator(".solution")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") == width


@every_look
def test_accessible(
    request: pytest.FixtureRequest,
    site: str,
    bank: None,
    accessible: Callable[[Page], None],
    *,
    theme: str,
    language: str,
    kind: str,
) -> None:
    page: Page = request.getfixturevalue("page" if kind == "wide" else "phone")
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.context.add_cookies([{"name": "language", "value": language, "url": site}])
    for variant in DRILLS:
        page.goto(url(site, variant))
        accessible(page)
        if kind == "phone" and variant is not SPOT:
            continue
        slugs = [slug for slug, values in variant.mistakes.items() if variant.parts[-1].name in values]
        values = {**variant.right, **variant.mistakes[slugs[0]]}
        for part in variant.required:
            if part.kind == "choice":
                option(page, part.name, values[part.name]).check(force=True)
        for column, cell in enumerate(page.locator("[data-cell]:visible").all()):
            cell.fill(str(column))
        hand_in = "(form) => form.requestSubmit(form.querySelector('[data-submit]'))"
        page.locator("#answer-form").evaluate(hand_in)
        expect(page.locator(".chosen").first).to_be_visible()
        settle(page)
        accessible(page)


def test_everything_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    page.goto(url(site, BROKEN))
    page.locator("#probes button").click()
    expect(page.locator(".facts")).to_have_count(5)
    wrong = next(one.slug for one in BROKEN.part("fault").options if one.slug != BROKEN.right["fault"])
    label(page, "fault", wrong).click()
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "wrong")
    expect(page.locator(".chosen")).to_have_count(1)
    label(page, "fault", BROKEN.right["fault"]).click()
    page.locator("[data-submit]").click()
    expect(page.locator("#verdict-heading")).to_have_text("对，改后做对")
    page.goto(url(site, SPOT))
    label(page, "line", SPOT.right["line"]).click()
    label(page, "fault", SPOT.right["fault"]).click()
    page.locator("[data-submit]").click()
    expect(page.locator("#verdict-heading")).to_have_text("对，一次做对")
    context.close()
