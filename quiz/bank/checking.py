"""What is wrong in a Markdown text, with its line: for the sync of shipped files and for the admin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quiz.bank.blocks import BLOCKS, BlockError, Setting
from quiz.bank.cleaning import is_address
from quiz.bank.defining import Names, defined, is_let, scopes
from quiz.bank.glossary import glossary
from quiz.bank.highlighting import FRAGMENT, LANGUAGES
from quiz.bank.mathml import FormulaError, mathml, unknown_styles
from quiz.bank.numbers import NONE, filled, written
from quiz.bank.scanning import Piece, scan
from quiz.expressions import ExpressionError

_HTML = re.compile(r"(?<!\\)<(?!https?://)[a-zA-Z/!][^>\n]*>")
_IMAGE = re.compile(r"!\[[^\]\n]*\]\(")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*<?([^)\s>]*)")
_LONE_DOLLAR = re.compile(r"(?<![\\\w])\$(?=[A-Za-z\\{])")
_TERM = re.compile(r"\[\[[A-Za-z_|\s][^\]\n]*\]?\]?")
_LIST_WITHOUT_GAP = re.compile(
    r"^(?![-*+>|#] |\d+\. |[ \t])[^\n]*\S[^\n]*\n(?=(?:[-*+]|\d{1,2}\.) \S)", re.MULTILINE
)


@dataclass(frozen=True)
class Problem:
    """Something an author must put right. `line` counts from 1 in the text."""

    line: int
    message: str


def check(text: str, language: str = "zh-hans", names: Names = NONE) -> tuple[Problem, ...]:
    """Every problem of a text, in order: wrong formulas, numbers, links, blocks, fences; HTML too.

    `names` are those that a text around this one gave.
    """
    text = text.replace("\r\n", "\n")
    pieces = scan(text)
    found = [
        problem
        for piece, known in zip(pieces, scopes(pieces, names), strict=True)
        for problem in _problems(piece, known, language)
    ]
    found += [
        Problem(_line(text, match.end()), "a list needs a blank line before it")
        for match in _LIST_WITHOUT_GAP.finditer(_without_fences(text))
    ]
    return tuple(sorted(set(found), key=lambda problem: (problem.line, problem.message)))


def _problems(piece: Piece, names: Names, language: str) -> Iterator[Problem]:
    try:
        match piece.kind:
            case "formula":
                yield from _of_formula(piece, names)
            case "number":
                written(piece.content, names)
            case "fence":
                yield from _of_fence(piece, names, language)
            case "term":
                if glossary() and piece.content not in glossary():  # without a glossary terms are words
                    yield Problem(piece.line, f"the glossary has no {piece.content!r}")
            case "text":
                yield from _of_text(piece)
    except FormulaError as error:
        yield Problem(piece.line, f"{error} in {_short(piece.source)}")
    except ExpressionError as error:
        yield Problem(piece.line, f"live number: {error} in {_short(piece.source)}")


def _of_formula(piece: Piece, names: Names) -> Iterator[Problem]:
    latex, display = filled(piece.content, names), piece.info == "display"
    mathml(latex, display=display)
    for style in unknown_styles(latex, display=display):
        yield Problem(piece.line, f"formula: the style {style!r} has no class in {_short(piece.source)}")


def _of_fence(piece: Piece, names: Names, language: str) -> Iterator[Problem]:
    name, _, argument = piece.info.partition(" ")
    if not piece.closed:
        yield Problem(piece.line, "the code block is not closed")
    if name in BLOCKS:
        yield from _of_block(piece, names, language)
    elif name and name not in LANGUAGES:
        yield Problem(piece.line, f"the code language {name!r} is not known: {', '.join(LANGUAGES)}")
    elif argument and piece.info != FRAGMENT:
        yield Problem(piece.line, f"{piece.info!r}: only python can be followed by a word, fragment")


def _of_block(piece: Piece, names: Names, language: str) -> Iterator[Problem]:
    """What is wrong in a block; of a let fence every line, of a box everything inside."""
    name, _, argument = piece.info.partition(" ")
    inside: list[Problem] = []

    def looked_at(source: str) -> str:
        inside.extend(check(source, language, names))
        return ""

    setting = Setting(
        language=language, names=names, slug="check", argument=argument.strip(), markdown=looked_at
    )
    if argument and not BLOCKS[name].takes_argument:
        yield Problem(piece.line, f"nothing follows {name} on its line")
    try:
        BLOCKS[name].html(piece.content, setting)
    except BlockError as error:
        yield Problem(piece.line + error.line, f"{name}: {error.message}")
    if is_let(piece):
        for wrong in defined(piece.content, names)[1]:
            yield Problem(piece.line + wrong.line, f"{name}: {wrong.message}")
    for problem in inside:
        yield Problem(piece.line + problem.line, problem.message)


def _of_text(piece: Piece) -> Iterator[Problem]:
    def at(match: re.Match[str]) -> int:
        return piece.line + piece.source.count("\n", 0, match.start())

    for match in _HTML.finditer(piece.source):
        yield Problem(at(match), f"HTML is shown as text: {_short(match[0])}")
    for match in _IMAGE.finditer(piece.source):
        yield Problem(at(match), "images are not supported")
    for match in _LONE_DOLLAR.finditer(piece.source):
        yield Problem(at(match), "a dollar sign opens no formula; a plain one is written \\$")
    for match in _TERM.finditer(piece.source):
        yield Problem(at(match), f"{_short(match[0])} is no link to the glossary: [[slug]] or [[slug|words]]")
    for match in _LINK.finditer(piece.source):
        if not is_address(match[1]):
            yield Problem(at(match), f"the link leads to {match[1]!r}: only http, https and this site")


def _without_fences(text: str) -> str:
    """The text with the lines of its fences blanked, so that lines still count."""
    shown = ((p, "\n" * (p.source.count("\n") + 1)) for p in scan(text))
    return "".join(blank if piece.kind == "fence" else piece.source for piece, blank in shown)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _short(source: str, width: int = 60) -> str:
    source = " ".join(source.split())
    return source if len(source) <= width else source[: width - 1] + "…"
