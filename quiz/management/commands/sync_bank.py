"""`manage.py sync_bank`: the shipped chapter and bank into the database; `--check` only reads the files."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from quiz.bank.chaptering import START
from quiz.bank.parsing import CONTENT, parse_bank
from quiz.bank.specs import BankSpec, ContentErrors
from quiz.bank.syncing import SyncReport, sync


class Command(BaseCommand):
    help = "Bring the shipped sections and questions into the database; edited rows are left and reported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="validate the files without a database")
        parser.add_argument("--folder", type=Path, default=CONTENT, help="where the content files are")

    def handle(self, *args: Any, **options: Any) -> None:
        spec = self._parsed(options["folder"])
        if options["check"]:
            sections = sum(section.number != START for section in spec.sections)
            counts = {"sections": sections, "questions": len(spec.questions)}
            self.stdout.write(_("%(sections)d sections and %(questions)d questions are in order.") % counts)
            return
        report = sync(spec)
        if options["verbosity"] > 0:
            self._tell(report)

    def _parsed(self, folder: Path) -> BankSpec:
        try:
            return parse_bank(folder)
        except ContentErrors as found:
            for error in found.errors:
                self.stderr.write(str(error))
            raise CommandError(
                _("%(count)d errors in the content files.") % {"count": len(found.errors)}
            ) from None

    def _tell(self, report: SyncReport) -> None:
        for name in report.kept:
            self.stdout.write(_("Edited here, left as it is: %(name)s") % {"name": name})
        for name in report.unpublished:
            self.stdout.write(_("No longer in the files, unpublished: %(name)s") % {"name": name})
        self.stdout.write(
            _("Created %(created)d, updated %(updated)d, unchanged %(unchanged)d, left %(kept)d.")
            % {
                "created": len(report.created),
                "updated": len(report.updated),
                "unchanged": len(report.unchanged),
                "kept": len(report.kept),
            }
        )
