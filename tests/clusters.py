"""A PostgreSQL server of a test's own, which it may stop, start again and reach over any address.

The tests' shared server is left alone: others use it at the same time.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "quiz"
PASSWORD = "quiz"
DATABASE = "quiz"


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: Debian keeps them out of the path."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3])
    found = str(places[-1]) if places else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class Cluster:
    """A server in a folder of its own. As root everything is done by the user `postgres`, as it must be."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self.programs = programs
        self.port = free_port()

    def url(self, host: str = "127.0.0.1") -> str:
        return f"postgres://{USER}:{PASSWORD}@{host}:{self.port}/{DATABASE}"

    def make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            shutil.chown(secret, "postgres")
        how = ["--auth=scram-sha-256", f"--username={USER}", f"--pwfile={secret}", "--no-sync"]
        self._run("initdb", "-D", str(self.folder / "data"), "-E", "UTF8", "--locale=C.UTF-8", *how)
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write("host all all all scram-sha-256\n")

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=* -c max_connections=50"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """`immediate`: as if the power failed; the server recovers when it starts again."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        # A server keeps what it inherits open: a file, or the pipe would never end.
        with tempfile.TemporaryFile("w+") as said:
            ended = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            said.seek(0)
            assert ended.returncode == 0, said.read()


@contextmanager
def running() -> Iterator[Cluster]:
    """A started server with an empty database; gone at the end."""
    import psycopg

    where = programs()
    assert where is not None
    folder = Path(tempfile.mkdtemp(prefix="qkv-pg-"))
    cluster = Cluster(folder, where)
    try:
        cluster.make()
        cluster.start()
        try:
            with psycopg.connect(
                f"{cluster.url().rpartition('/')[0]}/postgres", autocommit=True
            ) as connection:
                connection.execute(f"CREATE DATABASE {DATABASE}")
            yield cluster
        finally:
            _stop_if_running(cluster)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _stop_if_running(cluster: Cluster) -> None:
    if (cluster.folder / "data" / "postmaster.pid").exists():
        cluster.stop("immediate")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
