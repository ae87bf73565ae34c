"""Sent twice at the same moment, an answer is one try, a hint one hint, and a report one report."""

from __future__ import annotations

import json

import pytest

from tests.databases import RealDatabase


@pytest.mark.parametrize("kind", ["user", "visitor"])
def test_what_comes_twice_at_once_counts_as_one_after_the_other(
    real_database: RealDatabase, kind: str
) -> None:
    answered = real_database.run("-m", "tests.responses.actor", kind)
    assert json.loads(answered.stdout.splitlines()[-1]) == {
        "tries": [1, 0, 2, 3],  # the same text again is no try; two others are two
        "helps": [0, 1],
        "probes": [1, 2],
        "reports": 1,
        "others": 0,
    }
