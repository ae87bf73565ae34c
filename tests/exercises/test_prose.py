"""What families say, in both languages: conventions, mistakes, hints and solutions with the numbers of
the draw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from quiz.bank.markup import check, plain
from quiz.exercises import registry
from quiz.exercises.formatting import show, tex
from quiz.exercises.types import Part, Text, Value
from quiz.exercises.variants import Variant
from tests.exercises.drawn import SLUGS, variants

CHINESE = re.compile(r"[\u4e00-\u9fff]")
LABELS = {"K", "V", "Q"}

# What a prompt must not leave unsaid, in each language.
SAID = {
    "attention_row": (
        ["行向量", "d_k", "自然常数", "没有掩码", "从 1 数", "第 3 位", "0.005", "W_O", "偏置"],
        [
            "row vector",
            "d_k",
            "natural exponential",
            "no mask",
            "count from 1",
            "3 decimals",
            "0.005",
            "W_O",
            "biases",
        ],
    ),
    "full_output": (
        ["行向量", "d_k", "自然常数", "没有掩码", "从 1 数", "第 3 位", "0.005", "W_O", "偏置"],
        [
            "row vector",
            "d_k",
            "natural exponential",
            "no mask",
            "count from 1",
            "3 decimals",
            "0.005",
            "W_O",
            "biases",
        ],
    ),
    "causal_row": (
        ["已经除过", "因果掩码", "自己", "-inf", "自然常数", "从 1 数", "第 3 位", "0.005"],
        [
            "already divided",
            "Causal mask",
            "itself",
            "-inf",
            "natural exponential",
            "count from 1",
            "3 decimals",
            "0.005",
        ],
    ),
    "softmax_row": (["自然常数", "第 3 位", "0.005"], ["natural exponential", "3 decimals", "0.005"]),
    "kv_cache": (
        ["2 字节", "2^{30}", "2^{20}", "K$ 和 $V", "提示和已生成", "所有层", "0.5%", "不写单位", "准确"],
        [
            "2 bytes per element",
            "2^{30}",
            "2^{20}",
            "$K$ and $V$",
            "Prompt and generated",
            "all layers",
            "0.5%",
            "without its unit",
            "exact",
        ],
    ),
    "mha_shape": (
        ["d_\\text{model}/h", "批在最前", "完全一致"],
        ["d_\\text{model}/h", "batch first", "exact shape"],
    ),
    "scaled_entry": (
        ["d_k =", "d_\\text{model}", "没有掩码", "第 3 位", "0.005"],
        ["d_k =", "d_\\text{model}", "no mask", "3 decimals", "0.005"],
    ),
}


def said_by(slug: str) -> tuple[list[str], list[str]]:
    """From `SAID`, or from the family's own file `said/<slug>.json`."""
    if slug in SAID:
        return SAID[slug]
    said = json.loads((Path(__file__).parent / "said" / f"{slug}.json").read_text("utf-8"))
    return said["zh"], said["en"]


def texts(variant: Variant) -> Iterator[Text]:
    family, prompt = variant.family, variant.prompt
    yield from (family.title, prompt.task, *prompt.conventions, *variant.hints)
    yield from (given.note for given in prompt.givens if given.note is not None)
    yield from (step.text for step in variant.solution)
    yield from (option.label for part in variant.parts for option in part.options)
    yield from (part.stem for part in variant.parts if part.stem is not None)
    for table in (*prompt.tables, *variant.probes):
        yield table.caption
        yield from (cell for row in table.rows for cell in row)
    yield from (part.label for part in variant.parts if part.label.zh not in LABELS)
    for mistake in family.misconceptions:
        yield from (mistake.title, mistake.told, mistake.question, mistake.caption)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_text_is_there_in_both_languages(slug: str) -> None:
    for variant in variants(slug)[:3]:
        for text in texts(variant):
            assert text.en.strip()
            assert not CHINESE.search(text.en), text.en
            assert text.zh == text.en or CHINESE.search(text.zh) or "$" in text.zh or "softmax" in text.zh, (
                text.zh
            )


@pytest.mark.parametrize("slug", SLUGS)
def test_every_formula_can_be_typeset(slug: str) -> None:
    for variant in variants(slug)[:20]:
        for text in texts(variant):
            assert not check(text.zh), text.zh
            assert not check(text.en), text.en


@pytest.mark.parametrize("slug", SLUGS)
def test_prompts_print_their_conventions(slug: str) -> None:
    prompt = variants(slug)[0].prompt
    for language, needed in zip(("zh-hans", "en"), said_by(slug), strict=True):
        said = " ".join(text.in_language(language) for text in (prompt.task, *prompt.conventions))
        assert [words for words in needed if words not in said] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_titles_and_captions_stand_without_typesetting(slug: str) -> None:
    """They enter headings, files and terminals, and complete 像是… / looks like …"""
    for mistake in registry.get(slug).misconceptions:
        for text in (mistake.title, mistake.caption):
            for words in (text.zh, text.en):
                assert "$" not in words
                assert plain(words) == words
                assert not words.endswith(("。", "."))
        assert mistake.title.en[0].islower() or not mistake.title.en[1].islower()


@pytest.mark.parametrize("slug", SLUGS)
def test_the_leading_question_is_a_question_and_does_not_give_the_right_value(slug: str) -> None:
    for mistake in registry.get(slug).misconceptions:
        assert mistake.question.zh.endswith("？")
        assert mistake.question.en.endswith("?")
        assert mistake.told.zh.endswith("。")
        assert mistake.told.en.endswith(".")
        assert len({mistake.title.zh, mistake.told.zh, mistake.question.zh, mistake.caption.zh}) == 4


@pytest.mark.parametrize("slug", SLUGS)
def test_solutions_reach_the_right_value_step_by_step(slug: str) -> None:
    for variant in variants(slug)[:20]:
        steps = {step.part: step for step in variant.solution if step.part}
        assert list(steps) == [part.name for part in variant.parts]
        for part in variant.parts:
            value, step = variant.right[part.name], steps[part.name]
            if part.kind == "choice":
                assert_says(step.text, chosen(part, value))
                continue
            shown = step.figure is not None and step.figure.value == value
            assert shown or tex(value) in step.text.zh, (variant.seed, part.name)
            assert shown or tex(value) in step.text.en


@pytest.mark.parametrize("slug", SLUGS)
def test_hints_are_three_and_never_the_answer(slug: str) -> None:
    for variant in variants(slug)[:100]:
        assert len(variant.hints) == 3
        for part in variant.required:
            for form in answers(part, variant.right[part.name]):
                for hint in variant.hints:
                    assert form not in hint.zh, (variant.seed, hint.zh)
                    assert form not in hint.en


def answers(part: Part, value: Value) -> set[str]:
    """How an answer would look in a sentence. Numbers of one digit may stand there for something else, and so
    may words as short."""
    if part.kind == "choice":
        label = chosen(part, value)
        return {words.strip() for words in (label.zh, label.en) if len(words) > 4}
    return {form for form in (show(value), tex(value)) if len(form) > 2}


def chosen(part: Part, slug: str) -> Text:
    return next(option.label for option in part.options if option.slug == slug)


def assert_says(told: Text, label: Text) -> None:
    """The step holds the label of the right option, in the words of the page or of the code line."""
    for said, words in ((told.zh, label.zh), (told.en, label.en)):
        wanted = words.removeprefix("不对：").removeprefix("False: ").strip()
        assert wanted.lower() in said.lower(), (wanted, said)
