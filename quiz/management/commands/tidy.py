"""`manage.py tidy`: what the daily task does, now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from quiz.work.tidying import tidy


class Command(BaseCommand):
    help = "Remove what is out of date: idle visitors' data, expired sessions, old queue rows."

    def handle(self, **_options: Any) -> None:
        for line in tidy(timezone.now()):
            self.stdout.write(line)
