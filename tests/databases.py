"""Databases that several processes share: a SQLite file, or a database of its own on PostgreSQL.

pytest-django's SQLite lives in the memory of one process; what is tested with real workers needs these.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent


class RealDatabase:
    """A migrated database and the environment that makes a process use it. `rows` reads it from outside."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.processes: list[subprocess.Popen[str]] = []

    def environment(self, **extra: str) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("QUIZ_", "DJANGO_"))
        }
        ours = {
            "DATABASE_URL": self.url,
            "QUIZ_DATA_DIR": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "tests.work.process_settings",
            "PYTHONUNBUFFERED": "1",
        }
        return kept | ours | extra

    def run(self, *arguments: str, check: bool = True, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments to its end."""
        ended = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment(**extra),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert not check or ended.returncode == 0, ended.stdout + ended.stderr
        return ended

    def start(self, *arguments: str, log: str = "process", **extra: str) -> subprocess.Popen[str]:
        """Start Python in a session of its own; its output goes to `<log>.log` in the folder."""
        with (self.folder / f"{log}.log").open("a") as out:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.environment(**extra),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def log(self, name: str = "process") -> str:
        return (self.folder / f"{name}.log").read_text()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self.url.startswith("sqlite"):
            with sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=20) as connection:
                found = connection.execute(sql).fetchall()
            connection.close()
            return found
        import psycopg

        with psycopg.connect(self.url) as postgres:
            return postgres.execute(sql).fetchall()  # type: ignore[arg-type]

    def freeze(self, process: subprocess.Popen[str]) -> None:
        """Stop a process (SIGSTOP) between two writes.

        One that stands still inside a write keeps SQLite's only lock, against which nobody can help;
        PostgreSQL ends such a transaction by itself.
        """
        for _ in range(200):
            os.kill(process.pid, signal.SIGSTOP)
            if self._can_be_written():
                return
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(0.02)
        raise AssertionError("the process is always writing")

    def _can_be_written(self) -> bool:
        if not self.url.startswith("sqlite"):
            return True
        connection = sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=0.3, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()
        return True

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def sqlite_copy(template: Path, folder: Path) -> Iterator[RealDatabase]:
    path = folder / "quiz.sqlite3"
    shutil.copy(template, path)
    database = RealDatabase(f"sqlite:///{path}", folder)
    try:
        yield database
    finally:
        database.end()


@contextmanager
def postgres_copy(template_url: str, folder: Path) -> Iterator[RealDatabase]:
    name = f"quiz_{uuid.uuid4().hex[:12]}"
    template = urlsplit(template_url).path.lstrip("/")
    _administer(f"CREATE DATABASE {name} TEMPLATE {template}")
    database = RealDatabase(urlsplit(template_url)._replace(path=f"/{name}").geturl(), folder)
    try:
        yield database
    finally:
        database.end()
        _administer(f"DROP DATABASE {name} WITH (FORCE)")


def make_sqlite_template(folder: Path) -> Path:
    path = folder / "template.sqlite3"
    RealDatabase(f"sqlite:///{path}", folder).run("manage.py", "migrate", "-v0")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


@contextmanager
def postgres_template(folder: Path) -> Iterator[str]:
    """A migrated database, to be copied; removed at the end."""
    server = os.environ["QUIZ_TEST_POSTGRES"]
    name = f"quiz_template_{uuid.uuid4().hex[:12]}"
    url = urlsplit(server)._replace(path=f"/{name}").geturl()
    _administer(f"CREATE DATABASE {name}")
    try:
        RealDatabase(url, folder).run("manage.py", "migrate", "-v0")
        yield url
    finally:
        _administer(f"DROP DATABASE {name} WITH (FORCE)")


def _administer(statement: str) -> None:
    import psycopg

    with psycopg.connect(os.environ["QUIZ_TEST_POSTGRES"], autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[arg-type]


def wait_until(condition: Callable[[], Any], *, seconds: float = 30.0, what: str = "") -> Any:
    """The first true answer of `condition`, asked again and again."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what or condition}")
