"""Every page is well-formed: closed in order, no name twice, nothing that points nowhere, nothing empty."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.test import Client

from quiz.exercises.registry import all_families

VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
NEVER_EMPTY = frozenset(
    ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "a", "button", "dt", "dd", "figcaption", "legend",
     "label", "summary", "caption")
)  # fmt: skip
INTERACTIVE = frozenset(("a", "button", "label", "summary"))
POINTING = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "list", "aria-owns")
TOLD = ("aria-label", "alt", "title")
# Filled by a script, or by the next answer of the server.
LATER = ("aria-live", "role", "data-", "hidden")


class Page(HTMLParser):
    """Faults in the order in which they are found."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.ids: set[str] = set()
        self.pointed: list[tuple[str, str]] = []
        self.open: list[tuple[str, bool, bool]] = []  # tag, whether it may be empty, whether it has content
        self.feed(html)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag, *_ in self.open]
        self.faults += [f"{name} points nowhere" for name, ident in self.pointed if ident not in self.ids]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if len(told) < len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        if ident := told.get("id"):
            if ident in self.ids:
                self.faults.append(f"id {ident!r} twice")
            self.ids.add(ident)
        for name in POINTING:
            self.pointed += [(f'{name}="{ident}"', ident) for ident in (told.get(name) or "").split()]
        if any(told.get(name) for name in TOLD) or tag in ("input", "svg", "math", "select", "textarea"):
            self._fill()
        inside = [name for name, *_ in self.open]
        if tag in INTERACTIVE and any(name in INTERACTIVE for name in inside):
            self.faults.append(f"<{tag}> within {'/'.join(name for name in inside if name in INTERACTIVE)}")
        if tag not in VOID:
            later = any(name.startswith(LATER) for name in told)
            self.open.append((tag, later or tag not in NEVER_EMPTY, bool(told.get("aria-label"))))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            at = self.open[-1][0] if self.open else "nothing"
            self.faults.append(f"</{tag}> closes {at}")
            return
        _, may_be_empty, filled = self.open.pop()
        if not filled and not may_be_empty:
            self.faults.append(f"<{tag}> is empty, in {'/'.join(name for name, *_ in self.open[-4:])}")

    def handle_data(self, data: str) -> None:
        if data.strip():
            self._fill()

    def _fill(self) -> None:
        self.open = [(tag, may_be_empty, True) for tag, may_be_empty, _ in self.open]


ADDRESSES = (
    "/", "/about/", "/desk/", "/search/?q=softmax", "/search/?q=zzzz", "/bank/", "/chapter/",
    "/chapter/start/", "/chapter/start/oom/", "/glossary/", "/exercises/", "/me/", "/lab/", "/lab/compare/",
    "/accounts/login/", "/nowhere/",
)  # fmt: skip

WHOLE = ("/bank/export/", "/bank/print/")
OF_THE_CONTENT = (
    *(f"/chapter/7.{n}/" for n in range(1, 25)),
    *(f"/bank/{n}/" for n in range(1, 40)),
    *(f"/exercises/{family.slug}/" for family in all_families()),
)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "addresses"),
    [
        pytest.param("zh-hans", (*ADDRESSES, *OF_THE_CONTENT), id="zh-hans"),
        pytest.param("en", ADDRESSES, id="en"),
        pytest.param("en", (*WHOLE, *OF_THE_CONTENT), id="content-en", marks=pytest.mark.prove),
    ],
)
def test_every_page_is_well_formed(
    client: Client, bank: None, language: str, addresses: tuple[str, ...]
) -> None:
    client.cookies["language"] = language
    faults = {}
    for address in addresses:
        found = Page(client.get(address, follow=True).content.decode()).faults
        if found:
            faults[address] = found
    assert faults == {}


@pytest.mark.parametrize(
    ("html", "faults"),
    [
        ("<p>a<br>b</p>", []),
        ("<p><em> </em></p>", ["<p> is empty, in "]),
        ('<p hidden></p><p aria-live="polite"></p><a href="/" aria-label="x"></a><a><img alt="x"></a>', []),
        ('<a><img alt=""></a>', ["<a> is empty, in "]),
        ("<p><b>a</p></b>", ["</p> closes b", "<p> is never closed"]),
        ('<p id="a">1</p><p id="a">2</p>', ["id 'a' twice"]),
        ('<p id="a">1</p><p aria-describedby="a b">2</p>', ['aria-describedby="b" points nowhere']),
        ("<a>1 <button>2</button></a>", ["<button> within a"]),
        ('<p class="a" class="b">1</p>', ["<p> has an attribute twice"]),
    ],
)
def test_each_fault_is_found(html: str, faults: list[str]) -> None:
    assert Page(html).faults == faults
