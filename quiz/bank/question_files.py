"""The files of one question to its spec: the Chinese one holds the facts and its texts, the English texts."""

from __future__ import annotations

from quiz.bank.answers import PARTS
from quiz.bank.filing import ContentFile
from quiz.bank.models import (
    COLLECTIONS,
    FIRST_OWN_NUMBER,
    MOST_ABILITIES,
    Ability,
    Difficulty,
    Language,
)
from quiz.bank.rules import Files, Rules
from quiz.bank.specs import QuestionSpec, QuestionTextSpec
from quiz.bank.twins import differences

FACTS = {"number", "sections", "difficulty", "families", "abilities", "asked", "next", "title", "examines"}
TEXTS = {"title", "examines"}


def read_question(name: str, files: Files, rules: Rules) -> QuestionSpec | None:
    """The question of the files named `name`, everything wrong complained about; None without its facts."""
    texts = {language: _text(file, rules) for language, file in files.items()}
    if len(texts) == len(Language.values):
        _compare(texts, files[Language.EN])
    facts = files.get(Language.ZH)
    if facts is None:
        return None
    _check_number(facts, int(name))
    return QuestionSpec(
        number=int(name),
        sections=facts.words("sections", rules.known.sections, "section", at_least=1),
        difficulty=facts.one_of("difficulty", Difficulty.values),
        families=facts.words("families", rules.known.families, "exercise family"),
        abilities=_abilities(facts, rules),
        asked=_asked(facts),
        next=facts.whole_numbers("next", set(rules.known.questions) - {int(name)}, "other question"),
        texts=texts,
    )


def _text(file: ContentFile, rules: Rules) -> QuestionTextSpec:
    file.allow(FACTS if file.language == Language.ZH else TEXTS)
    rules.look_at(file)
    return QuestionTextSpec(
        title=file.line_of_text("title", 300),
        examines=file.line_of_text("examines", 300),
        **file.parts(PARTS, whole=rules.whole),
    )


def _compare(texts: dict[str, QuestionTextSpec], english: ContentFile) -> None:
    """Part by part, so that a complaint names where the languages part."""
    zh, en = texts[Language.ZH], texts[Language.EN]
    for shape in PARTS:
        chinese, other = getattr(zh, shape.field), getattr(en, shape.field)
        if bool(chinese) != bool(other):
            english.add(english.document.body_line, f"# {shape.heading} is there in one language only")
            continue
        for difference in differences(chinese, other):
            english.add(english.document.body_line, f"# {shape.heading}: {difference}")


def _check_number(facts: ContentFile, expected: int) -> None:
    number = facts.whole_number("number")
    if number is not None and number != expected:
        facts.complain("number", f"number is {number} but the file's name says {expected}")
    if not 1 <= expected < FIRST_OWN_NUMBER:
        facts.complain("number", f"shipped questions are numbered 1 to {FIRST_OWN_NUMBER - 1}")


def _abilities(facts: ContentFile, rules: Rules) -> tuple[str, ...]:
    if not rules.whole and not facts.has("abilities"):
        return ()
    found = facts.words("abilities", Ability.values, "ability", at_least=1)
    if len(found) > MOST_ABILITIES:
        facts.complain("abilities", f"abilities are at most {MOST_ABILITIES}")
    return found


def _asked(facts: ContentFile) -> int | None:
    """In how many of the public collections it was found; left out where it was not counted."""
    if not facts.has("asked"):
        return None
    asked = facts.whole_number("asked")
    if asked is not None and not 1 <= asked <= COLLECTIONS:
        facts.complain("asked", f"asked is 1 to {COLLECTIONS}, or left out")
    return asked
