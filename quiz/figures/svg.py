"""SVG as safe text: every attribute and every text is escaped, nothing can carry a style or a script."""

from __future__ import annotations

import re
from html import escape

NAME = re.compile(r"[a-z][a-zA-Z0-9-]*\Z")
FORBIDDEN = ("style", "href")


def number(value: float) -> str:
    """A coordinate with at most two decimals: `12`, `12.5`, `-0.25`."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *children: str, text: str = "", **attributes: str | float) -> str:
    """One element. `children` are finished markup, `text` is escaped.

    Attribute names are written with `_` for `-` and a trailing `_` where Python needs one (`class_`).
    Raises ValueError for a name that is not plain, a `style`, a link or an event handler.
    """
    parts = []
    for key, value in attributes.items():
        name = key.rstrip("_").replace("_", "-")
        if name == "viewbox":
            name = "viewBox"
        if not NAME.match(name) or name in FORBIDDEN or name.startswith("on"):
            raise ValueError(f"not an attribute for a figure: {name}")
        parts.append(f' {name}="{escape(value if isinstance(value, str) else number(value))}"')
    return f"<{tag}{''.join(parts)}>{escape(text)}{''.join(children)}</{tag}>"
