"""Formulas in browsers that draw MathML and in those that do not: never silently wrong."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route

from quiz.bank.linear import linear

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OFF = "\nmath, math * { display: inline; }\n"  # what a browser without MathML makes of it
ROOT = linear(r"\sqrt{d_k}")
SHOWN = """() => {
    const math = document.querySelector("h1 math");
    const inside = [...math.children].map((child) => getComputedStyle(child).display);
    return [getComputedStyle(math, "::before").content, inside, math.getBoundingClientRect().height];
}"""


def switch_mathml_off(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text() + OFF)


def test_a_browser_with_mathml_draws_it_and_shows_no_line(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/bank/12/")
    page.wait_for_function("document.readyState === 'complete'")
    content, inside, height = page.evaluate(SHOWN)
    assert content == "none"
    assert "none" not in inside
    assert height > 20
    assert page.locator("html.no-mathml").count() == 0


@pytest.mark.parametrize("path", ["/bank/12/", "/chapter/7.12/", "/bank/"])
def test_a_browser_without_mathml_shows_readable_lines(site: str, bank: None, page: Page, path: str) -> None:
    page.route(re.compile(r"/css/base.*\.css"), switch_mathml_off)
    page.goto(site + path)
    page.wait_for_selector("html.no-mathml")
    formulas = page.evaluate(
        """() => [...document.querySelectorAll("math")].map((math) => ({
            line: math.dataset.linear,
            shown: getComputedStyle(math, "::before").content,
            hidden: [...math.children].every((child) => getComputedStyle(child).display === "none"),
        }))"""
    )
    assert formulas
    for formula in formulas:
        assert formula["shown"].strip('"').replace("\\", "") == formula["line"].replace("\\", "")
        assert formula["hidden"]


def test_the_title_of_question_12_is_readable_without_mathml(site: str, bank: None, page: Page) -> None:
    page.route(re.compile(r"/css/base.*\.css"), switch_mathml_off)
    page.goto(f"{site}/bank/12/")
    page.wait_for_selector("html.no-mathml")
    content, _, height = page.evaluate(SHOWN)
    assert content == f'"{ROOT}"' == '"√d_k"'
    assert height > 10


def test_what_follows_a_root_stands_close_to_it(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/chapter/7.9/")
    page.wait_for_function("document.documentElement.style.getPropertyValue('--root-gap')")
    widths = page.evaluate(
        """() => [...document.querySelectorAll("math:has(> .low-root:only-child)")].map((math) => {
            const width = (element) => element.getBoundingClientRect().width;
            const own = width(math) - width(math.querySelector(".low-root > *"));
            return own / parseFloat(getComputedStyle(math).fontSize);
        })"""
    )
    assert widths
    assert max(widths) < 1.0, "the sign alone is 0.8 em wide"


def test_without_a_script_the_stylesheet_alone_knows() -> None:
    from tests.bank.test_formulas import STATIC

    css = (STATIC / "css" / "math.css").read_text()
    rule = re.search(r"@supports not \(math-style: compact\) \{(.*?)\n\}", css, re.DOTALL)
    assert rule is not None
    assert re.findall(r"(math[^{]*) \{ ([^}]*) \}", rule[1]) == [
        ("math > *", "display: none;"), ("math::before", "content: attr(data-linear);"),
    ]  # fmt: skip
