"""`manage.py serve` with real processes: what it prints, how it stops, that nothing outlives a kill -9."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.databases import RealDatabase, wait_until
from tests.serving.processes import alive, descendants

KINDS = {
    "guardian": "guardian.py",
    "granian main": "granian",
    "checks": "worker checks",
    "lab": "worker lab",
}


@pytest.fixture(scope="module", autouse=True)
def _on_linux() -> None:
    from tests.conftest import require

    require("linux")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """A running `serve` and its address."""

    def __init__(self, database: RealDatabase, *arguments: str, **environment: str) -> None:
        self.database = database
        self.port = free_port()
        command = ("manage.py", "serve", "--port", str(self.port), *arguments)
        self.process = database.start(*command, log="serve", **environment)

    @property
    def output(self) -> str:
        return self.database.log("serve")

    def health(self) -> dict[str, Any] | None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}/health/", timeout=5) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except OSError:
            return None

    def is_whole(self) -> bool:
        """The web server answers, and each worker that it tells of is one of the processes below."""
        report = self.health()
        if report is None or report["status"] != "ok":
            return False
        told = {int(worker["name"].rsplit("-", 2)[1]) for worker in report["workers"]}
        return len(told) == 2 and told <= descendants(self.process.pid).keys()

    def wait_until_whole(self) -> None:
        wait_until(self.is_whole, seconds=60, what=f"the site is whole\n{self.output}")

    def find(self, kind: str) -> int:
        """The process of a kind; granian's worker is the child of its main."""
        below = descendants(self.process.pid)
        if kind == "granian worker":
            return next(iter(descendants(self.find("granian main"))))
        part = KINDS[kind]
        guardians = {pid for pid, command in below.items() if "guardian.py" in command}
        if kind == "guardian":
            return min(guardians)
        return min(pid for pid, command in below.items() if part in command and pid not in guardians)


@contextmanager
def serving(template: Path, folder: Path, *arguments: str, **environment: str) -> Iterator[Served]:
    with databases.sqlite_copy(template, folder) as database:
        served = Served(database, *arguments, **environment)
        try:
            yield served
        finally:
            served.process.terminate()
            try:
                served.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                served.process.kill()


@pytest.fixture(scope="module")
def site_of_processes(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(sqlite_template, tmp_path_factory.mktemp("serve")) as served:
        served.wait_until_whole()
        yield served


@pytest.mark.parametrize("kind", ["guardian", "granian main", "granian worker", "checks", "lab"])
def test_a_killed_child_leaves_nothing_and_is_started_again(site_of_processes: Served, kind: str) -> None:
    served = site_of_processes
    victim = served.find(kind)
    family = {victim, *descendants(victim)}
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: not alive(family), seconds=10, what="nothing of it is left")
    served.wait_until_whole()
    if kind == "guardian":
        return
    assert served.find(kind) not in family
    assert (
        len([command for command in descendants(served.process.pid).values() if "guardian" in command]) == 3
    )


def test_the_parts_have_process_groups_of_their_own(site_of_processes: Served) -> None:
    kinds = ("granian main", "granian worker", "checks", "lab")
    groups = [os.getpgid(site_of_processes.find(kind)) for kind in kinds]
    assert groups[0] == groups[1]
    assert len(set(groups)) == 3
    assert os.getpgid(site_of_processes.process.pid) not in groups


def test_the_web_process_has_not_imported_torch(site_of_processes: Served) -> None:
    for kind in ("granian worker", "checks"):
        maps = Path(f"/proc/{site_of_processes.find(kind)}/maps").read_text()
        assert "libtorch" not in maps, kind
    assert "libtorch" not in Path(f"/proc/{site_of_processes.process.pid}/maps").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stopped_or_killed_supervisor_leaves_nothing(
    sqlite_template: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with serving(sqlite_template, tmp_path) as served:
        served.wait_until_whole()
        family = descendants(served.process.pid)
        began = time.monotonic()
        os.kill(served.process.pid, number)
        code = served.process.wait(timeout=20)
        wait_until(lambda: not alive(set(family)), seconds=5, what="nothing is left")
        assert time.monotonic() - began < 9.5
        if number == signal.SIGKILL:
            assert code == -signal.SIGKILL
        else:
            assert code == 0
            assert served.output.splitlines()[-1] == "QKV  stopped"
            assert served.database.rows("SELECT COUNT(*) FROM quiz_worker") == [(0,)]


@pytest.mark.prove
def test_a_killed_lab_worker_takes_its_measuring_process_along(sqlite_template: Path, tmp_path: Path) -> None:
    """Even one in a session of its own; the job is then done by the worker that follows."""
    with serving(sqlite_template, tmp_path, QUIZ_LEASE_SECONDS="3") as served:
        served.wait_until_whole()
        served.database.run("-m", "tests.work.actor", "enqueue", "measuring", "1", "lab")
        measuring: Callable[[], list[int]] = lambda: [  # noqa: E731
            pid for pid, command in descendants(served.process.pid).items() if "sleep(601)" in command
        ]
        [first] = wait_until(measuring)
        os.kill(served.find("lab"), signal.SIGKILL)
        wait_until(lambda: not alive({first}), seconds=5)
        [second] = wait_until(measuring)
        assert second != first
        served.process.terminate()
        assert served.process.wait(timeout=15) == 0
        assert not alive({second})


def test_a_site_started_by_another_process_ends_with_it(sqlite_template: Path, tmp_path: Path) -> None:
    """`make serve` passes its number: make killed with -9 leaves no site behind."""
    port = free_port()
    script = (
        "import os, subprocess, sys, time;"
        f"command = ['manage.py', 'serve', '--port', '{port}', '--parent', str(os.getpid())];"
        "subprocess.Popen([sys.executable, *command]);"
        "time.sleep(600)"
    )
    with databases.sqlite_copy(sqlite_template, tmp_path) as database:
        starter = database.start("-c", script, log="serve")
        wait_until(lambda: len(descendants(starter.pid)) >= 7, seconds=60, what="it serves")
        family = set(descendants(starter.pid))
        starter.kill()
        wait_until(lambda: not alive(family), seconds=15, what="all have ended")


def test_the_first_lines(sqlite_template: Path, tmp_path: Path) -> None:
    """Where it is, what is in it (counted), what to do first; the phone's address and its code."""
    arguments = ("--host", "0.0.0.0", "--workers", "2")
    with serving(sqlite_template, tmp_path, *arguments) as served:
        wait_until(lambda: "stop: Ctrl-C" in served.output, seconds=60, what=served.output)
        lines = served.output.splitlines()
        assert lines[0] == f"QKV  web http://127.0.0.1:{served.port}"
        database = served.database
        [(questions,)] = database.rows("SELECT COUNT(*) FROM quiz_question WHERE is_published")
        [(pages,)] = database.rows("SELECT COUNT(*) FROM quiz_section WHERE is_published")
        assert (questions, pages) == (39, 24 + 1)  # the sections and the start page
        [bank] = [line for line in lines if line.startswith("     bank ")]
        counts, lab = bank.removeprefix("     bank ").split("   lab worker: ")
        told = r"39 questions, 24 sections, \d+ exercise families, \d+ drills \(checked\)"
        assert re.fullmatch(told, counts)
        assert lab.startswith(("CPU", "NVIDIA"))
        [first] = [line for line in lines if "createsuperuser" in line]
        assert re.fullmatch(r"     first administrator: \S+ manage\.py createsuperuser   stop: Ctrl-C", first)
        phone = [line for line in lines if line.startswith("     phone http://")]
        assert len([line for line in lines if "█" in line]) > 10 * len(phone)
        wait_until(lambda: "checks-2 | " in served.output, what="both workers' lines")
        assert oct((tmp_path / "secret_key").stat().st_mode & 0o777) == "0o600"
