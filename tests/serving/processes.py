"""Reading /proc: who descends from whom, and who is still there."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def table() -> dict[int, tuple[int, str]]:
    """Every living process: number → (parent, command line). Zombies are not alive."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent, *_rest = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                if state != "Z":
                    found[int(entry.name)] = (int(parent), command)
    return found


def descendants(pid: int) -> dict[int, str]:
    """The living processes below `pid`: number → command line."""
    processes = table()
    found: dict[int, str] = {}
    layer = {pid}
    while layer:
        layer = {child for child, (parent, _command) in processes.items() if parent in layer}
        found |= {child: processes[child][1] for child in layer}
    return found


def alive(pids: set[int]) -> set[int]:
    return pids & table().keys()
