"""A formula as one line of text: for page titles, the terminal, spreadsheets, and browsers without MathML:
`√d_k`, `QKᵀ/√d_k`.

Written from the MathML tree, so that it knows exactly the commands that the pages know.
"""

from __future__ import annotations

import unicodedata
from xml.etree.ElementTree import Element

from quiz.bank.latex import FormulaError, tree_of

_SUPERSCRIPTS = str.maketrans("0123456789+−-()n⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿᵀ")
_RAISED = set("0123456789+−-()n⊤")
_SIGNS = ("+", "−", "±")
_SPACED = set("=≠≈≡<>≤≥∈∉⊂⊆→←↦⇒⇔∝+±−×⊙⊕·∘≪≫∼")


def linear(latex: str) -> str:
    """The formula in readable Unicode; FormulaError where it cannot be read.

    >>> linear(r"\\frac{QK^\\top}{\\sqrt{d_k}}")
    'QKᵀ/√d_k'
    """
    return in_one_line(tree_of(latex))


def in_one_line(tree: Element) -> str:
    """The same of a tree of MathML."""
    try:
        written = _written(tree)
    except RecursionError:
        raise FormulaError("formula: nested too deeply") from None
    return " ".join(written.split())


def _written(element: Element) -> str:
    children = list(element)
    text = _plain_letters(element.text or "")
    match element.tag:
        case "mo":
            return " " if text == "" and element.get("lspace") else f" {text} " if text in _SPACED else text
        case "mi" | "mn" | "mtext" | "ms":
            return text + "".join(_written(child) for child in children)
        case "mspace":
            return " " if element.get("width", "") not in ("", "0") else ""
        case "mphantom":
            return ""
        case "mfrac":
            return "/".join(_grouped(child) for child in children)
        case "msqrt":
            return f"√{_grouped_text(_row(children))}"
        case "mroot":
            return f"{_grouped(children[1])}√{_grouped(children[0])}"
        case "mtable":
            return f"[{'; '.join(_written(row) for row in children)}]"
        case "mtr":
            return ", ".join(_written(cell).strip() for cell in children)
        case _:
            return _with_scripts(element, children)


def _with_scripts(element: Element, children: list[Element]) -> str:
    match element.tag, children:
        case "munder", [body, _] if element.get("accentunder") == "true":
            return _written(body)
        case "msub" | "munder", [body, below]:
            return f"{_written(body).strip()}{_below(below)}"
        case "msup", [body, above]:
            return f"{_grouped(body)}{_above(above)}"
        case "mover", [body, above] if element.get("accent") == "true":
            return f"{_written(body)}{_written(above).strip()}"
        case "mover", [body, above]:
            return f"{_written(body).strip()}{_above(above)}"
        case "msubsup" | "munderover", [body, below, above]:
            return f"{_written(body).strip()}{_below(below)}{_above(above)}"
    return _row(children)


def _row(children: list[Element]) -> str:
    """The children side by side; a table that stands in brackets of its own gets no others."""
    written = ""
    for before, child in zip([None, *children], children, strict=False):
        text = _written(child)
        if child.tag == "mtable" and before is not None and before.tag == "mo":
            text = text[1:-1]
        elif child.tag == "mo" and text.strip() in _SIGNS and _opens(before):
            text = text.strip()
        written += text
    return written


def _opens(before: Element | None) -> bool:
    """Whether what follows begins a term, so that its sign is no operation."""
    return before is None or (before.tag == "mo" and (before.text or "") not in (")", "]", "|", "‖"))


def _below(element: Element) -> str:
    text = _written(element).replace(" ", "")
    return f"_{text}" if text.isalnum() else f"_({text})"


def _above(element: Element) -> str:
    text = _written(element).replace(" ", "")
    if text and set(text) <= _RAISED:
        return text.translate(_SUPERSCRIPTS)
    if set(text) <= {"′", "∗", "*"}:
        return text
    return f"^{text}" if text.isalnum() else f"^({text})"


def _grouped(element: Element) -> str:
    return _grouped_text(_written(element))


def _grouped_text(text: str) -> str:
    """In brackets when it would fall apart beside an operator."""
    text = text.strip()
    apart = any(symbol in text for symbol in (" ", "/")) and not (text[0] in "([" and text[-1] in ")]")
    return f"({text})" if apart else text


def _plain_letters(text: str) -> str:
    """Letters of the mathematical alphabets as plain ones; invisible operators dropped."""
    shown = [
        unicodedata.normalize("NFKC", character) if 0x1D400 <= ord(character) <= 0x1D7FF else character
        for character in text
    ]
    return "".join(character for character in shown if not 0x2061 <= ord(character) <= 0x2064)
