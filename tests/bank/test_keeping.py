"""Rendered texts are kept by content, language and code, and no page outlives a change of the bank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client, override_settings

from quiz.bank import keeping, section_page
from quiz.bank.freshness import bank_mark
from quiz.bank.keeping import kept, rendered
from quiz.bank.markup import render
from quiz.bank.models import Question, QuestionText, Section, SectionText

FILES = "django.core.cache.backends.filebased.FileBasedCache"


@pytest.fixture
def _files(tmp_path: Path, settings: Any) -> Any:
    settings.CACHES = {
        **settings.CACHES,
        "rendered": {"BACKEND": FILES, "LOCATION": tmp_path / "rendered", "OPTIONS": {"MAX_ENTRIES": 30}},
    }
    for remembered in (rendered, section_page._page):
        remembered.cache_clear()
    yield
    for remembered in (rendered, section_page._page):
        remembered.cache_clear()


@pytest.mark.usefixtures("_files")
def test_what_is_kept_is_made_once_and_by_another_process_not_again() -> None:
    made = []

    def make() -> str:
        made.append(1)
        return "x"

    assert [kept("a", "b", make=make), kept("a", "b", make=make)] == ["x", "x"]
    assert kept("ab", "", make=make) == "x", "the parts of a key are apart"
    assert len(made) == 2


@pytest.mark.usefixtures("_files")
def test_another_version_of_the_code_makes_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept("a", make=lambda: "old") == "old"
    monkeypatch.setattr(keeping, "code_mark", lambda: "another")
    assert kept("a", make=lambda: "new") == "new"


@pytest.mark.usefixtures("_files")
def test_the_kept_text_is_what_render_writes() -> None:
    text = "$x$ {{ chapter.A[0, 0] }}\n\n```matrix\nvalue: chapter.A\nname: A\n```"
    first = rendered(text, "en")
    rendered.cache_clear()
    assert rendered(text, "en") == first == render(text, "en")
    assert rendered(text, "zh-hans") == render(text, "zh-hans") != first


@pytest.mark.usefixtures("_files")
def test_the_store_is_bounded(tmp_path: Path) -> None:
    for number in range(100):
        kept(str(number), make=lambda: "x")
    assert len(list((tmp_path / "rendered").iterdir())) <= 30


def test_a_store_that_cannot_be_used_costs_time_alone(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    with override_settings(
        CACHES={**settings.CACHES, "rendered": {"BACKEND": FILES, "LOCATION": tmp_path / "file" / "no"}}
    ):
        assert kept("a", make=lambda: "x") == "x"


def test_the_mark_of_the_code_is_that_of_every_source() -> None:
    names = {path.name for path in keeping._sources()}
    assert {"markup.py", "softmax.py", "placing.py", "vocabulary.py", "_section.html", "django.mo"} <= names
    assert len(keeping.code_mark()) == 64
    assert "rendered" in caches.settings


def change_title() -> None:
    text = SectionText.objects.get(section__number="7.9", language="zh-hans")
    text.title = "改过的标题"
    text.save()


def change_question() -> None:
    text = QuestionText.objects.get(question__number=12, language="zh-hans")
    text.title = "改过的标题"
    text.save()


def move_question() -> None:
    QuestionText.objects.filter(question__number=1, language="zh-hans").update(title="改过的标题")
    Question.objects.get(number=1).sections.add(Section.objects.get(number="7.9"))


@pytest.mark.django_db
@pytest.mark.usefixtures("_files", "bank")
@pytest.mark.parametrize("change", [change_title, change_question, move_question])
def test_a_change_is_seen_at_once(change: Any, client: Client) -> None:
    before = bank_mark()
    assert "改过的标题" not in client.get("/chapter/7.9/").content.decode()
    change()
    assert bank_mark() != before
    assert "改过的标题" in client.get("/chapter/7.9/").content.decode()


@pytest.mark.django_db
@pytest.mark.usefixtures("_files", "bank")
def test_an_unpublished_section_is_gone_at_once_and_comes_back(client: Client) -> None:
    assert client.get("/chapter/7.9/").status_code == 200
    section = Section.objects.get(number="7.9")
    for is_published, status in ((False, 404), (True, 200)):
        section.is_published = is_published
        section.save()
        assert client.get("/chapter/7.9/").status_code == status
    assert client.get("/chapter/9.99/").status_code == 404


@pytest.mark.django_db
@pytest.mark.usefixtures("_files", "bank")
def test_a_kept_page_asks_one_query_in_each_language(client: Client, django_assert_num_queries: Any) -> None:
    for language in ("zh-hans", "en"):
        headers = {"accept-language": language}
        first = shown(client.get("/chapter/7.9/", headers=headers).content)
        with django_assert_num_queries(1):
            again = client.get("/chapter/7.9/", headers=headers).content
        assert shown(again) == first != ""


def shown(content: bytes) -> str:
    """The page below its bar, without the tokens of its forms."""
    return re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", content.decode().partition("<main")[2])
