"""The list of what a page's prose may contain; nh3 removes all else.

Formulas, numbers and code are not in it: trusted code makes them, and they are put in afterwards, where no
attribute is.
"""

from __future__ import annotations

import re

import nh3

INLINE_TAGS = {"em", "strong", "code", "br"}
BLOCK_TAGS = INLINE_TAGS | {
    "p", "a", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "pre", "blockquote",
    "h2", "h3", "h4", "h5", "hr", "div",
}  # fmt: skip
CLASSES = {"scroll", "align-left", "align-right", "align-center"}
SCHEMES = {"http", "https"}
EXTERNAL = "noopener noreferrer"

# An address of this site, or a whole http(s) one. Backslashes and a leading // lead elsewhere unseen.
_ADDRESS = re.compile(r"https?://[^\s\\]+|(?:/(?![/\\])|\#|\?|[\w.-]+(?=[/?#]|$))[^\s\\:]*|/", re.IGNORECASE)
MARKS = re.compile("[\ue000-\ue00f]")


def clean(html: str, *, inline: bool) -> str:
    """Only the tags and attributes of the list, every tag closed."""
    return nh3.clean(
        html,
        tags=INLINE_TAGS if inline else BLOCK_TAGS,
        clean_content_tags={"script", "style"},
        attributes={}
        if inline
        else {"a": {"href", "rel"}, "ol": {"start"}, "div": {"class", "tabindex"}}
        | {cell: {"class"} for cell in ("th", "td")},
        attribute_filter=_kept,
        url_schemes=SCHEMES,
        link_rel=None,
    )


def is_address(href: str) -> bool:
    """Whether a link may lead there: http, https, or a place of this site."""
    return _ADDRESS.fullmatch(href) is not None


def _kept(tag: str, attribute: str, value: str) -> str | None:
    if MARKS.search(value):
        return None
    match attribute:
        case "href":
            return value if is_address(value) else None
        case "rel":
            return value if value == EXTERNAL else None
        case "start":
            return value if re.fullmatch(r"\d{1,4}", value) else None
        case "class":
            return value if value in CLASSES else None
        case "tabindex":
            return value if value == "0" else None
    return None
