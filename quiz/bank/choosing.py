"""The texts of a section or a question in the reader's language, or in Chinese where it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quiz.bank.answers import PARTS, Item, Titled, items, titled
from quiz.bank.models import Language, Question, QuestionText, Section, SectionText


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of an answer: its Markdown and the language it is in; the text may be empty."""

    text: str
    language: str

    @property
    def items(self) -> tuple[Item, ...]:
        """The points of a list."""
        return items(self.text)

    @property
    def pieces(self) -> tuple[Titled, ...]:
        """The pieces under their `## titles`."""
        return titled(self.text)


@dataclass(frozen=True, kw_only=True)
class Fold:
    """A part under its name in the language of the page, to be unfolded; `kind` as in `answers.Shape`."""

    field: str
    name: str
    kind: str
    part: Part


@dataclass(frozen=True, kw_only=True)
class QuestionReading:
    """Markdown sources and their languages; `parts` by the fields of `answers.PARTS`.

    `fell_back`: something is not in the language asked for.
    """

    title: str
    examines: str
    language: str
    parts: Mapping[str, Part]
    fell_back: bool

    @property
    def folds(self) -> tuple[Fold, ...]:
        """The parts that are written, in order."""
        return tuple(
            Fold(field=shape.field, name=_name(shape.field), kind=shape.kind, part=self.parts[shape.field])
            for shape in PARTS
            if self.parts[shape.field].text.strip()
        )

    @property
    def short_answer(self) -> str:
        return self.parts["short_answer"].text

    @property
    def answer_language(self) -> str:
        """The language of the short answer."""
        return self.parts["short_answer"].language


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
    """What to show of a question. Each part falls back by itself, for it may not be translated yet."""
    wanted = language_of(code)
    texts: dict[str, QuestionText] = {text.language: text for text in question.texts.all()}
    text = texts.get(wanted) or texts.get(Language.ZH) or next(iter(texts.values()), None)
    if text is None:
        nothing = {shape.field: Part(text="", language=wanted) for shape in PARTS}
        return QuestionReading(
            title=str(question.number), examines="", language=wanted, parts=nothing, fell_back=True
        )
    others = [text, *(other for other in texts.values() if other is not text)]
    parts = {shape.field: _part(shape.field, others) for shape in PARTS}
    return QuestionReading(
        title=text.title,
        examines=text.examines,
        language=text.language,
        parts=parts,
        fell_back=text.language != wanted or any(part.language != wanted for part in parts.values()),
    )


def _part(field: str, texts: list[QuestionText]) -> Part:
    """The first text that has the part; where none has it, the first one's emptiness."""
    for text in texts:
        if getattr(text, field).strip():
            return Part(text=getattr(text, field), language=text.language)
    return Part(text="", language=texts[0].language)


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


def _name(field: str) -> str:
    return str(getattr(QuestionText._meta.get_field(field), "verbose_name", field))
