"""Markdown to HTML for the part that is plain prose, with Python-Markdown cut down to what the bank needs.

No raw HTML, no images, no indented code; what stands in for formulas and code passes through untouched.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markdown.treeprocessors import Treeprocessor

from quiz.bank.cleaning import EXTERNAL, MARKS, is_address

_NOT_WANTED_INLINE = ("html", "backtick", "image_link", "image_reference", "short_image_ref", "automail")
_BLOCKS_OF_A_LINE = (
    "indent", "code", "hashheader", "setextheader", "hr", "olist", "ulist", "quote", "reference",
)  # fmt: skip
_HEADINGS = {"h1": "h2", "h6": "h5"}  # the page has its own h1


def prose(source: str, *, inline: bool) -> str:
    """HTML of the source; inline: of one line, in which a leading # or - means nothing."""
    return _reader(inline).convert(source)


def _reader(inline: bool) -> Markdown:
    extensions = [] if inline else [TableExtension(use_align_attribute=True), SaneListExtension()]
    reader = Markdown(extensions=extensions, output_format="html")
    reader.preprocessors.deregister("html_block")
    for name in _NOT_WANTED_INLINE:
        reader.inlinePatterns.deregister(name)
    for name in _BLOCKS_OF_A_LINE if inline else ("code",):
        reader.parser.blockprocessors.deregister(name)
    reader.treeprocessors.register(_Tidying(reader), "tidying", -10)
    return reader


class _Tidying(Treeprocessor):
    """Headings below the page's own, links marked, tables that scroll, and no marks inside attributes."""

    def run(self, root: Element) -> None:
        for parent in list(root.iter()):
            for at, child in enumerate(list(parent)):
                if child.tag == "table":
                    parent[at] = _scrolling(child)
        for element in root.iter():
            element.tag = _HEADINGS.get(element.tag, element.tag)
            if element.tag == "th" and not len(element) and not (element.text or "").strip():
                element.tag = "td"  # the empty corner of a table heads nothing
            _tidy_attributes(element)


def _scrolling(table: Element) -> Element:
    box = Element("div", {"class": "scroll", "tabindex": "0"})
    box.tail, table.tail = table.tail, None
    box.append(table)
    return box


def _tidy_attributes(element: Element) -> None:
    align = element.attrib.pop("align", None)
    if align:
        element.set("class", f"align-{align}")
    href = element.get("href", "")
    if element.tag == "a" and (MARKS.search(href) or not is_address(href)):
        del element.attrib["href"]
    elif href.lower().startswith("http"):
        element.set("rel", EXTERNAL)
