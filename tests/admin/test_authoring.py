"""Instructors write, publish and unpublish in the admin; what is broken is refused and kept in the form."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from quiz.accounts.models import User
from quiz.bank.models import FIRST_OWN_NUMBER, Question, QuestionText, Section

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def desk(instructor: User) -> Client:
    client = Client()
    client.force_login(instructor)
    return client


def form(**changes: Any) -> dict[str, Any]:
    section = Section.objects.get(number="7.9")
    return {
        "sections": [section.pk],
        "difficulty": "middle",
        "families": ["softmax_row"],
        "is_published": "on",
        "texts-TOTAL_FORMS": "1",
        "texts-INITIAL_FORMS": "0",
        "texts-MIN_NUM_FORMS": "1",
        "texts-MAX_NUM_FORMS": "2",
        "texts-0-language": "zh-hans",
        "texts-0-title": "为什么要 $\\sqrt{d_k}$？",
        "texts-0-examines": "方差",
        "texts-0-short_answer": "因为 $q\\cdot k$ 的方差是 $d_k$。",
    } | changes


def errors(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_new_question_is_numbered_from_101_and_is_seen_at_once(bank: None, desk: Client) -> None:
    desk.post("/admin/quiz/question/add/", form())
    made = Question.objects.get(number=FIRST_OWN_NUMBER)
    assert (made.is_core, made.families) == (False, ["softmax_row"])
    page = Client().get(f"/bank/{FIRST_OWN_NUMBER}/").content.decode()
    assert 'data-linear="√d_k"' in page.partition("<h1")[2].partition("</h1>")[0]
    desk.post("/admin/quiz/question/add/", form())
    assert Question.objects.core().count() == 39
    assert list(Question.objects.filter(number__gte=FIRST_OWN_NUMBER).values_list("number", flat=True)) == [
        101,
        102,
    ]


@pytest.mark.parametrize(
    "broken", ["一行\n\n坏公式 $\\frac{1$", "坏数字 {{ no_such_name }}"], ids=["formula", "live number"]
)
def test_broken_text_is_refused_and_kept(bank: None, desk: Client, broken: str) -> None:
    page = errors(desk.post("/admin/quiz/question/add/", form(**{"texts-0-short_answer": broken})))
    assert broken.split("\n")[-1].replace("{", "{") in page
    assert "errorlist" in page
    assert not Question.objects.filter(number__gte=FIRST_OWN_NUMBER).exists()


def test_unpublishing_takes_a_question_off_the_site_and_into_history(bank: None, desk: Client) -> None:
    question = Question.objects.get(number=12)
    desk.post("/admin/quiz/question/", {"action": "unpublish", "_selected_action": [question.pk]})
    assert Client().get("/bank/12/").status_code == 404
    desk.post("/admin/quiz/question/", {"action": "publish", "_selected_action": [question.pk]})
    assert Client().get("/bank/12/").status_code == 200
    latest = question.history.first()
    assert latest is not None
    assert (latest.history_user.username, latest.is_published) == ("chen", True)


def test_shipped_questions_cannot_be_deleted_even_by_an_administrator(bank: None) -> None:
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss", password="pass"))
    question = Question.objects.get(number=12)
    assert boss.post(f"/admin/quiz/question/{question.pk}/delete/", {"post": "yes"}).status_code == 403
    boss.post(
        "/admin/quiz/question/",
        {"action": "delete_selected", "_selected_action": [question.pk], "post": "yes"},
    )
    assert Question.objects.core().count() == 39


def test_an_edit_keeps_the_earlier_version(bank: None, desk: Client) -> None:
    text = QuestionText.objects.get(question__number=12, language="zh-hans")
    before = text.short_answer
    text.short_answer = "改过的答案。"
    text.save()
    page = desk.get(f"/admin/quiz/questiontext/{text.pk}/history/").content.decode()
    assert text.history.count() == 2
    assert text.history.last().short_answer == before
    assert "改过的答案。" in page


def test_the_preview_is_what_the_site_shows(bank: None, desk: Client) -> None:
    text = QuestionText.objects.get(question__number=12, language="zh-hans")
    text.short_answer = "**粗** $x^2$"
    text.save()
    shown = desk.post("/bank/preview/", {"text": text.short_answer}).content.decode()
    page = Client().get("/bank/12/").content.decode()
    rendered = shown[shown.index("<p>") : shown.index("</p>") + 4]
    assert "<strong>粗</strong>" in rendered
    assert rendered in page


def test_the_preview_names_what_is_wrong_by_line(desk: Client, settings: Any) -> None:
    settings.LANGUAGE_CODE = "en"
    shown = desk.post("/bank/preview/", {"text": "fine\n\nbad $\\frac{1$"}, headers={"accept-language": "en"})
    assert "Line 3" in shown.content.decode()


def test_the_admin_speaks_chinese(desk: Client) -> None:
    page = desk.get("/admin/").content.decode()
    assert 'lang="zh-hans"' in page
    assert "题目" in page


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_of_questions_takes_a_fixed_number_of_queries(
    desk: Client, bank: None, rows: int, django_assert_max_num_queries: Any
) -> None:
    keep = Question.objects.order_by("number").values_list("pk", flat=True)[:rows]
    Question.objects.exclude(pk__in=list(keep)).delete()
    with django_assert_max_num_queries(16):
        assert desk.get("/admin/quiz/question/").status_code == 200
