"""Links inside the site that a text makes, and whether what they name is there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from quiz.bank.frontmatter import with_fences_blanked

_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*<?(/[^)\s>]*)")
_PLACES = (
    ("section", re.compile(r"/chapter/(\d+\.\d+)/")),
    ("question", re.compile(r"/bank/(\d+)/")),
    ("exercise family", re.compile(r"/exercises/([\w-]+)/")),
)


@dataclass(frozen=True, kw_only=True)
class Known:
    """What a link may name."""

    sections: Collection[str]
    questions: Collection[int]
    families: Collection[str]

    def has(self, kind: str, name: str) -> bool:
        match kind:
            case "section":
                return name in self.sections
            case "question":
                return int(name) in self.questions
        return name in self.families


def addresses(text: str) -> Iterator[tuple[int, str]]:
    """The addresses of this site that a text links, with their lines."""
    for match in _LINK.finditer(with_fences_blanked(text)):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def dead(text: str, known: Known) -> Iterator[tuple[int, str]]:
    """Links that name a section, question or exercise that is not there, as (line, message)."""
    for line, address in addresses(text):
        for kind, pattern in _PLACES:
            match = pattern.match(address)
            if match and not known.has(kind, match[1]):
                yield line, f"the link {address} leads nowhere: the {kind} {match[1]} does not exist"
