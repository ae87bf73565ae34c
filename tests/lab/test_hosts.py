"""A worker on another machine: the site's runs are measured there; when it is cut off, others take over."""

from __future__ import annotations

import re
import socket
import subprocess
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from tests import clusters
from tests.clusters import Cluster
from tests.conftest import require
from tests.databases import RealDatabase, wait_until
from tests.lab import hosts
from tests.lab.hosts import Host, NetworkedHost
from tests.lab.watching import FOUR_POINTS, Lab, is_gone, killed

pytestmark = pytest.mark.prove

PROCESSOR = "Processor of host B"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    require("postgres server")
    with clusters.running() as started:
        RealDatabase(started.url(), tmp_path_factory.mktemp("cluster")).run("manage.py", "migrate", "-v0")
        yield started


@pytest.fixture
def lab(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    """The lab of host A."""
    folder = tmp_path / "a"
    folder.mkdir()
    database = RealDatabase(cluster.url(), folder)
    database.rows("DELETE FROM quiz_worker RETURNING name")  # an earlier test's, killed
    try:
        yield Lab(database)
    finally:
        database.end()


class Browser:
    """Reads the site of host A as a visitor does."""

    def __init__(self, lab: Lab) -> None:
        port = clusters.free_port()
        self.address = f"http://127.0.0.1:{port}"
        served = ("-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port))
        lab.database.start(*served, "quiz.wsgi:application", log="site", **lab.environment())
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open
        wait_until(self._answers, what="the site answers")

    def _answers(self) -> bool:
        try:
            return bool(self.get("/health/"))
        except OSError:
            return False

    def get(self, path: str) -> str:
        asked = urllib.request.Request(self.address + path, headers={"Accept-Language": "en"})
        with self._open(asked, timeout=20) as answer:
            return str(answer.read().decode())

    def workers(self) -> dict[str, str]:
        """What the lab's page says of each worker, by name: tags left out."""
        lines = [
            re.sub(r"<[^>]+>", " ", line)
            for line in re.findall(r"<li>.*?</li>", self.get("/lab/"), re.DOTALL)
        ]
        names = [(re.search(r"\S+-\d+-lab\b", line), line) for line in lines]
        return {found[0]: " ".join(line.split()) for found, line in names if found}

    def start_run(self, parameters: dict[str, Any]) -> int:
        """Press Start; the number of the run."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get("/lab/"))
        assert token
        fields = [("csrfmiddlewaretoken", token[1]), ("demo", "attention_length")]
        for name, value in parameters.items():
            fields += [(name, str(one)) for one in (value if isinstance(value, list) else [value])]
        sent = urllib.parse.urlencode([(name, value) for name, value in fields if value != "False"]).encode()
        with self._open(f"{self.address}/lab/start/", data=sent, timeout=20) as answer:
            return int(answer.url.rstrip("/").rpartition("/")[2])


@pytest.mark.parametrize("networked", [True, False], ids=["network", "processes"])
def test_a_worker_on_another_machine_joins_and_is_cut_off(
    lab: Lab, cluster: Cluster, tmp_path: Path, networked: bool
) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    with hosts.another(folder, networked=networked) as there:
        browser = Browser(lab)
        assert browser.workers() == {}
        worker = there.start(environment_there(lab, cluster, there))
        name = f"{hosts.NAME if isinstance(there, NetworkedHost) else socket.gethostname()}-{worker.pid}-lab"
        wait_until(lambda: PROCESSOR in browser.workers().get(name, ""), seconds=60, what="the page shows B")

        run = browser.start_run(FOUR_POINTS)
        [(job,)] = lab.database.rows(f"SELECT job_id FROM quiz_run WHERE id = {run}")
        wait_until(lambda: len(lab.begun()) == 2, what="B measures the second point")
        assert lab.job(job)["worker"] == name
        before = lab.points(run)
        there.cut_off()
        wait_until(lambda: name not in browser.workers(), what="the page shows that B is gone")

        own = lab.worker("own")
        ended = lab.wait_for(job, "done")
        assert ended["worker"].endswith(f"-{own.pid}-lab")
        assert (ended["attempt"], ended["lost_leases"], ended["error"]) == (2, 1, "")
        assert lab.points(run)[: len(before)] == before
        assert_seen(lab, browser, run)
        comes_back(lab, browser, there, worker, own)


def environment_there(lab: Lab, cluster: Cluster, there: Host) -> dict[str, str]:
    data = there.folder / "data"
    extra = lab.environment(LAB_SECONDS="1", LAB_PROCESSOR=PROCESSOR, QUIZ_DATA_DIR=str(data))
    return lab.database.environment(**extra) | {"DATABASE_URL": cluster.url(there.near)}


def comes_back(
    lab: Lab, browser: Browser, there: Host, worker: subprocess.Popen[bytes], own: subprocess.Popen[str]
) -> None:
    """The same process on B, once it can reach the database again, takes the next run; it wrote nothing of
    the one it lost."""
    rows = lab.database.rows("SELECT COUNT(*) FROM quiz_point")
    killed(own)
    there.join_again()
    wait_until(
        lambda: any(PROCESSOR in said for said in browser.workers().values()), seconds=60, what="B is back"
    )
    lost = [child.pid for child in lab.begun() if child.worker == worker.pid]
    wait_until(lambda: all(is_gone(pid) for pid in lost), seconds=10, what="what it measured is given up")
    assert lab.database.rows("SELECT COUNT(*) FROM quiz_point") == rows
    run = browser.start_run({**FOUR_POINTS, "heads": 2})
    [(job,)] = lab.database.rows(f"SELECT job_id FROM quiz_run WHERE id = {run}")
    assert lab.wait_for(job, "done")["worker"].endswith(f"-{worker.pid}-lab")
    assert worker.poll() is None
    assert_seen(lab, browser, run)


def assert_seen(lab: Lab, browser: Browser, run: int) -> None:
    """The site has every point once."""
    assert lab.positions(run) == [0, 1, 2, 3]
    table = browser.get(f"/lab/{run}/results.csv").splitlines()
    assert len(table) == 5
    keys = lab.database.rows("SELECT run_id, position FROM quiz_point")
    assert max(Counter(keys).values()) == 1


def test_a_machine_that_dies_is_replaced(lab: Lab, cluster: Cluster, tmp_path: Path) -> None:
    """Both machines wait for work; the one that has it is killed; the other resumes without being told."""
    folder = tmp_path / "b"
    folder.mkdir()
    with hosts.another(folder, networked=True) as there:
        worker = there.start(environment_there(lab, cluster, there))
        run, job = lab.start()
        wait_until(lambda: len(lab.begun()) == 2, seconds=60, what="B measures the second point")
        own = lab.worker("own")
        worker.kill()
        worker.wait()
        ended = lab.wait_for(job, "done")
        assert ended["worker"].endswith(f"-{own.pid}-lab")
        assert lab.positions(run) == [0, 1, 2, 3]
