"""A matrix as an accessible figure: brackets in its role's colour, a caption with letter and shape.

Masked scores (−∞) are hatched, weights may wear the heat ramp, a lit row is tinted. Pure: arrays in, safe
HTML out, without one style attribute.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any, TypedDict, Unpack

from quiz.figures.copying import as_latex, as_numpy, as_torch
from quiz.figures.numerals import numeral, places_for

WIDE = 5  # columns, labels counted too, beyond which a phone scrolls the figure: by keyboard as well
LARGE = 12  # rows or columns beyond which the table is folded away
HEAT_STEPS = 20

SUBSCRIPT = re.compile(r"_\{([^{}]+)\}|_(\w+)")
SUPERSCRIPT = re.compile(r"\^\{([^{}]+)\}|\^(\w+)")

WORDS = {
    "zh-hans": {"copy": "复制 {name}", "copy_as": "复制 {name} 为 {target}", "show": "展开 {name} 的数"},
    "en": {"copy": "Copy {name}", "copy_as": "Copy {name} as {target}", "show": "Show the numbers of {name}"},
}

COPY_ICON = (
    '<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.75" aria-hidden="true">'
    '<rect x="7" y="7" width="10" height="10" rx="2"/><path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6'
    'a2 2 0 0 0 2 2h2"/></svg>'
)


class Look(TypedDict, total=False):
    """How a matrix is dressed; every key may be left out."""

    role: str  # q, k, v, s or o: whose colour the brackets and the letter wear
    note: str  # said after the shape, such as "rows = query"
    lit: int | None  # the row (from 0) the question is about
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    heat: bool  # shade by size, for weights
    copyable: bool
    language: str


def matrix(value: Any, *, name: str, **look: Unpack[Look]) -> str:
    """The figure of a matrix `(rows, columns)` or a vector, as safe HTML.

    `name` is plain text; `W_Q` and `q_{2}` print with subscripts, `K^T` with a superscript.
    """
    rows = _rows(value)
    shape = _shape(value)
    language = "zh-hans" if look.get("language", "zh-hans").lower().startswith("zh") else "en"
    role = look.get("role", "")
    copies = _copies(value, name=name, language=language) if look.get("copyable", True) else ""
    caption = f'<span class="letter">{letter(name)}</span> <span class="shape">{shape}</span>'
    if look.get("note"):
        caption += f' <span class="note">{escape(look["note"])}</span>'
    table = _table(rows, label=f"{plain_letter(name)}, {shape}", look=look)
    columns = max(len(row) for row in rows)
    is_wide = columns + bool(look.get("row_labels")) > WIDE
    region = f' tabindex="0" role="region" aria-label="{_attribute(name)}"' if is_wide else ""
    body = f'<div class="matrix-frame"{region}>{table}</div>'
    if max(len(rows), columns) > LARGE:
        summary = WORDS[language]["show"].format(name=letter(name))
        body = f"<details><summary>{summary}</summary>{body}</details>"
    classes = "matrix" + (f" role-{role}" if role else "")
    return f'<figure class="{classes}"><figcaption>{caption}{copies}</figcaption>{body}</figure>'


def letter(name: str) -> str:
    """A plain name with its sub- and superscripts as HTML: `W_Q` → `W<sub>Q</sub>`."""
    safe = escape(name)
    safe = SUBSCRIPT.sub(lambda m: f"<sub>{m[1] or m[2]}</sub>", safe)
    return SUPERSCRIPT.sub(lambda m: f"<sup>{m[1] or m[2]}</sup>", safe)


def plain_letter(name: str) -> str:
    """The same name for a label that is read out: `W_Q` → `W Q`."""
    return re.sub(r"[{}]", "", name).replace("_", " ").replace("^", " ")


def _attribute(name: str) -> str:
    return escape(plain_letter(name))


def _rows(value: Any) -> list[list[float]]:
    """Any value of up to two dimensions as rows; a vector is one row."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(listed, Sequence):
        return [[float(listed)]]
    if not any(isinstance(row, Sequence) for row in listed):
        return [list(listed)]
    return [list(row) for row in listed]


def _shape(value: Any) -> str:
    listed = value.tolist() if hasattr(value, "tolist") else value
    sizes = []
    while isinstance(listed, Sequence):
        sizes.append(str(len(listed)))
        listed = listed[0] if listed else 0
    return "×".join(sizes)


def _table(rows: list[list[float]], *, label: str, look: Look) -> str:
    names, columns = look.get("row_labels", ()), look.get("column_labels", ())
    head = ""
    if columns:
        corner = "<td></td>" if names else ""
        head = "".join(f'<th scope="col">{letter(column)}</th>' for column in columns)
        head = f"<thead><tr>{corner}{head}</tr></thead>"
    places = places_for(cell for row in rows for cell in row)
    scale = max((abs(c) for row in rows for c in row if math.isfinite(c)), default=0.0)
    body = ""
    for index, row in enumerate(rows):
        classes = ' class="lit"' if look.get("lit") == index else ""
        first = f'<th scope="row">{letter(names[index])}</th>' if names else ""
        cells = "".join(_cell(cell, places=places, scale=scale if look.get("heat") else None) for cell in row)
        body += f"<tr{classes}>{first}{cells}</tr>"
    return f'<table aria-label="{escape(label)}">{head}<tbody>{body}</tbody></table>'


def _cell(value: float, *, places: int | None, scale: float | None) -> str:
    if math.isinf(value):
        return f'<td class="masked">{numeral(value)}</td>'
    heat = ""
    if scale is not None:
        heat = f' class="h{round(HEAT_STEPS * abs(value) / scale) if scale else 0}"'
    return f"<td{heat}>{numeral(value, places=places)}</td>"


def _copies(value: Any, *, name: str, language: str) -> str:
    """A fold with buttons that copy the matrix as code; a script shows it, since it needs one."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    words = WORDS[language]
    targets = {"NumPy": as_numpy(listed), "torch": as_torch(listed), "LaTeX": as_latex(listed)}
    buttons = "".join(
        f'<button type="button" data-copy="{escape(code)}"'
        f' aria-label="{words["copy_as"].format(name=_attribute(name), target=target)}">{target}</button>'
        for target, code in targets.items()
    )
    summary = f'<summary aria-label="{words["copy"].format(name=_attribute(name))}">{COPY_ICON}</summary>'
    return f'<details class="copies" hidden>{summary}<div class="copies-list">{buttons}</div></details>'
