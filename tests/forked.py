"""Runs pieces of code, each in a process of its own that begins with torch already loaded.

`python -m tests.forked < codes.json` prints a list of [exit status, what was printed]: loading torch takes a
second or two, and there are dozens of listings that need it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback

import numpy  # noqa: F401  loaded once, before the forks
import torch  # noqa: F401

SECONDS = 120


def run(code: str) -> tuple[int, str]:
    """Exit status and all that was printed; a child that takes too long is ended by its alarm."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _become(code, write)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        printed = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed


def _become(code: str, write: int) -> None:
    signal.alarm(SECONDS)
    os.chdir(tempfile.mkdtemp())
    os.dup2(write, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # warnings are no part of what a listing prints
    status = 0
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    json.dump([run(code) for code in json.load(sys.stdin)], sys.stdout)
