"""How long the exercise statistics take on many responses, by page and by question asked of the database.

    .venv/bin/python -m tests.benchmarks.families [--responses 100000] [--people 500]

Uses the database of DATABASE_URL, or a SQLite file of its own; it must be empty.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable


def measured(act: Callable[[], object], *, rounds: int = 7) -> str:
    """Median time on the wall and of this process (in which SQLite works), in ms."""
    wall, own = [], []
    for _round in range(rounds):
        start, spent = time.perf_counter(), time.process_time()
        act()
        wall.append(1000 * (time.perf_counter() - start))
        own.append(1000 * (time.process_time() - spent))
    return f"{statistics.median(wall):8.1f} ms  {statistics.median(own):8.1f} ms of processor"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--responses", type=int, default=100_000)
    ask.add_argument("--people", type=int, default=500)
    chosen = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "QUIZ_DATA_DIR": folder}
        import django

        django.setup()
        measure(chosen.responses, chosen.people)


def measure(wanted: int, count: int) -> None:
    import numpy as np
    from django.conf import settings
    from django.contrib.auth.models import Group
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from quiz.accounts.models import User
    from quiz.exercises.registry import all_families
    from quiz.responses import statistics as counted
    from tests.responses.planting import imagine, people, plant

    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    families = [family.slug for family in all_families()]
    each = round(wanted / count / 1.78)  # tries a variant, on average
    stored = plant(imagine(people(count), families, each=each, rng=np.random.default_rng(0)))
    connection.cursor().execute("ANALYZE")
    print(f"{connection.vendor}: {stored:,} responses of {count} people on {len(families)} families")

    asked = {
        "counts": lambda: counted._counted(counted.EVER, ""),
        "solutions asked for": lambda: list(counted._given_up(counted.EVER, "")),
        "medians": lambda: counted._medians(counted.EVER, ""),
        "tallies": lambda: counted._tallies(counted.EVER, ""),
        "all of it": counted.family_statistics,
        "all of one family": lambda: counted.family_statistics(slug="scaled_entry"),
        "mistakes of one": lambda: counted.mistake_counts("scaled_entry"),
        "unknown of one, a page": lambda: list(counted.unknown_responses("scaled_entry")[:25]),
    }
    for name, act in asked.items():
        print(f"{name:28} {measured(act)}")

    teacher = User.objects.create_user("teacher")
    teacher.groups.add(Group.objects.get(name="instructor"))
    client = Client()
    client.force_login(teacher)
    for path in (
        "/desk/families/",
        "/desk/families/?since=2026-08-01",
        "/desk/families/families.csv",
        "/desk/families/scaled_entry/",
        "/desk/families/scaled_entry/unknown/",
    ):
        print(f"{path:36} {measured(lambda path=path: client.get(path))}")  # type: ignore[misc]


if __name__ == "__main__":
    main()
