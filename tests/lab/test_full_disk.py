"""The disk under a SQLite database fills up in the middle of a run, and is cleared again."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import sqlite_copy, wait_until
from tests.lab import disks
from tests.lab.disks import Disk, MountedDisk
from tests.lab.watching import LEASE, Lab, is_gone

pytestmark = pytest.mark.prove


@pytest.fixture(params=[True, False], ids=["mounted", "limited"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    with disks.small(folder, mounted=request.param) as found:
        yield found


@pytest.fixture
def lab(disk: Disk, sqlite_template: Path, tmp_path: Path) -> Iterator[Lab]:
    with sqlite_copy(sqlite_template, disk.folder) as database:
        database.folder = tmp_path  # logs lie elsewhere
        yield Lab(database)


def test_a_run_outlives_a_full_disk(lab: Lab, disk: Disk) -> None:
    run, job = lab.start()
    here = {"QUIZ_DATA_DIR": str(disk.folder), "TMPDIR": str(disk.folder)}
    worker = lab.worker("worker", LAB_SECONDS="1", **here)
    disk.process = worker.pid
    wait_until(lambda: len(lab.begun()) == 2, what="the second point is being measured")
    before = lab.points(run)
    disk.fill()
    children = lab.begun()
    wait_until(lambda: all(is_gone(child.pid) for child in children), what="the point has been measured")
    time.sleep(LEASE + 1)

    assert worker.poll() is None, "the worker waits"
    assert len(lab.begun()) == 2, "nothing is measured that cannot be stored"
    if isinstance(disk, MountedDisk):  # where nobody can open the database, even to read
        assert re.search("database or disk is full|disk I/O error|unable to open", lab.log("worker"))

    disk.clear()
    assert is_sound(disk)
    ended = lab.wait_for(job, "done")
    found = lab.points(run)
    assert found[: len(before)] == before, "what was stored stays"
    assert ended["error"] == ""
    assert [row[1] for row in found] == [0, 1, 2, 3]
    assert lab.begun()[2].point == children[1].point, "resumed at the point that was not stored"
    assert len(lab.begun()) == 5
    _run, after = lab.start()
    lab.wait_for(after, "done")
    assert worker.poll() is None, "the same process goes on"
    assert is_sound(disk)


def is_sound(disk: Disk) -> bool:
    """What SQLite says of its file, read beside the worker."""
    with sqlite3.connect(disk.folder / "quiz.sqlite3", timeout=20) as connection:
        found: list[tuple[str]] = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return found == [("ok",)]
