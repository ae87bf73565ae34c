"""Articles of a whole in one piece of HTML: ids and links that stay inside it.

Every id and every reference to one is put into the namespace of its article (`zh-7.9-code`), so that texts
of both languages can stand in one file. A link to a page of the site leads to the article of that page; where
there is none in the piece, its words stay.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

_ID = re.compile(r'\b(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)
_HREF = re.compile(r'\bhref="([^"#]*)(?:#([^"]*))?"')
_FOR_A_SITE = re.compile(
    r'<details class="copies[^>]*>.*?</details>|\s*<a class="anchor[^>]*>#</a>', re.DOTALL
)
_PLACES = (
    (re.compile(r"/chapter/start/oom/"), "case"),
    (re.compile(r"/chapter/([\w.]+)/"), "{}"),
    (re.compile(r"/bank/(\d+)/"), "q{}"),
    (re.compile(r"/chapter/"), "front"),
    (re.compile(r"/bank/"), "bank"),
    (re.compile(r"/glossary/"), "terms"),
)


@dataclass(frozen=True, kw_only=True)
class Namespace:
    """`prefix` tells the languages apart; `articles` are the names of all that stand in the piece."""

    prefix: str
    articles: Set[str]

    def article(self, name: str, html: str) -> str:
        """The HTML of one article with its name as its id, nothing left that needs a site around it."""
        inside = _FOR_A_SITE.sub("", html)
        inside = _ID.sub(lambda m: f'{m[1]}="{self._ids(name, m[2])}"', inside)
        inside = _REFERENCE.sub(lambda m: f"url(#{self._ids(name, m[1])})", inside)
        inside = _LINK.sub(lambda m: self._link(name, m), inside)
        return f'<article id="{self.prefix}-{name}" class="volume-{_kind(name)}">\n{inside}\n</article>'

    def _ids(self, name: str, ids: str) -> str:
        return " ".join(f"{self.prefix}-{name}-{one}" for one in ids.split())

    def _link(self, name: str, match: re.Match[str]) -> str:
        attributes, words = match[1], match[2]
        found = _HREF.search(attributes)
        if found is None or found[1].startswith("http"):
            return match[0]
        target = name if not found[1] else self._place(found[1])
        if target is None:
            return words
        anchor = f"-{found[2]}" if found[2] else ""
        address = f'href="#{self.prefix}-{target}{anchor}"'
        return f"<a{attributes.replace(found[0], address)}>{words}</a>"

    def _place(self, path: str) -> str | None:
        for pattern, name in _PLACES:
            match = pattern.fullmatch(path)
            if match:
                found = name.format(*match.groups())
                return found if found in self.articles else None
        return None


def _kind(name: str) -> str:
    return "question" if re.fullmatch(r"q\d+", name) else "section" if re.fullmatch(r"[\d.]+", name) else name
