"""The glossary: terms in both languages with what they mean, and the links that texts make to them.

`content/glossary.yaml` is a list; each entry has a slug, its name in both languages and a definition in both:

    - slug: query
      zh: 查询（Query）
      en: query
      definition:
        zh: 一个 token 拿去和各个 key 比较的向量。
        en: The vector with which a token is compared to every key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

CONTENT = Path(__file__).resolve().parent / "content"
FILE = "glossary.yaml"
ADDRESS = "/glossary/"
_SLUG = re.compile(r"[a-z][a-z0-9_]*")
_LANGUAGES = ("zh", "en")


@dataclass(frozen=True, kw_only=True)
class Term:
    """One entry; the definitions are Markdown of one paragraph."""

    slug: str
    zh: str
    en: str
    definition_zh: str
    definition_en: str
    line: int  # where it stands in the file

    def name(self, language: str) -> str:
        return self.zh if language.lower().startswith("zh") else self.en

    def definition(self, language: str) -> str:
        return self.definition_zh if language.lower().startswith("zh") else self.definition_en


@dataclass(frozen=True)
class Fault:
    """What is wrong with the glossary, at a line."""

    line: int
    message: str


@lru_cache(maxsize=1)
def glossary() -> Mapping[str, Term]:
    """The shipped terms by slug, in the order of the file; empty where there is no file. A process reads
    them once."""
    path = CONTENT / FILE
    if not path.exists():
        return {}
    terms, _ = read_glossary(path.read_text(encoding="utf-8"))
    return {term.slug: term for term in terms}


def read_glossary(text: str) -> tuple[tuple[Term, ...], tuple[Fault, ...]]:
    """The terms that can be read, and everything that is wrong."""
    faults: list[Fault] = []
    terms: dict[str, Term] = {}
    try:
        entries = list(_entries(text, faults))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        faults.append(Fault((mark.line if mark else 0) + 1, f"YAML: {error.problem or error.context}"))
        entries = []
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return (), (Fault(1, f"YAML: {error}"),)
    for line, entry in entries:
        term = _term(line, entry, faults)
        if term is not None and term.slug in terms:
            faults.append(Fault(line, f"{term.slug!r} is there twice"))
        elif term is not None:
            terms[term.slug] = term
    return tuple(terms.values()), tuple(faults)


def _entries(text: str, faults: list[Fault]) -> Iterator[tuple[int, Any]]:
    loader = yaml.SafeLoader(text)
    node = loader.get_single_node()
    if not isinstance(node, yaml.SequenceNode):
        faults.append(Fault(1, "the glossary is a list of entries, each with slug, zh, en, definition"))
        return
    for item in node.value:
        yield item.start_mark.line + 1, loader.construct_object(item, deep=True)


def _term(line: int, entry: Any, faults: list[Fault]) -> Term | None:
    if not isinstance(entry, dict) or set(entry) != {"slug", *_LANGUAGES, "definition"}:
        faults.append(Fault(line, "an entry has slug, zh, en and definition, and nothing else"))
        return None
    definition = entry["definition"]
    if not isinstance(definition, dict) or set(definition) != set(_LANGUAGES):
        faults.append(Fault(line, "a definition has zh and en"))
        return None
    texts = [entry[name] for name in ("slug", *_LANGUAGES)] + [definition[name] for name in _LANGUAGES]
    if any(not isinstance(text, str) or not text.strip() for text in texts):
        faults.append(Fault(line, "something is empty, or not a text (put it in quotes)"))
        return None
    slug, zh, en, definition_zh, definition_en = (" ".join(text.split()) for text in texts)
    if not _SLUG.fullmatch(slug):
        faults.append(Fault(line, f"the slug {slug!r} is not small letters, digits and _"))
        return None
    return Term(slug=slug, zh=zh, en=en, definition_zh=definition_zh, definition_en=definition_en, line=line)
