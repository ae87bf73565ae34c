"""A database of an earlier version, with what its rules let happen, is brought up to date."""

from __future__ import annotations

import pytest

from tests.databases import RealDatabase

TWICE = """
import django; django.setup()
from quiz.accounts.models import User, Visitor
from quiz.responses.models import Help, Probe, Variant

variant = Variant.objects.create(family="scaled_entry", seed=12, version=1, drawn={})
user, other = User.objects.create(username="user"), User.objects.create(username="other")
visitor = Visitor.objects.create()
for owner in ({"user": user}, {"visitor": visitor}):
    for number in (1, 2, 1, 1):
        Help.objects.create(variant=variant, step=number, **owner)
        Probe.objects.create(variant=variant, number=number, **owner)
Help.objects.create(variant=variant, step=1, user=other)
"""


@pytest.mark.prove
def test_what_was_asked_for_twice_is_kept_once(real_database: RealDatabase) -> None:
    real_database.run("manage.py", "migrate", "quiz", "0001")
    real_database.run("-c", TWICE)
    before = tables(real_database)
    real_database.run("manage.py", "migrate")
    assert tables(real_database) == {
        "quiz_help": [row for i, row in enumerate(before["quiz_help"]) if i in (0, 1, 4, 5, 8)],
        "quiz_probe": [row for i, row in enumerate(before["quiz_probe"]) if i in (0, 1, 4, 5)],
    }


def tables(database: RealDatabase) -> dict[str, list[tuple[object, ...]]]:
    names = {"quiz_help": "step", "quiz_probe": "number"}
    return {
        name: database.rows(f"SELECT id, {number}, user_id, visitor_id FROM {name} ORDER BY id")
        for name, number in names.items()
    }
