"""On paper nothing is cut off: no listing, table, matrix or formula is wider than the page or scrolls."""

from __future__ import annotations

import re

import pytest
from django.db.models import Q
from playwright.sync_api import Page

from quiz.bank.answers import PARTS
from quiz.bank.models import Question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

A4 = {"width": 673, "height": 975}  # CSS pixels within the margins of base.css
BOXES = "main :is(pre, table, .scroll, .formula, .matrix-frame)"
CUT = """(boxes) => [...document.querySelectorAll(boxes)]
    .filter((box) => box.getClientRects().length)
    .filter((box) => {
        const hides = getComputedStyle(box).overflowX !== "visible";
        const inside = [box, ...box.querySelectorAll("*")].map((one) => one.getBoundingClientRect().right);
        return (hides && box.scrollWidth > box.clientWidth) || Math.max(...inside) > innerWidth + 1;
    })
    .map((box) => box.textContent.trim().slice(0, 60))"""


def cut(page: Page, address: str) -> list[str]:
    """What paper would cut off of a page, with every fold open."""
    page.goto(address)
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    return list(page.evaluate(CUT, BOXES))


def with_code() -> list[int]:
    """The questions with a listing in an answer, in either language."""
    listed = Q()
    for shape in PARTS:
        listed |= Q(**{f"texts__{shape.field}__contains": "```python"})
    return list(
        Question.objects.filter(listed).order_by("number").distinct().values_list("number", flat=True)
    )


def test_no_question_with_code_is_cut(site: str, bank: None, page: Page) -> None:
    page.set_viewport_size(A4)  # type: ignore[arg-type]
    page.emulate_media(media="print")
    numbers = with_code()
    assert len(numbers) > 5
    found = {number: cut(page, f"{site}/bank/{number}/") for number in numbers}
    assert {number: boxes for number, boxes in found.items() if boxes} == {}


def test_no_exercise_and_no_solution_with_its_code_is_cut(site: str, bank: None, page: Page) -> None:
    page.goto(f"{site}/exercises/causal_row/1/")
    page.get_by_role("button", name=re.compile("看解答")).click()
    page.wait_for_selector(".solution")
    page.set_viewport_size(A4)  # type: ignore[arg-type]
    page.emulate_media(media="print")
    assert cut(page, page.url) == []
