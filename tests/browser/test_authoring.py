"""An instructor edits a question with the preview beside it, and the site shows it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import Page, expect

from quiz.accounts.models import User
from quiz.accounts.roles import INSTRUCTOR
from quiz.bank.models import Question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_edits_with_preview_and_the_site_shows_it(site: str, bank: None, page: Page) -> None:
    user = User.objects.create_user("zhang", password="correct horse")
    user.groups.set([Group.objects.get_or_create(name=INSTRUCTOR)[0]])
    user.user_permissions.set(_bank_permissions())
    question = Question.objects.get(number=12)

    page.goto(f"{site}/accounts/login/?next=/admin/quiz/question/{question.pk}/change/")
    page.fill("[name=login]", "zhang")
    page.fill("[name=password]", "correct horse")
    page.click("main form button.button-primary")

    area = page.locator("textarea[name$=short_answer]").first
    pane = area.locator("xpath=..").locator(".preview-pane")
    area.fill("新答案：除以 $\\sqrt{d_k}$，方差回到 **一**。")
    expect(pane.locator("msqrt")).to_have_count(1)
    expect(pane.locator("strong")).to_have_text("一")
    area.fill("坏公式 $\\frac{1$")
    expect(pane.locator(".notice-error")).to_have_count(1)
    area.fill("新答案：除以 $\\sqrt{d_k}$，方差回到 **一**。")
    page.click("[name=_continue]")

    page.goto(f"{site}/bank/12/")
    answer = page.locator("details#short_answer")
    answer.locator("summary").click()
    expect(answer.locator("strong")).to_have_text("一")
    expect(answer.locator("msqrt")).to_have_count(1)


def _bank_permissions() -> list[object]:
    """live_server empties the tables, and with them the groups' permissions: give them by hand."""
    from django.contrib.auth.models import Permission

    from quiz.accounts.permissions import GRANTS

    return list(Permission.objects.filter(codename__in=GRANTS[INSTRUCTOR]))
