"""Listings that run: their code, and under it what they printed when the tests ran them.

`content/outputs.json` keeps the printed output by the digest of the code, so that a page can show only what
really came out: a changed listing has no output until it has been run again (`python -m tests.listings`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape

from quiz.bank.glossary import CONTENT
from quiz.bank.highlighting import highlighted
from quiz.bank.scanning import Piece, scan

FILE = "outputs.json"
LANGUAGE = "python"  # a fence of exactly this word runs by itself
PRINTS = {True: "输出", False: "Output"}  # by whether the text is Chinese


def digest(code: str) -> str:
    """The mark of a listing: of its lines without trailing blanks."""
    lines = "\n".join(line.rstrip() for line in code.strip("\n").split("\n"))
    return hashlib.sha256(lines.encode()).hexdigest()[:32]


@lru_cache(maxsize=1)
def outputs() -> Mapping[str, str]:
    """The printed outputs by digest; empty where there is no file. A process reads them once."""
    path = CONTENT / FILE
    found: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def listings_of(text: str) -> Iterator[Piece]:
    """The fences of a text that run by themselves."""
    for piece in scan(text):
        if piece.kind == "fence" and piece.info == LANGUAGE:
            yield piece


def listing(code: str, info: str, language: str) -> str:
    """Highlighted code; under a listing that was run, its output."""
    shown = highlighted(code, info.partition(" ")[0])
    printed = _printed(code, info)
    if printed is None:
        return shown
    label = PRINTS[language.lower().startswith("zh")]
    return (
        f'<div class="listing">{shown}<p class="output-label">{label}</p>'
        f'<pre class="output" tabindex="0"><samp>{escape(printed, quote=False)}</samp></pre></div>'
    )


def listing_text(code: str, info: str, language: str) -> str:
    printed = _printed(code, info)
    return code if printed is None else f"{code}\n{PRINTS[language.lower().startswith('zh')]}\n{printed}"


def _printed(code: str, info: str) -> str | None:
    return outputs().get(digest(code)) if info == LANGUAGE else None
