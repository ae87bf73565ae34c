"""Families and variants as JSON, for `manage.py exercise` and for scripts of teachers."""

from __future__ import annotations

import math
from typing import Any

from quiz.exercises.drawing import vary
from quiz.exercises.family import Family
from quiz.exercises.formatting import MINUS
from quiz.exercises.types import Given, Part, Prompt, Table, Text, Value
from quiz.exercises.variants import Variant

SHOWN_SEED = 0  # whose variant tells a family's parts


def describe_family(family: Family) -> dict[str, Any]:
    """What a family is: slug, group, sections, parts, misconceptions and how it is presented."""
    return {
        "slug": family.slug,
        "code": family.code,
        "group": family.group,
        "version": family.version,
        "title": in_languages(family.title),
        "sections": list(family.sections),
        "questions": list(family.questions),
        "minutes": family.minutes,
        "one_handed": family.one_handed,
        "parts": [
            {"name": part.name, "kind": part.kind, "required": part.required}
            for part in vary(family.slug, SHOWN_SEED).parts
        ],
        "misconceptions": [misconception.slug for misconception in family.misconceptions],
    }


def describe_variant(variant: Variant) -> dict[str, Any]:
    """One variant with its right answers and, for each part, the value of every mistake that changes it."""
    return {
        "family": variant.family.slug,
        "seed": variant.seed,
        "version": variant.version,
        "prompt": {
            "zh-hans": prompt_text(variant.prompt, "zh-hans"),
            "en": prompt_text(variant.prompt, "en"),
        },
        "givens": {given.name: as_json(given.value) for given in variant.prompt.givens},
        "parts": [_describe_part(variant, part) for part in variant.parts],
        "tries": variant.tries,
    }


def _describe_part(variant: Variant, part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "kind": part.kind,
        "label": in_languages(part.label),
        "required": part.required,
        "tolerance": {"absolute": part.tolerance.absolute, "relative": part.tolerance.relative},
        "stem": None if part.stem is None else in_languages(part.stem),
        "options": options_of(part),
        "right": as_json(variant.right[part.name]),
        "misconceptions": {
            slug: as_json(values[part.name])
            for slug, values in variant.mistakes.items()
            if part.name in values
        },
    }


def options_of(part: Part) -> list[dict[str, Any]]:
    """The options of a choice in the order they are shown: the slug to answer with, and what it says."""
    return [{"slug": option.slug, "label": in_languages(option.label)} for option in part.options]


def prompt_text(prompt: Prompt, language: str) -> str:
    """The whole prompt as one Markdown text: the task, what is given and shown, the conventions."""
    lines = [prompt.task.in_language(language), ""]
    lines += [given_line(given, language) for given in prompt.givens]
    lines += [line for table in prompt.tables for line in table_lines(table, language)]
    lines += ["", *(f"- {convention.in_language(language)}" for convention in prompt.conventions)]
    return "\n".join(lines)


def table_lines(table: Table, language: str) -> list[str]:
    """The caption, then each row as its heading and its cells."""
    rows = [[cell.in_language(language) for cell in row] for row in table.rows]
    told = [f"- {heading}: {', '.join(cells)}" if cells else f"- {heading}" for heading, *cells in rows]
    return ["", table.caption.in_language(language), *told]


def given_line(given: Given, language: str) -> str:
    """`X = [[1, 2], [3, 4]]`, with the note in brackets."""
    note = "" if given.note is None else f"  ({given.note.in_language(language)})"
    return f"{given.name} = {_exact(given.value)}{note}"


def _exact(value: Value) -> str:
    """What is given is a short decimal or a whole number, and is shown as it is."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_exact(item) for item in value)}]"
    return f"{value:.12g}".replace("-", MINUS)


def in_languages(text: Text) -> dict[str, str]:
    """Both languages by their codes."""
    return {"zh-hans": text.zh, "en": text.en}


def as_json(value: Value) -> Value:
    """The value with −∞ as the string "-inf", which is valid JSON and reads back as −∞ where that is an
    answer.
    """
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "-inf" if value < 0 else "inf"
    return value
