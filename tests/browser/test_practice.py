"""A candidate answers exercises in a browser: wide, on a phone with the keypad, without JavaScript."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from quiz.exercises.drawing import vary
from quiz.exercises.reading import read_as
from quiz.exercises.variants import Variant
from quiz.responses.models import Response
from tests.browser.looks import every_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROW = vary("attention_row", 1842)
FULL = vary("full_output", 12)
PHONE = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True, "locale": "zh-CN"}


def url(site: str, variant: Variant) -> str:
    return f"{site}/exercises/{variant.family.slug}/{variant.seed}/"


def cell(page: Page, part: str, row: int, column: int) -> Any:
    return page.locator(f'[name="{part}.{row}.{column}"]')


def fill_row(page: Page, values: list[float]) -> None:
    for column, value in enumerate(values):
        cell(page, "output", 0, column).fill(f"{value:.3f}")


def dressed(page: Page, *, theme: str, language: str) -> Page:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.context.add_cookies([{"name": "language", "value": language, "url": page.url}])
    page.reload()
    return page


def settle(page: Page) -> None:
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def test_wrong_is_told_the_mistake_then_right(site: str, bank: None, page: Page) -> None:
    page.goto(url(site, ROW))
    fill_row(page, ROW.mistakes["no_scale"]["output"])
    expect(page.locator('[id="read-output.0.1"]')).to_have_attribute("data-state", "value")
    page.locator("[data-submit]").click()
    heading = page.locator("#verdict-heading")
    expect(heading).to_be_focused()
    expect(heading).to_have_text("不对：像是忘了除以 √d_k")
    expect(page.locator(".evidence .wavy")).to_have_count(2)
    expect(page.locator(".cell-input.is-wrong")).to_have_count(2)
    assert page.url == url(site, ROW)

    page.keyboard.press("n")
    expect(cell(page, "output", 0, 0)).to_be_focused()
    fill_row(page, ROW.right["output"])
    page.keyboard.press("Enter")
    expect(heading).to_have_text("对，改后做对")
    expect(heading).to_be_focused()
    assert [r.state for r in Response.objects.order_by("id")] == ["", "changed"]

    page.keyboard.press("n")
    page.wait_for_url(lambda there: "/exercises/attention_row/" in there and there != url(site, ROW))


def test_arrows_enter_paste_and_reload(site: str, page: Page) -> None:
    page.goto(url(site, FULL))
    cell(page, "output", 0, 0).focus()
    for key, row, column in (("ArrowDown", 1, 0), ("ArrowRight", 1, 1), ("ArrowUp", 0, 1), ("Enter", 1, 0)):
        page.keyboard.press(key)
        expect(cell(page, "output", row, column)).to_be_focused()
    cell(page, "output", 0, 0).focus()
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text/plain", "1\\t-0.5\\n3\\t4\\n5\\t6");
            const paste = new ClipboardEvent("paste", {clipboardData: data, bubbles: true});
            document.activeElement.dispatchEvent(paste);
        }"""
    )
    expect(cell(page, "output", 0, 1)).to_have_value("-0.5")
    expect(cell(page, "output", 2, 1)).to_have_value("6")
    expect(page.locator('[id="read-output.0.1"]')).to_contain_text("−0.5")
    page.reload()
    expect(cell(page, "output", 2, 1)).to_have_value("6")
    assert Response.objects.count() == 0


def test_hints_and_solution_keep_the_text_and_take_the_focus(site: str, page: Page) -> None:
    page.goto(url(site, ROW))
    cell(page, "output", 0, 0).fill("1/√2")
    page.locator('.form-actions [name=help][value="1"]').click()
    expect(page.locator(".hints li")).to_be_focused()
    expect(cell(page, "output", 0, 0)).to_have_value("1/√2")
    page.locator('.form-actions [name=help][value="solution"]').click()
    expect(page.locator("#solution-title")).to_be_focused()
    expect(page.locator(".solution-steps > li")).to_have_count(len(ROW.solution))
    expect(cell(page, "output", 0, 0)).to_have_value("1/√2")


def test_two_readings_are_chosen_with_one_click(site: str, page: Page) -> None:
    variant = vary("scaled_entry", 7)
    page.goto(url(site, variant))
    right = f"{variant.right['scaled']:.3f}"
    page.locator("[name=scaled]").fill(right.replace(".", ","))
    page.locator("[data-submit]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "ambiguous")
    expect(page.locator("#verdict-heading")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator("#verdict-heading")).to_have_text("对，一次做对")
    expect(page.locator("[name=scaled]")).to_have_value(right)
    assert [r.counts for r in Response.objects.order_by("id")] == [False, True]


def test_composing_with_an_input_method_is_not_disturbed(site: str, page: Page) -> None:
    page.goto(url(site, ROW))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "reading" in request.url else None)
    field = cell(page, "output", 0, 0)
    field.focus()
    field.evaluate(
        """(field) => {
            field.dispatchEvent(new CompositionEvent("compositionstart"));
            field.value = "er";
            field.dispatchEvent(new InputEvent("input", {bubbles: true, isComposing: true}));
            const enter = {key: "Enter", bubbles: true, isComposing: true};
            field.dispatchEvent(new KeyboardEvent("keydown", enter));
        }"""
    )
    page.wait_for_timeout(400)
    assert asked == []
    expect(field).to_be_focused()
    with page.expect_response(lambda response: "reading" in response.url):
        field.evaluate(
            """(field) => {
                field.value = "2";
                field.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true}));
            }"""
        )
    expect(page.locator('[id="read-output.0.0"]')).to_have_text("读作 2")


def test_conventions_stand_open_twice_then_fold(site: str, page: Page) -> None:
    seen = []
    for seed in (1, 2, 2, 3):
        page.goto(f"{site}/exercises/scaled_entry/{seed}/")
        seen.append(page.locator("details.conventions").evaluate("(fold) => fold.open"))
    assert seen == [True, True, True, False]


def test_sheet_of_shortcuts_opens_and_closes(site: str, page: Page) -> None:
    page.goto(url(site, ROW))
    page.keyboard.press("?")
    expect(page.locator("dialog.shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.shortcuts")).to_be_hidden()
    cell(page, "output", 0, 0).press("?")
    expect(page.locator("dialog.shortcuts")).to_be_hidden()


def test_link_and_matrix_are_copied(site: str, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(url(site, ROW))
    page.locator("[data-copy-link]").click()
    expect(page.locator(".is-copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == url(site, ROW)
    page.locator(".matrix").first.hover()
    page.locator(".copies summary").first.click()
    page.locator(".copies-list button").first.click()
    expect(page.locator(".copies summary").first).to_be_focused()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert json.loads(copied.removeprefix("np.array(").removesuffix(")")) == ROW.drawn["x"]


def test_copying_the_older_way_leaves_the_focus_where_it_was(site: str, page: Page) -> None:
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page.goto(url(site, ROW))
    page.locator("[data-copy-link]").press("Enter")
    expect(page.locator(".is-copied")).to_be_visible()
    expect(page.locator("[data-copy-link]")).to_be_focused()


def test_what_does_not_get_through_is_said_until_something_does(site: str, page: Page, watch: Any) -> None:
    """On every page; an exercise says it in a place of its own."""
    watch.is_paused = True  # the browser notes a cut line as an error
    for path, where, act in (
        ("/exercises/", "body > [data-failure]", "#filter-hand"),
        (f"/exercises/{ROW.family.slug}/{ROW.seed}/", "[data-exercise] [data-failure]", "[data-submit]"),
    ):
        page.goto(f"{site}{path}")
        failure = page.locator(where)
        for cut in (lambda route: route.abort(), lambda route: route.fulfill(status=502)):
            page.route("**/exercises/**", cut)
            page.locator(act).click()
            expect(failure).to_be_visible()
            expect(failure).to_have_attribute("role", "alert")
            expect(failure.locator("[data-refused]")).to_be_hidden()
            expect(page.locator("[data-failure]:visible")).to_have_count(1)
            page.unroute("**/exercises/**")
            page.locator(act).click()
            expect(failure).to_be_hidden()


@pytest.fixture
def phone(browser: Browser, site: str, watch: Any) -> Any:
    """A page on a touch screen of 390 px."""
    context = browser.new_context(**PHONE)  # type: ignore[arg-type]
    watched = type(watch)(context, site)
    yield context.new_page()
    context.close()
    watched.require_nothing()


def test_negative_number_in_at_most_six_taps(site: str, phone: Page) -> None:
    """Into the field, four keys, and handed in."""
    variant = next(
        v for seed in range(200) if (v := vary("scaled_entry", seed)).right["scaled"] in (-0.5, -1.5, -2.5)
    )
    phone.goto(url(site, variant))
    taps = ["[name=scaled]", '[data-insert="−"]']
    taps += [f'[data-insert="{key}"]' for key in f"{-variant.right['scaled']}"]
    taps += ["[data-key=next]"]
    for selector in taps:
        phone.locator(selector).tap()
    assert len(taps) <= 6
    expect(phone.locator("#verdict-heading")).to_have_text("对，一次做对")
    expect(phone.locator("[data-keypad]")).to_be_hidden()


def test_keypad_types_reads_moves_and_hands_in(site: str, phone: Page) -> None:
    phone.goto(url(site, ROW))
    pad = phone.locator("[data-keypad]")
    expect(pad).to_be_hidden()
    cell(phone, "output", 0, 0).tap()
    expect(pad).to_be_visible()
    box = pad.bounding_box()
    assert box
    assert (round(box["height"]), round(box["y"] + box["height"])) == (255, 664)
    sizes = pad.locator(".keypad-keys button").evaluate_all("(keys) => keys.map((k) => k.offsetHeight)")
    assert sizes == [46] * 20
    for key in ("−", "1", "/", "√", "2", "3"):
        pad.locator(f'[data-insert="{key}"]').tap()
    pad.locator("[data-key=delete]").tap()
    expect(cell(phone, "output", 0, 0)).to_have_value("−1/√2")
    assert cell(phone, "output", 0, 0).evaluate("(field) => field.inputMode") == "none"
    expect(pad.locator("[data-keypad-said]")).to_have_text("第 1 格 读作 −0.7071")
    expect(phone.locator("header.bar")).to_be_hidden()
    pad.locator("[data-key=next]").tap()
    expect(cell(phone, "output", 0, 1)).to_be_focused()
    expect(pad.locator("[data-key=next]")).to_have_text("交卷")
    pad.locator('[data-insert="7"]').tap()
    pad.locator("[data-key=next]").tap()
    expect(phone.locator("[data-verdict]")).to_have_attribute("data-verdict", "wrong")
    expect(pad).to_be_hidden()


def test_whole_answer_grid_fits_above_the_keypad(site: str, phone: Page) -> None:
    phone.goto(url(site, FULL))
    cell(phone, "output", 2, 1).tap()
    top = phone.locator("[data-keypad]").bounding_box()
    strip = phone.locator("[data-givens]").bounding_box()
    assert top
    assert strip
    for row in range(3):
        box = cell(phone, "output", row, 0).bounding_box()
        assert box
        assert strip["y"] + strip["height"] <= box["y"]
        assert box["y"] + box["height"] <= top["y"]
        assert box["height"] >= 44


def test_masked_scores_have_a_key_for_minus_infinity(site: str, phone: Page) -> None:
    phone.goto(f"{site}/exercises/causal_row/5/")
    phone.locator(".step summary").first.tap()
    cell(phone, "masked", 0, 4).tap()
    phone.locator("[data-key=special]").tap()
    expect(cell(phone, "masked", 0, 4)).to_have_value("−∞")
    expect(phone.locator('[id="read-masked.0.4"]')).to_have_attribute("data-state", "value")


def test_system_keyboard_is_kept_once_chosen(site: str, phone: Page) -> None:
    phone.goto(url(site, ROW))
    cell(phone, "output", 0, 0).tap()
    phone.locator("[data-key=system]").tap()
    expect(phone.locator("[data-keypad]")).to_be_hidden()
    phone.reload()
    cell(phone, "output", 0, 0).tap()
    expect(phone.locator("[data-keypad]")).to_be_hidden()
    assert cell(phone, "output", 0, 0).evaluate("(field) => field.inputMode") == "text"


@pytest.mark.parametrize("width", [390, 360, 320])
def test_no_page_scrolls_sideways(site: str, bank: None, phone: Page, width: int) -> None:
    phone.set_viewport_size({"width": width, "height": 616})
    for path in (
        "/exercises/",
        "/me/",
        *(f"/exercises/{s}/3/" for s in ("full_output", "causal_row", "kv_cache")),
    ):
        phone.goto(f"{site}{path}")
        assert phone.evaluate("document.documentElement.scrollWidth") == width, path
        if phone.locator("[data-cell]").count():
            phone.locator("[data-cell]").first.tap()
            assert phone.evaluate("document.documentElement.scrollWidth") == width, path
            phone.locator('.form-actions [name=help][value="solution"]').evaluate(
                "(button) => button.click()"
            )
            expect(phone.locator(".solution")).to_be_visible()
            assert phone.evaluate("document.documentElement.scrollWidth") == width, path


@pytest.mark.parametrize("slug", ["score_matrix", "softmax_dim", "full_output"])
def test_a_wrong_matrix_of_long_numbers_does_not_scroll_the_page_sideways(
    site: str, phone: Page, slug: str
) -> None:
    phone.set_viewport_size({"width": 320, "height": 616})
    phone.goto(f"{site}/exercises/{slug}/3/")
    phone.locator("[data-cell]:visible").evaluate_all(
        "(all) => all.forEach((one) => { one.value = '-12345.678'; })"
    )
    phone.locator("[data-submit]").click()
    expect(phone.locator(".evidence-matrix")).to_have_count(1)
    assert phone.evaluate("document.documentElement.scrollWidth") == 320


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
    page.goto(f"{site}/exercises/")
    accessible(dressed(page, theme=theme, language=language))
    page.goto(url(site, ROW))
    accessible(page)
    for step in page.locator(".step summary").all():
        step.click()
    for mistake in ("no_scale", "scale_by_d_k"):
        page.evaluate("document.querySelector('#answer-form').dataset.state = 'editing'")
        fill_row(page, ROW.mistakes[mistake]["output"])
        hand_in = "(form) => form.requestSubmit(form.querySelector('[data-submit]'))"
        page.locator("#answer-form").evaluate(hand_in)
        theirs = read_as(round(ROW.mistakes[mistake]["output"][0], 3))
        expect(page.locator(".evidence td").first).to_have_text(theirs)
        settle(page)
        accessible(page)
    page.locator('.verdict-actions [name=help][value="solution"]').click()
    expect(page.locator(".solution")).to_be_visible()
    settle(page)
    accessible(page)
    page.goto(f"{site}/me/")
    expect(page.locator(".attempts > li")).to_have_count(2)
    accessible(page)


def test_everything_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    page.goto(url(site, ROW))
    expect(page.locator(".copies").first).to_be_hidden()
    fill_row(page, ROW.mistakes["no_scale"]["output"])
    page.locator('.form-actions [name=help][value="1"]').click()
    expect(page.locator(".hints li")).to_have_count(1)
    page.locator("[data-submit]").click()
    expect(page.locator("#verdict-heading")).to_have_text("不对：像是忘了除以 √d_k")
    assert page.url == f"{url(site, ROW)}#verdict"
    fill_row(page, ROW.right["output"])
    page.locator("[data-submit]").click()
    expect(page.locator("#verdict-heading")).to_have_text("对，提示后做对")
    context.close()
