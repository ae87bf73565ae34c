"""`key: value` lines of a block, each with its line; an indented line goes on with the one before."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from quiz.bank.blocks.setting import BlockError

_KEY = re.compile(r"([a-z][a-z-]*):[ \t]*(.*)")


@dataclass(frozen=True)
class Entry:
    """What a key says, and the line it stands on (from 1)."""

    text: str
    line: int


def read_keys(lines: list[str], first_line: int, known: Collection[str]) -> dict[str, Entry]:
    """The entries by key; BlockError for a line without a known key or value."""
    found: dict[str, Entry] = {}
    last = ""
    for at, line in enumerate(lines, first_line):
        if not line.strip():
            continue
        if line[0] in " \t" and last:
            found[last] = Entry(f"{found[last].text} {line.strip()}".strip(), found[last].line)
            continue
        match = _KEY.fullmatch(line.rstrip())
        if match is None:
            raise BlockError(f"{line.strip()!r} is no line of `key: value`", at)
        last = match[1]
        if last not in known:
            raise BlockError(f"the key {last!r} is not known: {', '.join(known)}", at)
        if last in found:
            raise BlockError(f"the key {last!r} is given twice", at)
        found[last] = Entry(match[2], at)
    for key, entry in found.items():
        if not entry.text:
            raise BlockError(f"{key} is empty", entry.line)
    return found
