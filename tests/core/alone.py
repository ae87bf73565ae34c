"""What is measured in a process of its own, as the lab's worker runs it, where memory can be counted.

A process that has done other work keeps freed blocks, and what reuses them seems to need no memory. So blocks
of 128 KiB and more are taken from the system here, and given back to it, one by one (glibc's threshold would
otherwise follow what is freed, up to 32 MiB).
"""

import json
import os
import subprocess
import sys
from typing import Any

BLOCK = 128 * 1024
MIB = 2**20


def run(module: str, configuration: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    """`python -m attention_core.<module> --json <configuration> <options>`, finished."""
    return python("-m", f"attention_core.{module}", "--json", json.dumps(configuration), *options)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python <arguments>`, finished."""
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(BLOCK)}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )


def found(module: str, configuration: dict[str, Any], *, budget: float = 0.01) -> dict[str, Any]:
    """What that command found."""
    done = run(module, configuration, "--budget", str(budget))
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    return json.loads(line)  # type: ignore[no-any-return]
