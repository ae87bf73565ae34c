"""`manage.py export_bank --html FILE`: the whole chapter and bank as one file to read without a network."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from quiz.bank.exporting import CHOICES, exported


class Command(BaseCommand):
    help = "Write the published chapter and bank into one self-contained HTML file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--html", type=Path, required=True, metavar="FILE", help="the file to write")
        parser.add_argument(
            "--language", choices=CHOICES, default="both", help="both are inside unless one is named"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        content = exported(options["language"]).encode()
        try:
            options["html"].write_bytes(content)
        except OSError as error:
            told = {"file": options["html"], "reason": error.strerror}
            raise CommandError(_("Cannot write %(file)s: %(reason)s") % told) from None
        told = {"file": options["html"], "size": f"{len(content) / 1e6:.1f}"}
        self.stdout.write(_("%(file)s: %(size)s MB") % told)
