"""`manage.py exercise --list`, `manage.py exercise FAMILY SEED`: families and variants, as text or JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from quiz.exercises import registry
from quiz.exercises.describing import describe_family, describe_variant
from quiz.exercises.drawing import vary
from quiz.exercises.seeds import SeedError
from quiz.grading.autocheck.judging import read_seed
from quiz.grading.printing import family_lines, variant_lines

UNKNOWN = 2  # exit code


class Command(BaseCommand):
    help = "Show one variant of an exercise with its answers and the values of every known mistake."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("family", nargs="?", help="the slug of a family")
        parser.add_argument("seed", nargs="?", help="a whole number from 0 to 2^63 − 1")
        parser.add_argument("--list", action="store_true", help="list all families")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--language", choices=["zh-hans", "en"], default="zh-hans")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self._list(as_json=options["json"], language=options["language"])
            return
        if options["family"] is None or options["seed"] is None:
            raise CommandError("FAMILY SEED, or --list", returncode=UNKNOWN)
        try:
            variant = vary(options["family"], read_seed(options["seed"]))
        except registry.UnknownFamily as error:
            raise CommandError(f"unknown family: {error.slug}", returncode=UNKNOWN) from None
        except SeedError as error:
            raise CommandError(str(error), returncode=UNKNOWN) from None
        if options["json"]:
            self._print(describe_variant(variant))
        else:
            self.stdout.write("\n".join(variant_lines(variant, options["language"])))

    def _list(self, *, as_json: bool, language: str) -> None:
        families = registry.all_families()
        if as_json:
            self._print([describe_family(family) for family in families])
        else:
            self.stdout.write("\n".join(family_lines(families, language)))

    def _print(self, value: Any) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))
