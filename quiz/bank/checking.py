"""What is wrong in a Markdown text, with its line: for the sync of shipped files and for the admin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quiz.bank.blocks import BLOCKS
from quiz.bank.cleaning import is_address
from quiz.bank.highlighting import LANGUAGES
from quiz.bank.mathml import FormulaError, mathml, unknown_styles
from quiz.bank.numbers import filled, written
from quiz.bank.scanning import Piece, scan
from quiz.expressions import ExpressionError

_HTML = re.compile(r"(?<!\\)<(?!https?://)[a-zA-Z/!][^>\n]*>")
_IMAGE = re.compile(r"!\[[^\]\n]*\]\(")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*<?([^)\s>]*)")
_LONE_DOLLAR = re.compile(r"(?<![\\\w])\$(?=[A-Za-z\\{])")
_LIST_WITHOUT_GAP = re.compile(
    r"^(?![-*+>|#] |\d+\. |[ \t])[^\n]*\S[^\n]*\n(?=(?:[-*+]|\d{1,2}\.) \S)", re.MULTILINE
)


@dataclass(frozen=True)
class Problem:
    """Something an author must put right. `line` counts from 1 in the text."""

    line: int
    message: str


def check(text: str) -> tuple[Problem, ...]:
    """Every problem of a text, in order: wrong formulas, numbers, links, fences; HTML too."""
    text = text.replace("\r\n", "\n")
    found = [problem for piece in scan(text) for problem in _problems(piece)]
    found += [
        Problem(_line(text, match.end()), "a list needs a blank line before it")
        for match in _LIST_WITHOUT_GAP.finditer(_without_fences(text))
    ]
    return tuple(sorted(set(found), key=lambda problem: (problem.line, problem.message)))


def _problems(piece: Piece) -> Iterator[Problem]:
    try:
        match piece.kind:
            case "formula":
                yield from _of_formula(piece)
            case "number":
                written(piece.content)
            case "fence":
                yield from _of_fence(piece)
            case "text":
                yield from _of_text(piece)
    except FormulaError as error:
        yield Problem(piece.line, f"{error} in {_short(piece.source)}")
    except ExpressionError as error:
        yield Problem(piece.line, f"live number: {error} in {_short(piece.source)}")


def _of_formula(piece: Piece) -> Iterator[Problem]:
    latex, display = filled(piece.content), piece.info == "display"
    mathml(latex, display=display)
    for style in unknown_styles(latex, display=display):
        yield Problem(piece.line, f"formula: the style {style!r} has no class in {_short(piece.source)}")


def _of_fence(piece: Piece) -> Iterator[Problem]:
    name = piece.info.partition(" ")[0]
    if not piece.closed:
        yield Problem(piece.line, "the code block is not closed")
    if name in BLOCKS:
        BLOCKS[name](piece.content)
    elif name and name not in LANGUAGES:
        yield Problem(piece.line, f"the code language {name!r} is not known: {', '.join(LANGUAGES)}")


def _of_text(piece: Piece) -> Iterator[Problem]:
    def at(match: re.Match[str]) -> int:
        return piece.line + piece.source.count("\n", 0, match.start())

    for match in _HTML.finditer(piece.source):
        yield Problem(at(match), f"HTML is shown as text: {_short(match[0])}")
    for match in _IMAGE.finditer(piece.source):
        yield Problem(at(match), "images are not supported")
    for match in _LONE_DOLLAR.finditer(piece.source):
        yield Problem(at(match), "a dollar sign opens no formula; a plain one is written \\$")
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
