"""`manage.py autocheck FILE [--output FILE]`: a verdict on every row of a batch file. Needs no database."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from quiz.grading.autocheck.decoding import ENCODINGS
from quiz.grading.autocheck.refusing import Refusal
from quiz.grading.autocheck.running import Options, Source, open_source, replacing, run

UNREADABLE = 2  # exit code: the file could not be read
STANDARD_INPUT = "-"


class Command(BaseCommand):
    help = (
        "Judge every row of a CSV or JSON Lines file (candidate, family, seed, part, response). In the "
        "column diagnosis, a|b means either mistake, a+b both at once, slip_… a common slip, nothing a right "
        "answer or a mistake that is not known."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the file to judge; - for standard input")
        parser.add_argument("--output", help="where to write; standard output if left out")
        parser.add_argument("--language", choices=["zh-hans", "en"], default="zh-hans")
        parser.add_argument("--format", choices=["csv", "jsonl"], help="if the file's name does not tell")
        parser.add_argument("--encoding", choices=ENCODINGS, help="of a file without a byte order mark")
        parser.add_argument("--processes", type=int, help="default: the cores at hand, for large files")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Options(
            language=options["language"],
            processes=options["processes"],
            encoding=options["encoding"],
            format=options["format"],
        )
        try:
            with _input(options["file"]) as path:
                counts = self._judge(path, options["output"], chosen)
        except Refusal as refusal:
            raise CommandError(refusal.reason.in_language(chosen.language), returncode=UNREADABLE) from None
        except BrokenPipeError:  # whoever read the output has stopped
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        except OSError as error:
            raise CommandError(str(error), returncode=UNREADABLE) from None
        self.stderr.write(_summary(counts), ending="\n")

    def _judge(self, path: Path, output: str | None, options: Options) -> Counter[str]:
        source = open_source(path, options)
        total = source.count()
        target = self._stream(source) if output is None else replacing(Path(output), source.encoding)
        with target as stream, _progress(total) as bar:
            return run(source, total, stream, options, bar.update)

    @contextmanager
    def _stream(self, source: Source) -> Iterator[TextIO]:
        """Standard output in the input's own encoding; or whatever text stream the caller gave."""
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None:
            yield cast(TextIO, _Plain(self.stdout))
            return
        stream = io.TextIOWrapper(buffer, encoding=source.encoding, newline="")
        try:
            yield stream
            stream.flush()
        finally:
            stream.detach()


class _Plain(io.TextIOBase):
    """A stream without Django's styling and line endings."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(text, ending="")
        return len(text)


@contextmanager
def _input(name: str) -> Iterator[Path]:
    """The path to read; standard input is kept in a file, since it is read more than once."""
    if name != STANDARD_INPUT:
        yield Path(name)
        return
    with tempfile.NamedTemporaryFile(prefix="autocheck-") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name)


def _progress(total: int) -> tqdm[Any]:
    return tqdm(total=total, unit=" rows", disable=not sys.stderr.isatty(), file=sys.stderr)


def _summary(counts: Counter[str]) -> str:
    shares = ", ".join(f"{key} {counts[key]}" for key in sorted(counts))
    return f"{counts.total()} rows: {shares}" if counts else "0 rows"
