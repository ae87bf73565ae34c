"""LaTeX to MathML that a strict page may hold.

math-core writes the MathML. It is parsed and walked before use: elements and attributes outside the lists are
refused; each declaration of its `style` becomes a class named by hash, with its rule in static/css/math.css.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
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
# Every declaration math-core is known to write but colours and free lengths, which stay unsupported.
DECLARATIONS = (
    "text-align:left", "text-align:right", "justify-items:start", "justify-items:end",
    "padding-left:0", "padding-right:0", "padding-left:1em", "padding-top:0", "padding-bottom:0",
    "border-left:0.05em solid currentcolor", "border-right:0.05em solid currentcolor",
    "border-top:0.05em solid currentcolor", "border-bottom:0.05em solid currentcolor",
    "border-left:0.05em dashed currentcolor", "border-right:0.05em dashed currentcolor",
    "border-top:0.05em dashed currentcolor", "border-bottom:0.05em dashed currentcolor",
    "width:100%", "width:50%", "width:7.5%", "margin-left:-0.16667em", "margin-left:-0.16666667em",
)  # fmt: skip


class FormulaError(ValueError):
    """A formula that cannot be shown as it was meant."""


def class_of(declaration: str) -> str:
    """The class that stands for one CSS declaration, as math.css names it."""
    return f"m-{hashlib.sha256(declaration.encode()).hexdigest()[:8]}"


CLASSES = {declaration: class_of(declaration) for declaration in DECLARATIONS}


@lru_cache(maxsize=4096)
def mathml(latex: str, *, display: bool = False) -> str:
    """The `<math>` element of a formula. A style without a class is dropped; `unknown_styles` tells which.

    Raises FormulaError for LaTeX that math-core does not know, or MathML that pages may not hold.
    """
    tree = _tree(latex, display)
    for element in tree.iter():
        style = element.attrib.pop("style", "")
        classes = [CLASSES[part] for part in _declarations(style) if part in CLASSES]
        if classes:
            element.set("class", " ".join(classes))
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)


def unknown_styles(latex: str, *, display: bool = False) -> tuple[str, ...]:
    """The declarations of a formula that have no class: colours, or something new in math-core."""
    styles = [element.get("style", "") for element in _tree(latex, display).iter()]
    return tuple(part for style in styles for part in _declarations(style) if part not in CLASSES)


def _declarations(style: str) -> list[str]:
    parts = [part.partition(":") for part in style.split(";") if part.strip()]
    return [f"{name.strip()}:{' '.join(value.split())}" for name, _, value in parts]


def _characters(html: str) -> str:
    """HTML's named characters, such as &ApplyFunction;, as themselves; XML knows only its five."""
    return _NAMED.sub(lambda match: html5[match[1]], html)


def _tree(latex: str, display: bool) -> ElementTree.Element:
    """A fresh tree of only known elements and attributes."""
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


def tree_of(latex: str) -> ElementTree.Element:
    """The checked MathML of a formula as a tree, for whoever writes it in another form."""
    return _tree(latex, display=False)
