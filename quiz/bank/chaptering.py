"""The parts of a section's body: which there are, in which order, and each by itself for the page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quiz.bank.defining import is_let
from quiz.bank.frontmatter import parts_of
from quiz.bank.scanning import scan


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A part that every section has: its key (the anchor on the page, in any language) and its headings."""

    key: str
    zh: str
    en: str

    def heading(self, language: str) -> str:
        return self.zh if language.startswith("zh") else self.en


KINDS = (
    Kind(key="intuition", zh="直觉", en="Intuition"),
    Kind(key="formula", zh="公式", en="Formula"),
    Kind(key="terms", zh="逐项拆解", en="Term by term"),
    Kind(key="shapes", zh="矩阵形状", en="Shapes"),
    Kind(key="example", zh="最小数值例", en="Smallest example"),
    Kind(key="code", zh="代码", en="Code"),
    Kind(key="misconceptions", zh="常见误区", en="Common misconceptions"),
)
FREE = ("7.24",)  # the bank's own page is built as it likes
START = "start"  # the number of the start page, which stands before the sections
START_KINDS = (
    Kind(key="goals", zh="学习目标", en="Learning goals"),
    Kind(key="half_minute", zh="30 秒总述", en="The whole in 30 seconds"),
    Kind(key="minute", zh="一分钟总述", en="The whole in one minute"),
    Kind(key="method", zh="怎么学", en="How to study"),
    Kind(key="tasks", zh="实践任务", en="Practice tasks"),
    Kind(key="architecture", zh="架构与内核边界", en="Architecture and the kernel boundary"),
    Kind(key="failures", zh="故障表", en="Failure table"),
    Kind(key="drill", zh="故障演练", en="Failure drill"),
    Kind(key="selection", zh="技术选型", en="Choosing the tools"),
)


def kinds_of(number: str) -> tuple[Kind, ...]:
    """The parts of a section, none where it is built as it likes."""
    return START_KINDS if number == START else () if number in FREE else KINDS


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a section as Markdown that stands by itself; `key` is "" under a heading of its own."""

    key: str
    heading: str
    body: str
    line: int


def opening(body: str) -> str:
    """What stands before the first `## heading`: what the section answers."""
    first = next(parts_of(body, 1, "##"), None)
    return "" if first is None or first.heading else first.content.strip()


def pieces(body: str) -> tuple[Piece, ...]:
    """The parts under `## headings`, in order; the let fences before a part travel with it."""
    keys = {heading: kind.key for kind in (*KINDS, *START_KINDS) for heading in (kind.zh, kind.en)}
    found, lets = [], ""
    for part in parts_of(body, 1, "##"):
        if part.heading:
            text = f"{lets}{part.content.strip()}"
            key = keys.get(part.heading, "")
            found.append(Piece(key=key, heading=part.heading, body=text, line=part.line))
        lets += "".join(f"{piece.source}\n\n" for piece in scan(part.content) if is_let(piece))
    return tuple(found)


def faults(body: str, language: str, kinds: Sequence[Kind] = KINDS) -> Iterator[tuple[int, str]]:
    """What is built otherwise than a section of these parts, as (line from 1, message)."""
    parts = list(parts_of(body, 1, "##"))
    if not parts or parts[0].heading or not parts[0].content.strip():
        yield 1, "the text begins with a paragraph that says what the section answers"
    elif len(re.split(r"\n\s*\n", parts[0].content.strip())) > 1:
        yield parts[0].line, "one paragraph stands before the first ## heading, and nothing else"
    headings = [kind.heading(language) for kind in kinds]
    given = [part for part in parts if part.heading]
    for part in given:
        if part.heading not in headings:
            yield part.line, f"the heading {part.heading!r}: expected ## {' or ## '.join(headings)}"
        if not part.content.strip():
            yield part.line, f"nothing stands under ## {part.heading}"
    known = [part for part in given if part.heading in headings]
    for before, after in itertools.pairwise(known):
        if headings.index(after.heading) <= headings.index(before.heading):
            yield after.line, f"## {after.heading} must stand before ## {before.heading}, and once"
    for heading in headings:
        if heading not in {part.heading for part in given}:
            yield 1, f"## {heading} is missing"
