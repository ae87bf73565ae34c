"""Families and variants as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quiz.exercises.describing import prompt_text
from quiz.exercises.family import Family
from quiz.exercises.formatting import show
from quiz.exercises.variants import Variant


def family_lines(families: Iterable[Family], language: str) -> Iterator[str]:
    """A line for each family: slug, sections, title."""
    families = list(families)
    width = max((len(family.slug) for family in families), default=0)
    for family in families:
        sections = ", ".join(family.sections)
        yield f"{family.slug:{width}}  {sections:12}  {family.title.in_language(language)}"


def variant_lines(variant: Variant, language: str) -> Iterator[str]:
    """The prompt, then every part with its right value and the value of each known mistake."""
    family = variant.family
    yield f"{family.title.in_language(language)}  {family.slug} {variant.seed} v{variant.version}"
    yield ""
    yield prompt_text(variant.prompt, language)
    for part in variant.parts:
        yield ""
        yield f"{part.name}  ({part.kind})  {part.label.in_language(language)}"
        yield from (f"  · {option.slug}: {option.label.in_language(language)}" for option in part.options)
        yield f"  = {show(variant.right[part.name])}"
        for slug, values in variant.mistakes.items():
            if part.name in values:
                title = variant.misconception(slug).title.in_language(language)
                yield f"  ✗ {show(values[part.name])}  {slug}: {title}"
