"""A variant as NumPy code that works its answer out anew, for whoever does not believe the page.

The lines of each family stand in the module of their topic, in `CODE`; modules are found by themselves.
They use NumPy alone and share nothing with attention_core, so that the tests have in them a second opinion
on every right value.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from quiz.exercises.code.snippet import Snippet
from quiz.exercises.types import Part, Text
from quiz.exercises.variants import Variant
from quiz.figures.copying import as_numpy

ORIGIN = Text("变式 {seed}", "variant {seed}")


def has_code(slug: str) -> bool:
    """Whether a family's answer can be given as code."""
    return slug in _snippets()


def numpy_code(variant: Variant, language: str = "zh-hans") -> str:
    """A whole script: the numbers of the variant, the work, and one printed line a part.

    KeyError for a family without lines of its own (`has_code`).
    """
    snippet = _snippets()[variant.family.slug]
    origin = ORIGIN.in_language(language).format(seed=variant.seed)
    lines = [f"# {variant.family.title.in_language(language)} · {origin}", "import numpy as np", ""]
    lines += [f"{name} = {_literal(value)}" for name, value in _inputs(variant, snippet).items()]
    lines += ["", snippet.lines_for(variant.drawn), ""]
    lines += [_printed(part, language) for part in variant.parts if part.kind != "choice"]
    return "\n".join(lines) + "\n"


def _inputs(variant: Variant, snippet: Snippet) -> dict[str, Any]:
    if not snippet.shown:
        return dict(variant.drawn)
    givens = {given.name: given.value for given in variant.prompt.givens}
    return {name: givens[given] for name, given in snippet.shown.items()}


def _literal(value: Any) -> str:
    """An array for numbers in a list, otherwise plain Python."""
    is_array = isinstance(value, list) and not _holds_text(value)
    return as_numpy(value) if is_array else repr(value)


def _holds_text(value: list[Any]) -> bool:
    return any(isinstance(item, str) or (isinstance(item, list) and _holds_text(item)) for item in value)


def _printed(part: Part, language: str) -> str:
    return f"print({part.label.in_language(language) + ':'!r}, {part.name})"


@cache
def _snippets() -> dict[str, Snippet]:
    found: dict[str, Snippet] = {}
    for module in pkgutil.iter_modules(__path__):
        code = getattr(importlib.import_module(f"{__name__}.{module.name}"), "CODE", {})
        if twice := found.keys() & code.keys():
            raise ValueError(f"code is given twice for: {', '.join(sorted(twice))}")
        found |= code
    return found
