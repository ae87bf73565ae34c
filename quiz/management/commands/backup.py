"""`manage.py backup FILE`: all data in one file, while the site goes on serving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from quiz.management.archive.writing import write


class Command(BaseCommand):
    help = "Write all data to FILE (a zip; it holds password hashes, keep it safe). Works while serving."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **_options: Any) -> None:
        try:
            manifest = write(file)
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}") from error
        rows = sum(member["count"] for member in manifest["members"].values())
        self.stdout.write(f"{file}: {rows} rows of {len(manifest['members'])} tables")
