"""Rendered texts of the chapter and the bank, kept for every process by their content, language and code.

A text is rendered once for a version of the code: then it lies in the "rendered" cache (files, so that the
processes of a site share it without a server) and, while it is asked for, in this process's memory. A cache
that cannot be read or written costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

from django.core.cache import caches
from django.http import HttpResponse
from django.utils.safestring import SafeString, mark_safe

from quiz.bank import glossary, listings
from quiz.bank.markup import render

CACHE = "rendered"
_ROOT = Path(__file__).resolve().parent.parent.parent
_ROOMS = (  # what a rendering depends on
    "attention_core", "quiz/bank", "quiz/exercises", "quiz/expressions", "quiz/figures", "quiz/locale",
    "quiz/templatetags", "templates",
)  # fmt: skip
_KINDS = {".py", ".html", ".mo"}
_LIBRARIES = ("markdown", "math-core", "pygments", "nh3", "numpy")


@lru_cache(maxsize=1024)
def rendered(text: str, language: str) -> SafeString:
    """`markup.render`, kept."""
    html = kept("html", text, language, make=lambda: render.__wrapped__(text, language))
    return mark_safe(html)  # noqa: S308 (from render alone)


def kept(*key: str, make: Callable[[], str]) -> str:
    """What was made before under this key by this version of the code, else what `make` makes now."""
    mark = hashlib.sha256("\0".join((code_mark(), *key)).encode()).hexdigest()
    with contextlib.suppress(OSError):
        found = caches[CACHE].get(mark)
        if isinstance(found, str):
            return str(found)
    made = str(make())
    with contextlib.suppress(OSError):
        caches[CACHE].set(mark, made)
    return made


def share(response: HttpResponse, text: str) -> HttpResponse:
    """Say that the answer holds this text, which other answers hold too: it is compressed once for all."""
    response.shared = text.encode()  # type: ignore[attr-defined]  # read by CompressionMiddleware
    return response


@cache
def code_mark() -> str:
    """The version of everything that a rendering depends on: our code, the glossary, outputs, libraries."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}".encode())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for room in _ROOMS:
        yield from sorted(path for path in (_ROOT / room).rglob("*") if path.suffix in _KINDS)
    yield from (path for name in (glossary.FILE, listings.FILE) if (path := glossary.CONTENT / name).exists())
