"""The texts of a section or a question in the reader's language, or in Chinese where it has none."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.bank.models import Language, Question, QuestionText, Section, SectionText


@dataclass(frozen=True, kw_only=True)
class QuestionReading:
    """Markdown sources and their languages. `fell_back`: something is not in the language asked for."""

    title: str
    examines: str
    short_answer: str
    language: str
    answer_language: str
    fell_back: bool


@dataclass(frozen=True, kw_only=True)
class SectionReading:
    title: str
    body: str
    language: str
    fell_back: bool


def language_of(code: str) -> str:
    """The bank's language for a language code of the site: English for en-…, otherwise Chinese."""
    return Language.EN if code.lower().split("-")[0] == "en" else Language.ZH


def question_in_language(question: Question, code: str) -> QuestionReading:
    """What to show of a question. The short answer falls back by itself, for it may not be translated yet."""
    wanted = language_of(code)
    texts: dict[str, QuestionText] = {text.language: text for text in question.texts.all()}
    text = texts.get(wanted) or texts.get(Language.ZH) or next(iter(texts.values()), None)
    if text is None:
        return QuestionReading(
            title=str(question.number), examines="", short_answer="", language=wanted, answer_language=wanted,
            fell_back=True,
        )  # fmt: skip
    answer = text if text.short_answer.strip() else texts.get(Language.ZH, text)
    return QuestionReading(
        title=text.title,
        examines=text.examines,
        short_answer=answer.short_answer,
        language=text.language,
        answer_language=answer.language,
        fell_back=wanted not in (text.language, None) or answer.language != wanted,
    )


def section_in_language(section: Section, code: str) -> SectionReading:
    """What to show of a section: the whole text of one language."""
    wanted = language_of(code)
    texts: dict[str, SectionText] = {text.language: text for text in section.texts.all()}
    text = texts.get(wanted) or texts.get(Language.ZH) or next(iter(texts.values()), None)
    if text is None:
        return SectionReading(title=section.number, body="", language=wanted, fell_back=True)
    return SectionReading(
        title=text.title, body=text.body, language=text.language, fell_back=text.language != wanted
    )
