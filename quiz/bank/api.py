"""The bank in the public API: published questions, in one language."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema

from quiz.bank.choosing import question_in_language
from quiz.bank.markup import plain
from quiz.bank.models import Question

router = Router(tags=["questions"])
Language = Literal["zh-hans", "en"]


class QuestionItem(Schema):
    """One question. `language` says which language the texts are really in."""

    number: int
    sections: list[str]
    difficulty: Literal["basic", "middle", "advanced"]
    families: list[str]
    abilities: list[str]
    asked: int | None
    next: list[int]
    language: str
    title: str
    title_markdown: str
    examines: str


class Part(Schema):
    """One part of an answer as Markdown, and the language it is in."""

    language: str
    markdown: str


class QuestionAnswer(QuestionItem):
    """With its answer: `parts` by name, from `short_answer` (30 seconds) to `sources`, without empty ones."""

    parts: dict[str, Part]


def _item(question: Question, language: Language) -> QuestionAnswer:
    reading = question_in_language(question, language)
    return QuestionAnswer(
        number=question.number,
        sections=[section.number for section in question.published_sections],
        difficulty=question.difficulty,  # type: ignore[arg-type]  # the choices are the literal's
        families=question.families,
        abilities=question.abilities,
        asked=question.asked,
        next=question.next,
        language=reading.language,
        title=plain(reading.title),
        title_markdown=reading.title,
        examines=plain(reading.examines),
        parts={
            name: Part(language=part.language, markdown=part.text)
            for name, part in reading.parts.items()
            if part.text
        },
    )


@router.get("/questions", response=list[QuestionItem], summary="Every published question")
def list_questions(request: HttpRequest, language: Language = "zh-hans") -> list[QuestionAnswer]:
    return [_item(question, language) for question in Question.objects.published().with_texts()]


@router.get("/questions/{int:number}", response=QuestionAnswer, summary="One question with its whole answer")
def show_question(request: HttpRequest, number: int, language: Language = "zh-hans") -> QuestionAnswer:
    found = get_object_or_404(Question.objects.published().with_texts(), number=number)
    return _item(found, language)
