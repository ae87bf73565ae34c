"""A whole run of auto-check: open, count, judge, write; all or nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from quiz.grading.autocheck.decoding import check_decodes, encoding_of
from quiz.grading.autocheck.jsonlines import JsonLines
from quiz.grading.autocheck.pooling import judge_rows, processes_for
from quiz.grading.autocheck.tables import Table

JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
Source = Table | JsonLines
Progress = Callable[[int], object]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to run: `language` of the reasons, `processes` (None: as many as pay), the encoding of files
    without a byte order mark, and the format ("csv", "jsonl"; None: by the file's name and first
    character).
    """

    language: str = "zh-hans"
    processes: int | None = None
    encoding: str | None = None
    format: str | None = None


def open_source(path: Path, options: Options) -> Source:
    """The file, checked to decode. OSError when it cannot be opened, Refusal when it is not text."""
    encoding = encoding_of(path, options.encoding)
    check_decodes(path, encoding)
    wanted = options.format or ("jsonl" if _looks_like_json(path, encoding) else "csv")
    return JsonLines(path, encoding) if wanted == "jsonl" else Table(path, encoding)


def _looks_like_json(path: Path, encoding: str) -> bool:
    if path.suffix.lower() in JSON_ENDINGS:
        return True
    with path.open(encoding=encoding) as stream:
        return stream.readline().lstrip().startswith("{")


def run(source: Source, total: int, stream: TextIO, options: Options, advance: Progress) -> Counter[str]:
    """Judge every row into `stream` and return how often each verdict was given; `advance(1)` after each row.

    `total` is `source.count()`, taken before anything is written: a file that cannot be split is
    refused whole.
    """
    counts: Counter[str] = Counter()
    source.start(stream)
    for row, judgement in judge_rows(source.rows(), processes=processes_for(total, options.processes)):
        source.write(stream, row, judgement, options.language)
        counts[judgement.verdict] += 1
        advance(1)
    return counts


@contextmanager
def replacing(path: Path, encoding: str) -> Iterator[TextIO]:
    """A text stream that becomes `path` only when the block ends well; until then `path` is as it was.

    What is no ordinary file (a device, a pipe) is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding=encoding, newline="") as stream:
            yield stream
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("w", encoding=encoding, newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
