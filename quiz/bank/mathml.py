"""LaTeX to MathML that a strict page may hold.

Each declaration of a `style` that math-core writes becomes a class named by hash, with its rule in
static/css/math.css. `data-linear` holds the formula as one line, which browsers without MathML show instead.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from xml.etree import ElementTree

from quiz.bank.latex import FormulaError, tree_of
from quiz.bank.linear import in_one_line

__all__ = ["CLASSES", "DECLARATIONS", "FormulaError", "class_of", "mathml", "unknown_styles"]

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


def class_of(declaration: str) -> str:
    """The class that stands for one CSS declaration, as math.css names it."""
    return f"m-{hashlib.sha256(declaration.encode()).hexdigest()[:8]}"


LOW_ROOT = "low-root"  # Chromium leaves room beside a root for its largest sign; the stylesheet takes it back
_LOW = {"mi", "mn", "mrow", "msub", "mtext"}
CLASSES = {declaration: class_of(declaration) for declaration in DECLARATIONS}


@lru_cache(maxsize=4096)
def mathml(latex: str, *, display: bool = False) -> str:
    """The `<math>` element of a formula. A style without a class is dropped; `unknown_styles` tells which.

    Raises FormulaError for LaTeX that math-core does not know, or MathML that pages may not hold.
    """
    tree = tree_of(latex, display=display)
    tree.set("data-linear", in_one_line(tree))
    for element in tree.iter():
        style = element.attrib.pop("style", "")
        classes = [CLASSES[part] for part in _declarations(style) if part in CLASSES]
        if element.tag == "msqrt" and all(
            _is_low(inside) for inside in element.iter() if inside is not element
        ):
            classes.append(LOW_ROOT)
        if classes:
            element.set("class", " ".join(classes))
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)


def _is_low(element: ElementTree.Element) -> bool:
    """Whether it leaves a root at its smallest sign: letters, numbers and what is set below them."""
    return element.tag in _LOW or (element.tag == "mo" and (element.text or "") in "+−·/")


def unknown_styles(latex: str, *, display: bool = False) -> tuple[str, ...]:
    """The declarations of a formula that have no class: colours, or something new in math-core."""
    styles = [element.get("style", "") for element in tree_of(latex, display=display).iter()]
    return tuple(part for style in styles for part in _declarations(style) if part not in CLASSES)


def _declarations(style: str) -> list[str]:
    parts = [part.partition(":") for part in style.split(";") if part.strip()]
    return [f"{name.strip()}:{' '.join(value.split())}" for name, _, value in parts]
