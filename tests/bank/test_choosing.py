"""The reader's language, and what is shown where a text is missing in it."""

from __future__ import annotations

import pytest

from quiz.bank.choosing import language_of, question_in_language, section_in_language
from quiz.bank.models import Question, QuestionText, Section, SectionText

pytestmark = pytest.mark.django_db


def question(**answers: str) -> Question:
    row = Question.objects.create(number=1, difficulty="basic")
    for language, answer in answers.items():
        code = {"zh": "zh-hans", "en": "en"}[language]
        QuestionText.objects.create(
            question=row, language=code, title=f"T {code}", examines=f"E {code}", short_answer=answer
        )
    return Question.objects.with_texts().get()


@pytest.mark.parametrize(
    ("code", "language"),
    [("en", "en"), ("en-gb", "en"), ("zh-hans", "zh-hans"), ("fr", "zh-hans")],
)
def test_language_of_the_site_leads_to_a_language_of_the_bank(code: str, language: str) -> None:
    assert language_of(code) == language


def test_question_in_the_language_asked_for() -> None:
    reading = question_in_language(question(zh="答", en="Answer"), "en")
    assert (reading.title, reading.examines, reading.short_answer) == ("T en", "E en", "Answer")
    assert (reading.language, reading.answer_language, reading.fell_back) == ("en", "en", False)


def test_missing_answer_alone_falls_back_to_chinese() -> None:
    reading = question_in_language(question(zh="答", en=" "), "en")
    assert (reading.title, reading.short_answer) == ("T en", "答")
    assert (reading.language, reading.answer_language, reading.fell_back) == ("en", "zh-hans", True)


def test_missing_language_falls_back_whole() -> None:
    reading = question_in_language(question(zh="答"), "en")
    assert (reading.title, reading.language, reading.answer_language) == ("T zh-hans", "zh-hans", "zh-hans")
    assert reading.fell_back


def test_question_only_in_english_is_shown_to_chinese_readers_too() -> None:
    reading = question_in_language(question(en="Answer"), "zh-hans")
    assert (reading.title, reading.language, reading.fell_back) == ("T en", "en", True)


def test_question_without_texts_shows_its_number() -> None:
    reading = question_in_language(question(), "en")
    assert (reading.title, reading.short_answer, reading.fell_back) == ("1", "", True)


def test_section_reads_in_its_language_or_falls_back() -> None:
    row = Section.objects.create(number="7.1", position=1)
    assert section_in_language(row, "en").title == "7.1"
    SectionText.objects.create(section=row, language="zh-hans", title="甲", body="文")
    row = Section.objects.with_texts().get()
    assert section_in_language(row, "en").fell_back
    assert section_in_language(row, "zh-hans").body == "文"
    assert not section_in_language(row, "zh-hans").fell_back


def test_reading_asks_nothing_of_the_database(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    row = question(zh="答", en="Answer")
    with django_assert_num_queries(0):
        question_in_language(row, "en")
