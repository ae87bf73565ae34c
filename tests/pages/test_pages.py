"""Home, bank and chapter as a reader meets them: counts computed, folds closed, filters in the address."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from quiz.bank.models import Question, Section
from quiz.exercises import registry

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def page(client: Client, path: str, **extra: Any) -> str:
    answer = client.get(path, **extra)
    assert answer.status_code == 200, path
    return str(answer.content.decode())


def numbers(html: str) -> list[int]:
    return [int(found) for found in re.findall(r'class="entry-number">(\d+)<', html)]


def test_home_counts_what_there_is(bank: None, client: Client) -> None:
    html = page(client, "/")
    families = sum(family.group == "numeric" for family in registry.all_families())
    assert f"39 道会问的题，{families} 类" in html
    Question.objects.filter(number=3).update(is_published=False)
    assert f"38 道会问的题，{families} 类" in page(client, "/")


def test_home_leaves_no_cookie_of_a_visitor_who_only_looks(bank: None, client: Client) -> None:
    client.get("/")
    assert set(client.cookies) <= {"csrftoken"}


def test_chapter_lists_every_section_in_order(bank: None, client: Client) -> None:
    listed = re.findall(r'<span class="number">(7\.\d+)</span>', page(client, "/chapter/"))
    assert listed == [f"7.{i}" for i in range(1, 25)]


def test_bank_holds_every_question_with_its_answer_folded(bank: None, client: Client) -> None:
    html = page(client, "/bank/")
    assert numbers(html) == list(range(1, 40))
    assert html.count('<details class="answer">') == 39
    assert "<details open" not in html


@pytest.mark.parametrize("section", [f"7.{i}" for i in range(1, 24)])
def test_every_section_shows_its_questions_and_exercises(bank: None, client: Client, section: str) -> None:
    html = page(client, f"/chapter/{section}/")
    about = Question.objects.about(Section.objects.get(number=section))
    assert numbers(html) == [q.number for q in about]
    linked = set(re.findall(r'href="/exercises/(\w+)/"', html))
    assert linked == {f.slug for f in registry.all_families() if section in f.sections}


def test_filters_combine_and_stay_in_the_address(bank: None, client: Client) -> None:
    assert numbers(page(client, "/bank/?section=7.9")) == [12]
    advanced = list(Question.objects.filter(difficulty="advanced").values_list("number", flat=True))
    assert numbers(page(client, "/bank/?difficulty=advanced")) == advanced
    assert numbers(page(client, "/bank/?difficulty=basic&section=7.9")) == []
    html = page(client, "/bank/?difficulty=advanced&words=RoPE")
    assert numbers(html) == [5]
    assert '<option value="advanced" selected>' in html
    assert 'value="RoPE"' in html


@pytest.mark.parametrize(
    "query", ["difficulty=x", "section=%27", "words=%25", "words=%3Cscript%3E", "section=" + "9" * 500]
)
def test_odd_filters_are_harmless(bank: None, client: Client, query: str) -> None:
    html = page(client, f"/bank/?{query}")
    assert "<script>" not in html.replace('<script src="', "").split("<main")[1]


def test_every_word_must_occur_in_the_title(bank: None, client: Client) -> None:
    for query in ("words=掩", "words=softmax+exp", "words=Explain+nothing+at+all"):
        words = query.removeprefix("words=").split("+")
        found = numbers(page(client, f"/bank/?{query}"))
        for question in Question.objects.with_texts():
            titles = [text.title.lower() for text in question.texts.all()]
            fits = all(any(word.lower() in title for title in titles) for word in words)
            assert (question.number in found) is fits


def test_htmx_gets_the_list_alone(bank: None, client: Client) -> None:
    html = page(client, "/bank/?section=7.9", headers={"HX-Request": "true", "HX-Target": "questions"})
    assert html.lstrip().startswith('<section id="questions"')


def test_question_page_leads_to_exercises_and_neighbours(bank: None, client: Client) -> None:
    html = page(client, "/bank/12/")
    families = Question.objects.get(number=12).families
    assert re.findall(r'href="/exercises/(\w+)/"', html.split("<footer")[0].split("<main")[1]) == [
        f.slug for f in registry.all_families() if f.slug in families
    ]
    assert 'rel="prev" href="/bank/11/"' in html
    assert 'rel="next" href="/bank/13/"' in html


def test_english_readers_get_english(bank: None, client: Client) -> None:
    html = page(client, "/bank/12/", headers={"accept-language": "en"})
    assert '<html lang="en"' in html
    assert "30-second answer" in html
    assert not re.search(r"[一-鿿]", html.split("<main")[1].split("</main>")[0])


def test_a_text_missing_in_english_falls_back_to_chinese_and_says_so(bank: None, client: Client) -> None:
    Question.objects.get(number=12).texts.get(language="en").delete()
    html = page(client, "/bank/12/", headers={"accept-language": "en"})
    assert '<h1 lang="zh-hans">' in html.replace("zh-Hans", "zh-hans")


def test_language_is_kept_in_a_cookie(bank: None, client: Client) -> None:
    client.post("/i18n/setlang/", {"language": "en", "next": "/bank/"})
    assert client.cookies["language"].value == "en"
    assert '<html lang="en"' in page(client, "/bank/")


@pytest.mark.parametrize(
    ("theme", "shown"), [("dark", ' data-theme="dark"'), ("auto", "<html lang"), ("<b>", "<html")]
)
def test_theme_is_kept_in_a_cookie(bank: None, client: Client, theme: str, shown: str) -> None:
    client.post("/theme/", {"theme": theme, "next": "/bank/"})
    html = page(client, "/bank/")
    assert shown in html
    assert ("data-theme=" in html.split("<head")[0]) is (theme == "dark")


def test_switching_the_theme_never_leaves_the_site(client: Client) -> None:
    answer = client.post("/theme/", {"theme": "dark", "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/"


def test_an_empty_bank_says_what_to_do(client: Client) -> None:
    assert "manage.py sync_bank" in page(client, "/chapter/")
    assert numbers(page(client, "/bank/")) == []


def test_unpublished_sections_and_their_questions_are_gone(bank: None, client: Client) -> None:
    Section.objects.filter(number="7.9").update(is_published=False)
    assert client.get("/chapter/7.9/").status_code == 404
    assert client.get("/bank/12/").status_code == 404
    assert 12 not in numbers(page(client, "/bank/"))


def test_not_found_says_so_in_the_readers_language(client: Client) -> None:
    answer = client.get("/bank/999/")
    assert answer.status_code == 404
    assert "/bank/999/" in answer.content.decode()


@pytest.mark.parametrize("path", ["/bank/", "/chapter/", "/exercises/"])
@pytest.mark.parametrize("rows", [1, 3])
def test_lists_take_a_fixed_number_of_queries(
    bank: None, client: Client, path: str, rows: int, django_assert_max_num_queries: Any
) -> None:
    keep = list(Question.objects.order_by("number").values_list("pk", flat=True)[:rows])
    Question.objects.exclude(pk__in=keep).delete()
    client.get(path)
    with django_assert_max_num_queries(8):
        client.get(path)
