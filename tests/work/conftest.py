"""Every test begins with an empty queue."""

from __future__ import annotations

import pytest

from quiz.work.kinds import task_of
from tests.work import kinds  # noqa: F401  the kinds that the tests enqueue


@pytest.fixture(autouse=True)
def _empty_queue() -> None:
    task_of("quick").get_backend().clear()
