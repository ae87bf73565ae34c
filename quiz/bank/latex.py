"""LaTeX to a checked tree of MathML, for whoever writes it: as markup (`mathml`) or as a line (`linear`).

math-core writes the MathML; elements and attributes outside the lists are refused.
"""

from __future__ import annotations

import re
from html.entities import html5
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

_NAMED = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)(\w+;)")
MAX_LENGTH = 2000  # characters of one formula

ELEMENTS = {
    "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msub", "msup", "msubsup", "munder", "mover",
    "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mpadded", "mphantom", "menclose",
    "mmultiscripts", "mprescripts",
}  # fmt: skip
ATTRIBUTES = {
    "display", "displaystyle", "scriptlevel", "accent", "accentunder", "stretchy", "symmetric", "lspace",
    "rspace",
    "minsize", "maxsize", "width", "height", "depth", "voffset", "linethickness", "notation", "form", "fence",
    "separator", "largeop", "movablelimits", "mathvariant", "columnspan", "rowspan",
}  # fmt: skip


class FormulaError(ValueError):
    """A formula that cannot be shown as it was meant."""


def _characters(html: str) -> str:
    """HTML's named characters, such as &ApplyFunction;, as themselves; XML knows only its five."""
    return _NAMED.sub(lambda match: html5[match[1]], html)


def tree_of(latex: str, *, display: bool = False) -> ElementTree.Element:
    """A fresh tree of only known elements and attributes; FormulaError where there is none."""
    if len(latex) > MAX_LENGTH:
        raise FormulaError(f"the formula is longer than {MAX_LENGTH} characters")
    converter = LatexToMathML(fancy_error=False, allow_unreliable_rendering=True)
    try:
        written = _characters(converter.convert_with_local_state(latex, displaystyle=display))
        # What is parsed is math-core's own output: no document type, no entities of a stranger.
        tree = ElementTree.fromstring(written)  # noqa: S314
    except LatexError as error:
        raise FormulaError(f"formula: {error}") from None
    except (ElementTree.ParseError, RecursionError, KeyError):
        raise FormulaError("formula: a character or a depth that MathML cannot hold") from None
    for element in tree.iter():
        if element.tag not in ELEMENTS:
            raise FormulaError(f"formula: <{element.tag}> is not supported here")
        for name in element.attrib:
            if name != "style" and name not in ATTRIBUTES:
                raise FormulaError(f"formula: the attribute {name!r} is not supported here")
    return tree
