"""The shipped bank: whole in both languages, sound in its formulas, and sayable in thirty seconds."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from math_core import LatexToMathML

from quiz.bank import glossary, listings
from quiz.bank.answers import PARTS
from quiz.bank.cases import case
from quiz.bank.markup import render
from quiz.bank.models import Ability
from quiz.bank.parsing import parse_bank
from quiz.exercises.family import Family
from quiz.exercises.registry import all_families
from tests.bank.content_files import CODE, CONTENT, FORMULA, HAN, LIVE, File, all_files, files, start
from tests.bank.decimals import allowed, decimals
from tests.bank.lengths import wrong_lengths

QUESTIONS_ZH, QUESTIONS_EN = files("questions", "zh-hans"), files("questions", "en")
SECTIONS_ZH, SECTIONS_EN = files("sections", "zh-hans"), files("sections", "en")
FILES = all_files()
CHINESE, ENGLISH = (
    [*QUESTIONS_ZH.values(), *SECTIONS_ZH.values(), start("zh-hans")],
    [*QUESTIONS_EN.values(), *SECTIONS_EN.values(), start("en")],
)


def named(file: File) -> str:
    return str(file.path.relative_to(CONTENT))


def numbers(answer: str) -> Counter[str]:
    """How often each order of growth is claimed."""
    return Counter(re.findall(r"O\([^$()]+\)", answer))


def test_the_questions_are_1_to_39_in_both_languages() -> None:
    expected = [f"{number:02}" for number in range(1, 40)]
    assert list(QUESTIONS_ZH) == expected
    assert list(QUESTIONS_EN) == expected
    assert [file.facts["number"] for file in QUESTIONS_ZH.values()] == list(range(1, 40))


def test_the_sections_are_7_1_to_7_24_in_both_languages() -> None:
    expected = [f"7.{number:02}" for number in range(1, 25)]
    assert list(SECTIONS_ZH) == expected
    assert list(SECTIONS_EN) == expected
    assert [file.facts["number"] for file in SECTIONS_ZH.values()] == [f"7.{n}" for n in range(1, 25)]


def test_facts_are_stated_once_in_the_chinese_file() -> None:
    facts = {"number", "sections", "difficulty", "families", "abilities", "title", "examines"}
    for file in QUESTIONS_ZH.values():
        assert facts <= set(file.facts) <= facts | {"asked", "next"}
    assert {frozenset(file.facts) for file in QUESTIONS_EN.values()} == {frozenset({"title", "examines"})}
    assert {frozenset(file.facts) for file in SECTIONS_ZH.values()} == {frozenset({"number", "title"})}
    assert {frozenset(file.facts) for file in SECTIONS_EN.values()} == {frozenset({"title"})}


def test_no_other_file_lies_in_the_folder() -> None:
    assert len(FILES) == 2 * (39 + 24 + 1)
    known = {file.path for file in FILES} | {
        CONTENT / glossary.FILE,
        CONTENT / listings.FILE,
        CONTENT / case.FILE,
    }
    assert {path for path in CONTENT.rglob("*") if path.is_file()} == known


def test_every_ability_is_examined_by_several_questions() -> None:
    counted = Counter(ability for file in QUESTIONS_ZH.values() for ability in file.facts["abilities"])
    assert set(counted) == set(Ability.values)
    assert min(counted.values()) >= 3


CHAINS = [(22, 23, 24), (27, 28), (29, 30), (35, 36, 37, 38, 39)]


@pytest.mark.parametrize(("before", "after"), [pair for chain in CHAINS for pair in pairwise(chain)])
def test_the_chains_of_follow_ups_are_linked(before: int, after: int) -> None:
    assert after in QUESTIONS_ZH[f"{before:02}"].facts.get("next", [])


def test_difficulties() -> None:
    counted = Counter(file.facts["difficulty"] for file in QUESTIONS_ZH.values())
    assert counted == {"basic": 10, "middle": 21, "advanced": 8}


def test_every_section_but_the_bank_itself_is_asked_about() -> None:
    asked = Counter(number for file in QUESTIONS_ZH.values() for number in file.facts["sections"])
    assert set(asked) == {f"7.{number}" for number in range(1, 24)}
    assert (asked["7.3"], asked["7.14"], asked["7.15"]) == (3, 4, 6)


def test_linked_exercises_exist() -> None:
    linked = {slug for file in QUESTIONS_ZH.values() for slug in file.facts["families"]}
    assert linked - {family.slug for family in all_families()} == set()


@pytest.mark.parametrize("family", all_families(), ids=lambda family: family.slug)
def test_the_questions_of_a_family_link_to_it(family: Family) -> None:
    linking = {
        file.facts["number"] for file in QUESTIONS_ZH.values() if family.slug in file.facts["families"]
    }
    assert linking == set(family.questions) != set()


@pytest.mark.parametrize("file", FILES, ids=named)
def test_titles_and_texts_are_there_and_finished(file: File) -> None:
    assert file.facts["title"].strip() == file.facts["title"] != ""
    assert len(file.body) > 150
    assert re.findall(r"\b(?:TODO|TBD|FIXME|XXX)\b|lorem|待补|待写|待定|占位", file.texts, re.I) == []


@pytest.mark.parametrize("file", FILES, ids=named)
def test_every_formula_becomes_mathml(file: File) -> None:
    converter = LatexToMathML()
    formulas = [LIVE.sub("1", formula) for formula in file.formulas]
    shown = [converter.convert_with_local_state(formula, displaystyle=False) for formula in formulas]
    assert [one for one in shown if not one.startswith("<math") or "merror" in one] == []
    assert CODE.sub("", file.texts).replace("\\$", "").count("$") % 2 == 0


@pytest.mark.parametrize("file", FILES, ids=named)
def test_nothing_is_shown_as_its_source(file: File) -> None:
    language = "en" if ".en." in file.path.name else "zh-hans"
    for text in [file.facts["title"], file.facts.get("examines", ""), *(file.parts.values() or [file.body])]:
        assert "markup-error" not in render(text, language)


def test_decimals_are_computed_or_on_the_list_with_a_reason() -> None:
    typed = {literal for file in FILES for _, literal in decimals(f"{file.facts['title']}\n\n{file.body}")}
    known = allowed()
    assert sorted(typed - set(known)) == []
    assert sorted(set(known) - typed) == [], "on the list, and in no text"
    assert [literal for literal, reason in known.items() if len(reason) < 8] == []


@pytest.mark.parametrize("file", [*QUESTIONS_ZH.values(), *QUESTIONS_EN.values()], ids=named)
def test_answers_take_the_time_they_are_said_to_take(file: File) -> None:
    language = "en" if ".en." in file.path.name else "zh-hans"
    fields = {shape.heading: shape.field for shape in PARTS}
    parts = {fields[heading]: text for heading, text in file.parts.items()}
    assert list(wrong_lengths(parts, language)) == []


@pytest.mark.parametrize("file", CHINESE, ids=named)
def test_chinese_is_chinese_and_punctuated_as_such(file: File) -> None:
    assert HAN.search(file.facts["title"])
    assert re.findall(r".{0,12}[\u4e00-\u9fff] ?[,;:?!.](?!\w).{0,8}", file.prose) == []
    close = r"[\u4e00-\u9fff][A-Za-z0-9$`]|[A-Za-z0-9`$][\u4e00-\u9fff]"
    spaced = FORMULA.sub(lambda m: f"${m[1] or 'x'}$" if m[1] else "$x$", file.words)
    assert re.findall(f".{{0,12}}(?:{close}).{{0,8}}", spaced) == []


@pytest.mark.parametrize("file", ENGLISH, ids=named)
def test_english_holds_no_chinese(file: File) -> None:
    assert re.findall(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+", file.facts["title"] + file.body) == []


@pytest.mark.parametrize("number", list(QUESTIONS_ZH))
def test_both_languages_claim_the_same_orders_of_growth(number: str) -> None:
    assert numbers(QUESTIONS_ZH[number].answer) == numbers(QUESTIONS_EN[number].answer)


def test_the_parser_reads_the_same_bank() -> None:
    bank = parse_bank(CONTENT)
    assert [question.number for question in bank.questions] == list(range(1, 40))
    assert [section.number for section in bank.sections] == ["start"] + [
        f"7.{number}" for number in range(1, 25)
    ]
