"""What is searched: the published sections and questions in both languages, and the glossary.

Their plain texts are made once for a state of the bank and a version of the code, kept beside the rendered
pages, and indexed in the memory of each process that is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache

from django.urls import reverse
from django.utils.translation import override

from quiz.bank import chaptering
from quiz.bank.answers import PARTS
from quiz.bank.choosing import question_in_language, section_in_language
from quiz.bank.freshness import bank_mark
from quiz.bank.glossary import ADDRESS, glossary
from quiz.bank.keeping import kept
from quiz.bank.markup import plain
from quiz.bank.models import Language, Question, Section
from quiz.bank.search.index import Document, Index, Passage

TITLE, EXAMINES, SAID, BODY = 5.0, 3.0, 2.0, 1.0


def written() -> str:
    """Everything that is searched, as JSON: made where it is not kept yet (some seconds)."""
    return _kept(bank_mark())


def index() -> Index:
    """The index of the bank as it is now: one query where nothing has changed."""
    return _index(bank_mark())


@lru_cache(maxsize=2)
def _index(mark: str) -> Index:
    return Index(tuple(_read(json.loads(_kept(mark)))))


def _kept(mark: str) -> str:
    return kept("search", mark, make=_written)


def _written() -> str:
    return json.dumps([asdict(document) for document in documents()], ensure_ascii=False)


def _read(stored: list[dict[str, object]]) -> Iterator[Document]:
    for one in stored:
        passages = tuple(Passage(**passage) for passage in one.pop("passages"))  # type: ignore[attr-defined]
        yield Document(passages=passages, **one)  # type: ignore[arg-type]


def documents() -> Iterator[Document]:
    """Every document, each language by itself."""
    sections = list(Section.objects.published().with_texts())
    questions = list(Question.objects.published().with_texts())
    for language in Language.values:
        with override(language):
            yield from (_section(section, language) for section in sections)
            yield from (_question(question, language) for question in questions)
            yield from _terms(language)


def _section(section: Section, language: str) -> Document:
    reading = section_in_language(section, language)
    title = _line(reading.title, reading.language)
    passages = [
        Passage(f"{section.number} {title}", "", TITLE),
        Passage("", _line(chaptering.opening(reading.body), reading.language), SAID),
    ]
    passages += [
        Passage(piece.heading, _line(piece.body, reading.language), BODY, piece.key)
        for piece in chaptering.pieces(reading.body)
    ]
    if not chaptering.pieces(reading.body):
        passages.append(Passage("", _line(reading.body, reading.language), BODY))
    address = reverse("bank:section", args=[section.number])
    return Document("section", section.number, language, title, address, tuple(passages))


def _question(question: Question, language: str) -> Document:
    reading = question_in_language(question, language)
    title = _line(reading.title, reading.language)
    passages = [
        Passage(f"{question.number} {title}", "", TITLE),
        Passage("", _line(reading.examines, reading.language), EXAMINES),
    ]
    for shape, fold in zip(_shapes(reading.parts), reading.folds, strict=True):
        weight = SAID if shape == "short_answer" else BODY
        passages.append(Passage(fold.name, _line(fold.part.text, fold.part.language), weight, shape))
    address = reverse("bank:question", args=[question.number])
    return Document("question", str(question.number), language, title, address, tuple(passages))


def _shapes(parts: object) -> list[str]:
    return [shape.field for shape in PARTS if parts[shape.field].text.strip()]  # type: ignore[index]


def _terms(language: str) -> Iterator[Document]:
    for term in glossary().values():
        passages = (
            Passage(f"{term.zh} {term.en}", "", TITLE),
            Passage("", _line(term.definition(language), language), SAID, term.slug),
        )
        yield Document("term", term.slug, language, term.name(language), ADDRESS, passages)


def _line(source: str, language: str) -> str:
    return " ".join(plain(source, language).split())
