"""A case as its content file tells it: read strictly, both languages side by side, every text checked.

One YAML file a case; each text has `zh` and `en`. The names of `let` are known in every text.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from quiz.bank.checking import check
from quiz.bank.glossary import CONTENT
from quiz.bank.twins import differences
from quiz.exercises.types import Text

FILE = "case_oom.yaml"
_LANGUAGES = ("zh", "en")


class CaseError(ValueError):
    """The file says something else than a case; the message names the place."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One thing to do next; the good one of a step leads on."""

    key: str
    text: Text
    consequence: Text
    reason: Text
    is_good: bool


@dataclass(frozen=True, kw_only=True)
class Step:
    title: Text
    evidence: Text
    ask: Text
    choices: tuple[Choice, ...]

    @property
    def good(self) -> Choice:
        return next(choice for choice in self.choices if choice.is_good)


@dataclass(frozen=True, kw_only=True)
class Case:
    """`lets` is the fence that goes before every text when it is rendered."""

    title: Text
    opening: Text
    lets: str
    steps: tuple[Step, ...]
    debrief_title: Text
    debrief: Text


@lru_cache(maxsize=1)
def shipped_case() -> Case:
    """The shipped case; a process reads it once."""
    return read_case((CONTENT / FILE).read_text(encoding="utf-8"))


def read_case(source: str) -> Case:
    """The case of a file. Raises CaseError, or yaml.YAMLError."""
    found = _fields(yaml.safe_load(source), "the case", {"title", "opening", "let", "steps", "debrief"})
    debrief = _fields(found["debrief"], "debrief", {"title", "body"})
    steps = tuple(_step(step, f"step {at}") for at, step in enumerate(_list(found["steps"], "steps"), 1))
    return Case(
        title=_text(found["title"], "title"),
        opening=_text(found["opening"], "opening"),
        lets=f"```let\n{found['let'].strip()}\n```\n\n",
        steps=steps,
        debrief_title=_text(debrief["title"], "debrief: title"),
        debrief=_text(debrief["body"], "debrief: body"),
    )


def _step(given: Any, place: str) -> Step:
    found = _fields(given, place, {"title", "evidence", "ask", "choices"})
    choices = tuple(_choice(one, place) for one in _list(found["choices"], f"{place}: choices"))
    keys = [choice.key for choice in choices]
    if keys != list("abcdefgh"[: len(keys)]) or len(keys) < 2:
        raise CaseError(f"{place}: the keys of its choices are a, b, c …; there are {keys}")
    if sum(choice.is_good for choice in choices) != 1:
        raise CaseError(f"{place}: exactly one choice is good")
    texts = {name: _text(found[name], f"{place}: {name}") for name in ("title", "evidence", "ask")}
    return Step(choices=choices, **texts)


def _choice(given: Any, place: str) -> Choice:
    found = _fields(given, place, {"key", "text", "consequence", "reason"}, optional={"good"})
    key = str(found["key"])
    names = ("text", "consequence", "reason")
    texts = {name: _text(found[name], f"{place}, {key}: {name}") for name in names}
    return Choice(key=key, is_good=found.get("good", False) is True, **texts)


def _fields(given: Any, place: str, names: Set[str], *, optional: Set[str] = frozenset()) -> dict[str, Any]:
    if not isinstance(given, dict) or not names <= set(given) <= names | optional:
        raise CaseError(f"{place} has {', '.join(sorted(names))}, and nothing else")
    return given


def _list(given: Any, place: str) -> list[Any]:
    if not isinstance(given, list) or not given:
        raise CaseError(f"{place} is a list that is not empty")
    return given


def _text(given: Any, place: str) -> Text:
    found = _fields(given, place, set(_LANGUAGES))
    if any(not isinstance(found[name], str) or not found[name].strip() for name in _LANGUAGES):
        raise CaseError(f"{place}: a text is empty or is none")
    return Text(found["zh"].strip(), found["en"].strip())


def texts_of(case: Case) -> Iterator[tuple[str, Text]]:
    """Every text with its place."""
    yield from (("title", case.title), ("opening", case.opening))
    for at, step in enumerate(case.steps, 1):
        yield from ((f"step {at}", text) for text in (step.title, step.evidence, step.ask))
        for choice in step.choices:
            said = (choice.text, choice.consequence, choice.reason)
            yield from ((f"step {at}, {choice.key}", text) for text in said)
    yield from (("debrief", case.debrief_title), ("debrief", case.debrief))


def faults(case: Case) -> Iterator[str]:
    """What is wrong in the texts: formulas, live numbers, and what one language has and the other has not."""
    for place, text in texts_of(case):
        for language, words in (("zh-hans", text.zh), ("en", text.en)):
            yield from (f"{place} ({language}): {one.message}" for one in check(case.lets + words, language))
        yield from (f"{place}: {difference}" for difference in differences(text.zh, text.en))


def faults_in(path: Path) -> Iterator[str]:
    """Everything that is wrong in a file, none where there is no file."""
    if not path.exists():
        return
    try:
        case = read_case(path.read_text(encoding="utf-8"))
    except (CaseError, yaml.YAMLError, AttributeError) as error:
        yield str(error)
        return
    yield from faults(case)
