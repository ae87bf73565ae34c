"""The sync: the same again and again, never over an edit, never deleting."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from quiz.bank.models import Question, QuestionText, Section, SectionText
from quiz.bank.parsing import parse_bank
from quiz.bank.specs import BankSpec, QuestionSpec, QuestionTextSpec, SectionSpec, SectionTextSpec
from quiz.bank.syncing import digest, sync
from tests.bank.whole import FILES, stand_beside_the_shipped, write

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def beside_the_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_beside_the_shipped(monkeypatch)


ROWS = ["section 7.1", "section 7.1 (zh-hans)", "section 7.1 (en)", "section 7.2", "section 7.2 (zh-hans)",
        "section 7.2 (en)", "question 1", "question 1 (zh-hans)", "question 1 (en)"]  # fmt: skip


def section(minor: int) -> SectionSpec:
    texts = {"zh-hans": SectionTextSpec(title="甲", body="文"), "en": SectionTextSpec(title="One", body="")}
    return SectionSpec(number=f"7.{minor}", position=minor, texts=texts)


QUESTION = QuestionSpec(
    number=1,
    sections=("7.1",),
    difficulty="basic",
    families=("kv_cache",),
    texts={
        "zh-hans": QuestionTextSpec(title="问", examines="考", short_answer="答"),
        "en": QuestionTextSpec(title="Ask", examines="Examine", short_answer="Answer"),
    },
)
BANK = BankSpec(sections=(section(1), section(2)), questions=(QUESTION,))


def with_answer(answer: str) -> BankSpec:
    """The bank with another English answer."""
    text = replace(QUESTION.texts["en"], short_answer=answer)
    return replace(BANK, questions=(replace(QUESTION, texts={**QUESTION.texts, "en": text}),))


def with_facts(**facts: object) -> BankSpec:
    return replace(BANK, questions=(replace(QUESTION, **facts),))  # type: ignore[arg-type]


def test_first_sync_creates_every_row() -> None:
    report = sync(BANK)
    assert report.created == ROWS
    question = Question.objects.get()
    assert (question.number, question.difficulty, question.families) == (1, "basic", ["kv_cache"])
    assert [s.number for s in question.sections.all()] == ["7.1"]
    assert question.texts.get(language="en").short_answer == "Answer"
    assert list(Section.objects.values_list("number", "position")) == [("7.1", 1), ("7.2", 2)]
    assert SectionText.objects.get(section__number="7.1", language="zh-hans").body == "文"


def test_second_sync_changes_nothing_and_writes_no_history() -> None:
    sync(BANK)
    before = [QuestionText.history.count(), Question.history.count(), Section.history.count()]
    report = sync(BANK)
    assert report.unchanged == ROWS
    assert report.created == report.updated == report.kept == report.unpublished == []
    assert [QuestionText.history.count(), Question.history.count(), Section.history.count()] == before


def test_new_text_in_the_files_updates_the_row_and_keeps_the_old_in_history() -> None:
    sync(BANK)
    report = sync(with_answer("Better"))
    assert report.updated == ["question 1 (en)"]
    text = QuestionText.objects.get(language="en")
    assert text.short_answer == "Better"
    assert [(h.short_answer, h.history_change_reason) for h in text.history.all()] == [
        ("Better", "sync_bank"), ("Answer", "sync_bank"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "facts",
    [{"difficulty": "advanced"}, {"families": ()}, {"sections": ("7.1", "7.2")}, {"sections": ("7.2",)}],
)
def test_new_facts_in_the_files_update_the_question(facts: dict[str, object]) -> None:
    sync(BANK)
    assert sync(with_facts(**facts)).updated == ["question 1"]
    question = Question.objects.get()
    for name, value in facts.items():
        given = [s.number for s in question.sections.all()] if name == "sections" else getattr(question, name)
        assert given == (list(value) if isinstance(value, tuple) else value)
    assert "question 1" in sync(with_facts(**facts)).unchanged


def test_edited_text_is_left_and_reported_while_the_rest_follows() -> None:
    sync(BANK)
    QuestionText.objects.filter(language="en").update(title="Mine")
    changed = with_answer("Better")
    zh = replace(QUESTION.texts["zh-hans"], title="新")
    texts = {**changed.questions[0].texts, "zh-hans": zh}
    changed = replace(changed, questions=(replace(changed.questions[0], texts=texts),))
    report = sync(changed)
    assert report.kept == ["question 1 (en)"]
    assert report.updated == ["question 1 (zh-hans)"]
    text = QuestionText.objects.get(language="en")
    assert (text.title, text.short_answer) == ("Mine", "Answer")
    assert sync(changed).kept == ["question 1 (en)"]


@pytest.mark.parametrize("edit", ["difficulty", "sections", "families", "is_published"])
def test_every_fact_an_instructor_edits_is_kept(edit: str) -> None:
    sync(BANK)
    question = Question.objects.get()
    if edit == "sections":
        question.sections.add(Section.objects.get(number="7.2"))
    else:
        setattr(question, edit, {"difficulty": "middle", "families": [], "is_published": False}[edit])
        question.save()
    assert sync(with_facts(difficulty="advanced")).kept == ["question 1"]
    question.refresh_from_db()
    assert question.difficulty == ("middle" if edit == "difficulty" else "basic")
    assert question.is_published is (edit != "is_published")


def test_edit_taken_back_follows_the_files_again() -> None:
    sync(BANK)
    QuestionText.objects.filter(language="en").update(title="Mine")
    sync(BANK)
    QuestionText.objects.filter(language="en").update(title="Ask")
    assert sync(with_answer("Better")).updated == ["question 1 (en)"]


def test_edit_that_arrives_in_the_files_too_is_no_edit_any_more() -> None:
    sync(BANK)
    QuestionText.objects.filter(language="en").update(short_answer="Better")
    assert "question 1 (en)" in sync(with_answer("Better")).unchanged
    assert sync(with_answer("Best")).updated == ["question 1 (en)"]


def test_instructors_own_rows_are_not_touched() -> None:
    sync(BANK)
    own = Question.objects.create(number=101, difficulty="basic")
    Section.objects.create(number="9.1", position=1)
    QuestionText.objects.create(question=own, language="en", title="Own")
    report = sync(BANK)
    assert report.unchanged == ROWS
    assert report.kept == report.unpublished == []
    assert Question.objects.get(number=101).is_published


def test_row_written_by_hand_before_the_first_sync_is_kept() -> None:
    Question.objects.create(number=1, difficulty="middle")
    report = sync(BANK)
    assert report.kept == ["question 1"]
    assert Question.objects.get().difficulty == "middle"


def test_question_gone_from_the_files_is_unpublished_not_deleted_and_comes_back() -> None:
    sync(BANK)
    gone = replace(BANK, questions=())
    assert sync(gone).unpublished == ["question 1"]
    assert Question.objects.get().is_published is False
    assert QuestionText.objects.count() == 2
    assert sync(gone).unpublished == []
    assert sync(BANK).updated == ["question 1"]
    assert Question.objects.get().is_published is True


def test_edited_question_gone_from_the_files_stays_published() -> None:
    sync(BANK)
    Question.objects.update(difficulty="middle")
    report = sync(replace(BANK, questions=()))
    assert (report.kept, report.unpublished) == (["question 1"], [])
    assert Question.objects.get().is_published is True


def test_failure_in_the_middle_leaves_nothing_behind() -> None:
    broken = with_facts(sections=("7.99",))
    with pytest.raises(KeyError):
        sync(broken)
    assert Section.objects.count() == Question.objects.count() == 0


def test_digest_ignores_empty_fields_and_order() -> None:
    assert digest({"a": 1, "b": ""}) == digest({"b": [], "a": 1}) == digest({"a": 1})
    assert digest({"a": 1}) != digest({"a": 2}) != digest({"b": 2})


def test_sync_asks_the_database_little_when_nothing_changed(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    sync(BANK)
    with django_assert_max_num_queries(8):
        sync(BANK)


@pytest.mark.usefixtures("beside_the_shipped")
def test_command_syncs_and_sums_up(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    out = StringIO()
    call_command("sync_bank", folder=tmp_path, stdout=out)
    assert Question.objects.get(number=1).texts.get(language="en").title == "Why divide?"
    Section.objects.filter(number="7.1").update(is_published=False)
    out = StringIO()
    call_command("sync_bank", folder=tmp_path, stdout=out)
    kept, summary = out.getvalue().splitlines()
    assert kept.endswith("section 7.1")
    assert [int(word) for word in re.findall(r"\d+", summary)] == [0, 0, 11, 1]


def test_command_tells_every_error_and_fails(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "questions/01.en.md": "---\ntitle: {{\n---\n"})
    errors = StringIO()
    with pytest.raises(CommandError):
        call_command("sync_bank", folder=tmp_path, stderr=errors)
    assert errors.getvalue().startswith(f"{tmp_path}/questions/01.en.md:")
    assert Question.objects.count() == 0


@pytest.mark.usefixtures("beside_the_shipped")
def test_check_reads_the_files_and_touches_no_database(tmp_path: Path, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path, FILES)
    with django_assert_num_queries(0):
        call_command("sync_bank", folder=tmp_path, check=True, stdout=StringIO())
    assert Question.objects.count() == 0


def test_shipped_bank_syncs_whole_and_twice_the_same() -> None:
    spec = parse_bank()
    first, second = sync(spec), sync(spec)
    assert len(first.created) == 3 * (len(spec.sections) + len(spec.questions))
    assert second.unchanged == first.created
