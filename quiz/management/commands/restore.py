"""`manage.py restore FILE`: what `backup` wrote, back into a database, of either engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from quiz.management.archive.reading import ArchiveRefused, read


class Command(BaseCommand):
    help = "Read all data back from FILE: everything, or nothing when anything is wrong. Stop the site first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="lose what the database holds now")

    def handle(self, *, file: Path, replace: bool, **_options: Any) -> None:
        try:
            manifest = read(file, replace=replace)
        except ArchiveRefused as error:
            raise CommandError(str(error)) from error
        rows = sum(member["count"] for member in manifest["members"].values())
        self.stdout.write(
            f"{rows} rows of {len(manifest['members'])} tables restored from {manifest['made_at']}"
        )
