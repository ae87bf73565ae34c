"""A section that is not published is named nowhere: not by its questions, not by its exercises."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from quiz.accounts.models import User
from quiz.bank.listing import published_among
from quiz.bank.models import Question, Section
from quiz.exercises import registry

pytestmark = [pytest.mark.django_db, pytest.mark.database]

OPEN, CLOSED = "8.1", "8.2"


@pytest.fixture
def question() -> Question:
    """A question of two sections, the first of which is not published."""
    made = Question.objects.create(number=101, difficulty="basic")
    made.texts.create(language="zh-hans", title="问", short_answer="答")
    for position, (number, is_published) in enumerate(((CLOSED, False), (OPEN, True)), start=1):
        section = Section.objects.create(number=number, position=position, is_published=is_published)
        section.texts.create(language="zh-hans", title=f"第 {number} 节", body="文")
        made.sections.add(section)
    return made


@pytest.mark.parametrize(
    "path",
    ["/bank/", "/bank/101/", f"/chapter/{OPEN}/", "/bank/print/", "/bank/export/zh-hans.html",
     "/api/v1/questions", "/api/v1/questions/101"],
)  # fmt: skip
def test_a_question_names_only_its_published_sections(client: Client, question: Question, path: str) -> None:
    page = client.get(path).content.decode()
    main = page.split("<main", 1)[-1]
    assert OPEN in main
    assert CLOSED not in main


def linked(client: Client, path: str) -> list[str]:
    return re.findall(r'href="/chapter/([\d.]+)/"', client.get(path).content.decode())


def test_an_exercise_leads_to_its_first_published_section(client: Client, bank: None) -> None:
    family = next(one for one in registry.all_families() if len(one.sections) > 1)
    path = f"/exercises/{family.slug}/1/"
    first, second, *_ = family.sections
    assert linked(client, path) == [first]
    Section.objects.filter(number=first).update(is_published=False)
    assert linked(client, path) == [second]
    Section.objects.update(is_published=False)
    assert linked(client, path) == []
    assert client.get(path).status_code == 200


def test_the_desk_links_the_published_sections_of_a_family(
    client: Client, bank: None, instructor: User
) -> None:
    client.force_login(instructor)
    family = next(one for one in registry.all_families() if len(one.sections) > 1)
    path = f"/desk/families/{family.slug}/"
    Section.objects.filter(number=family.sections[0]).update(is_published=False)
    client.get(f"/exercises/{family.slug}/1/")
    assert linked(client, path) == list(family.sections[1:])


def test_published_sections_keep_their_order(bank: None) -> None:
    Section.objects.filter(number="7.9").update(is_published=False)
    assert published_among(("7.12", "7.9", "7.2", "9.9")) == ["7.12", "7.2"]
