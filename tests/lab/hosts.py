"""Another machine: a copy of the code, a data folder and a host name of its own, and the database over TCP.

Where this process may make network namespaces, the other machine has one, joined by a pair of interfaces
that can be taken down as one pulls out a cable. Elsewhere it is processes beside the others, which are
stopped instead.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("manage.py", "quiz", "attention_core", "templates", "static", "tests")
NAME = "host-b"


class Host:
    """The other machine. `near` is the address of this one, seen from there."""

    near = "127.0.0.1"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = folder / "code"
        self.worker: subprocess.Popen[bytes] | None = None
        self.code.mkdir()
        for name in CODE:
            source = ROOT / name
            if source.is_dir():
                skipped = shutil.ignore_patterns("__pycache__", "test_*.py")
                shutil.copytree(source, self.code / name, ignore=skipped)
            else:
                shutil.copy(source, self.code / name)

    def start(self, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """`manage.py worker lab`, over there."""
        with (self.folder / "worker.log").open("ab") as out:
            self.worker = subprocess.Popen(
                [*self.prefix(), sys.executable, "manage.py", "worker", "lab"],
                cwd=self.code,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self.worker

    def prefix(self) -> list[str]:
        return []

    def cut_off(self) -> None:
        """The machine does not answer any more, and cannot reach anybody."""
        assert self.worker is not None
        os.kill(self.worker.pid, signal.SIGSTOP)

    def join_again(self) -> None:
        assert self.worker is not None
        os.kill(self.worker.pid, signal.SIGCONT)

    def end(self) -> None:
        if self.worker is not None and self.worker.poll() is None:
            os.killpg(self.worker.pid, signal.SIGKILL)
            self.worker.wait()


class NetworkedHost(Host):
    """A host in a network namespace, with its own host name."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        mark = secrets.token_hex(3)
        self.namespace = f"qkv-{mark}"
        self.cable = f"qv{mark}"
        third = secrets.randbelow(250)
        self.near, self.far = f"10.213.{third}.1", f"10.213.{third}.2"

    def connect(self) -> None:
        ours, theirs = f"{self.cable}a", f"{self.cable}b"
        _ip("netns", "add", self.namespace)
        _ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", self.namespace)
        _ip("addr", "add", f"{self.near}/30", "dev", ours)
        _ip("link", "set", ours, "up")
        _ip("-n", self.namespace, "addr", "add", f"{self.far}/30", "dev", theirs)
        _ip("-n", self.namespace, "link", "set", theirs, "up")
        _ip("-n", self.namespace, "link", "set", "lo", "up")

    def prefix(self) -> list[str]:
        named = ["unshare", "--uts", "sh", "-c", f'hostname {NAME} && exec "$@"', "sh"]
        return ["ip", "netns", "exec", self.namespace, *named]

    def cut_off(self) -> None:
        _ip("link", "set", f"{self.cable}a", "down")

    def join_again(self) -> None:
        _ip("link", "set", f"{self.cable}a", "up")

    def end(self) -> None:
        super().end()
        subprocess.run(["ip", "netns", "del", self.namespace], capture_output=True)
        subprocess.run(["ip", "link", "del", f"{self.cable}a"], capture_output=True)


@contextmanager
def another(folder: Path, *, networked: bool) -> Iterator[Host]:
    """Another machine; networked only as far as that is permitted here."""
    host = NetworkedHost(folder) if networked and may_be_networked() else Host(folder)
    try:
        if isinstance(host, NetworkedHost):
            host.connect()
        yield host
    finally:
        host.end()


def may_be_networked() -> bool:
    """Whether this process may make a network namespace, interfaces and a host name of its own."""
    if not all(shutil.which(program) for program in ("ip", "unshare", "hostname")):
        return False
    try_it = "hostname x && ip link add qvtry type veth peer name qvtryb"
    return (
        subprocess.run(["unshare", "--net", "--uts", "sh", "-c", try_it], capture_output=True).returncode == 0
    )


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
