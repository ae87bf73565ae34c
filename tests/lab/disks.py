"""A disk that fills up and is cleared again: a small one mounted in memory, or a limit on one process's files
where mounting is not permitted."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = 6 * 2**20
ONE_PAGE = 4096


class Disk:
    """A folder whose files cannot grow while it is full. This one limits the files of the given process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = 0

    def fill(self) -> None:
        _soft, hard = resource.prlimit(self.process, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process, resource.RLIMIT_FSIZE, (ONE_PAGE, hard))

    def clear(self) -> None:
        _soft, hard = resource.prlimit(self.process, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process, resource.RLIMIT_FSIZE, (hard, hard))


class MountedDisk(Disk):
    """A real disk of 6 MiB. While it is full a thread takes every byte that becomes free, as others would."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._cleared = threading.Event()
        self._thread = threading.Thread(target=self._keep_full)

    def fill(self) -> None:
        self._thread.start()

    def clear(self) -> None:
        self.end()
        (self.folder / "filler").unlink()

    def end(self) -> None:
        self._cleared.set()
        if self._thread.is_alive():
            self._thread.join()

    def _keep_full(self) -> None:
        with (self.folder / "filler").open("wb", buffering=0) as out:
            while not self._cleared.is_set():
                try:
                    out.write(bytes(ONE_PAGE))
                except OSError:
                    self._cleared.wait(0.002)


@contextmanager
def small(folder: Path, *, mounted: bool) -> Iterator[Disk]:
    """A disk at `folder`; mounted only where that is permitted."""
    if not (mounted and _mount(folder)):
        yield Disk(folder)
        return
    disk = MountedDisk(folder)
    try:
        yield disk
    finally:
        disk.end()
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mount(folder: Path) -> bool:
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0
