"""Authoring of whole answers: each part is checked by how it is built, and previewed as it will be seen."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from quiz.accounts.models import User
from quiz.bank.models import FIRST_OWN_NUMBER, Question, Section

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def desk(instructor: User, bank: None) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(instructor)
    return client


def form(**changes: Any) -> dict[str, Any]:
    return {
        "sections": [Section.objects.get(number="7.9").pk],
        "difficulty": "middle",
        "abilities": ["principle"],
        "is_published": "on",
        "asked": "7",
        "next": "12, 13",
        "texts-TOTAL_FORMS": "1",
        "texts-INITIAL_FORMS": "0",
        "texts-MIN_NUM_FORMS": "1",
        "texts-MAX_NUM_FORMS": "2",
        "texts-0-language": "en",
        "texts-0-title": "Why?",
        "texts-0-short_answer": "Because.",
        "texts-0-passing_points": "- one\n- two\n- three",
        "texts-0-follow_ups": "## First?\n\nYes.\n\n## Second?\n\nNo.",
    } | changes


def test_a_whole_answer_is_kept_and_shown(desk: Client) -> None:
    desk.post("/admin/quiz/question/add/", form())
    made = Question.objects.get(number=FIRST_OWN_NUMBER)
    assert (made.abilities, made.asked, made.next) == (["principle"], 7, [12, 13])
    text = made.texts.get()
    assert (text.passing_points, text.full_answer) == ("- one\n- two\n- three", "")
    page = Client(headers={"accept-language": "en"}).get(f"/bank/{made.number}/").content.decode()
    assert "<p>two</p>" in page
    assert "Second?" in page
    assert "/bank/13/" in page


def test_numbers_of_the_chain_are_shown_as_they_were_typed(desk: Client) -> None:
    desk.post("/admin/quiz/question/add/", form())
    made = Question.objects.get(number=FIRST_OWN_NUMBER)
    page = desk.get(f"/admin/quiz/question/{made.pk}/change/").content.decode()
    assert 'value="12, 13"' in page


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("texts-0-passing_points", "- one", "Line 1: # passing points has 1 items; 3 to 6 are needed"),
        ("texts-0-passing_points", "one", "Line 1: only `- items` stand under # passing points"),
        ("texts-0-follow_ups", "## Only?\n\nOne.", "# follow-ups has 1 ## headings; 2 to 4 are needed"),
        ("texts-0-short_answer", "a\n\n## b", "Line 3: no heading stands in a text to be said aloud"),
        ("texts-0-sources", "- $\\nonsense$", "Line 1: formula: 0: Unknown command"),
        ("texts-0-full_answer", "```matrix\nvalue: [1]\n```", "Line 1: matrix: name is missing"),
        ("next", "12, x", "“x” is no number of a question."),
        ("next", "12, 99", "There is no question 99."),
        ("asked", "31", "From 1 to 30, or empty."),
    ],
)
def test_what_is_wrong_is_refused_and_told(desk: Client, field: str, value: str, message: str) -> None:
    from html import unescape

    answer = desk.post("/admin/quiz/question/add/", form(**{field: value}))
    assert message in unescape(answer.content.decode())
    assert not Question.objects.filter(number=FIRST_OWN_NUMBER).exists()


def test_at_most_three_abilities_are_taken(desk: Client) -> None:
    chosen = ["principle", "tensors", "training", "systems"]
    answer = desk.post("/admin/quiz/question/add/", form(abilities=chosen))
    assert "At most 3 abilities." in answer.content.decode()


@pytest.mark.parametrize(
    ("posted", "shown"),
    [
        ({"form": "passing_points", "text": "- a\n- b\n- c"}, '<ul class="points"><li><p>a</p></li>'),
        ({"form": "follow_ups", "text": "## A?\n\nb\n\n## C?\n\nd"}, "<h3>A?</h3><p>b</p>"),
        ({"form": "passing_points", "text": "- a"}, "# passing points has 1 items"),
        ({"form": "inline", "text": "# $x$"}, "<p># <math"),
        ({"form": "block", "text": "```correction\na\n```", "language": "en"}, "Often said, set right"),
        ({"form": "block", "text": "```correction\na\n```", "language": "zh-hans"}, "常见说法订正"),
        ({"form": "full_answer", "text": "### a"}, "<h3>a</h3>"),
        ({"form": "full_answer", "text": " "}, "What you write appears here"),
    ],
)
def test_the_preview_shows_each_part_as_it_will_be(desk: Client, posted: dict[str, str], shown: str) -> None:
    assert shown in desk.post("/bank/preview/", posted).content.decode()


def test_the_history_of_a_text_names_each_field(desk: Client) -> None:
    desk.post("/admin/quiz/question/add/", form())
    text = Question.objects.get(number=FIRST_OWN_NUMBER).texts.get()
    text.sources = "- a book"
    text.save()
    page = desk.get(f"/admin/quiz/questiontext/{text.pk}/history/").content.decode()
    assert "a book" in page
