"""LaTeX written out in plain characters: fractions, roots, powers, products; matrices as rows of cells.

A matrix environment becomes lines whose cells stand between `&`, which `tables` reads. What is not known is
refused by name, so that no command is dropped silently.
"""

from __future__ import annotations

import re

from quiz.exercises.reading.folding import NO_BREAK
from quiz.exercises.reading.reasons import Unreadable

CELL = "&"
DEEPEST_GROUPS = 30

_BEGIN = re.compile(r"\\begin\s*\{(?:[pbB]?matrix|smallmatrix|array)\*?\}(?:\s*\{[lcr|\s]*\})?")
_END = re.compile(r"\\end\s*\{(?:[pbB]?matrix|smallmatrix|array)\*?\}")
_ROW_END = re.compile(r"\\\\(?:\s*\[[^\]]{0,20}\])?|\\cr(?![a-zA-Z])")
_ELIDED = re.compile(r"\\[cvld]?dots[a-z]?(?![a-zA-Z])")
_DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|limits|[bB]igg?[lr]?)(?![a-zA-Z])|\\[()\[\]]|\\hline(?![a-zA-Z])"
)
_SPACES = re.compile(r"\\(?:quad|qquad|enspace)(?![a-zA-Z])|\\ ")
_THIN = re.compile(r"\\[,;:!>]|\{,\}")
_FONT = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|operatorname|text|textrm|boldsymbol|mbox)\*?\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*([0-9])\s*([0-9])(?![0-9])")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_SHORT_ROOT = re.compile(r"\\sqrt\s*([0-9])(?![0-9.,])")
_POWER = re.compile(r"\^\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)?", re.DOTALL)
_SYMBOLS = {
    "times": "*",
    "cdot": "*",
    "ast": "*",
    "div": "/",
    "pi": "π",
    "infty": "∞",
    "exp": " exp",
    "ln": " ln",
    "log": " log",
    "approx": "≈",
    "%": "%",
    "{": "{",
    "}": "}",
    "lbrack": "[",
    "rbrack": "]",
    "_": "_",
}


def without_latex(text: str) -> str:
    """`text` in plain characters; unchanged when it has no command and no group."""
    if not any(mark in text for mark in ("\\", "^", "{,}")):
        return text
    if _ELIDED.search(text):
        raise Unreadable("elided", _ELIDED.findall(text)[0])
    text = _environments(text)
    text = _DROPPED.sub(" ", text)
    text = _THIN.sub(lambda found: "'" if found.group() == "{,}" else NO_BREAK, text)
    text = _SPACES.sub(" ", text)
    text = _groups(text)
    return _COMMAND.sub(_symbol, text)


def _environments(text: str) -> str:
    """Rows of a matrix environment as lines; text beside the environment stays, to be refused later."""
    begins, ends = list(_BEGIN.finditer(text)), list(_END.finditer(text))
    if not begins and not ends:
        return text
    if len(begins) != len(ends) or begins[0].end() > ends[0].start():
        raise Unreadable("unbalanced", "\\end" if len(ends) > len(begins) else "\\begin")
    if len(begins) > 1:
        raise Unreadable("several", "\\begin … \\begin")
    inside = text[begins[0].end() : ends[0].start()]
    beside = _DROPPED.sub("", text[: begins[0].start()] + text[ends[0].end() :]).strip()
    if beside.strip("()[] "):
        raise Unreadable("after", beside)
    rows = [row for row in _ROW_END.split(inside) if row.strip()]
    return "\n".join(row.replace("\n", " ") + CELL for row in rows)


def _groups(text: str) -> str:
    """Fractions, roots and powers from the innermost outward."""
    for _ in range(DEEPEST_GROUPS):
        before = text
        text = _FONT.sub(r"\1", text)
        text = _POWER.sub(r"^(\1)", text)
        text = _ROOT.sub(r"√(\1)", text)
        text = _SHORT_ROOT.sub(r"√\1", text)
        text = _SHORT_FRACTION.sub(r"((\1)/(\2))", text)
        text = _FRACTION.sub(r"((\1)/(\2))", text)
        if text == before:
            return text
    raise Unreadable("too_deep", str(DEEPEST_GROUPS))


def _symbol(found: re.Match[str]) -> str:
    name = found.group()[1:]
    if name not in _SYMBOLS:
        raise Unreadable("latex", found.group())
    return _SYMBOLS[name]
