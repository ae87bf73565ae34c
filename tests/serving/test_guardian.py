"""The guardian: nothing of a child outlives it, whatever group or session it moved to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.management.serving.children import GUARDIAN
from tests.databases import wait_until
from tests.serving.processes import alive, descendants

# A child with a grandchild in a session of its own, and a great-grandchild whose parent is gone.
FAMILY = """
import os, subprocess, sys, time
sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleeper, start_new_session=True)
orphan = f"import subprocess; subprocess.Popen({sleeper!r}, start_new_session=True)"
subprocess.run([sys.executable, "-c", orphan])
print("ready", flush=True)
"""
WAITS = FAMILY + "time.sleep(600)"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WAITS


@pytest.fixture(autouse=True)
def _on_linux(require: Callable[[str], None]) -> None:
    require("linux")


def guard(script: str, *, grace: float | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", str(GUARDIAN)]
    if grace is not None:
        short = f"from quiz.management.serving import guardian as g; g.GRACE_SECONDS = {grace}"
        run = "import sys; g.control(g.PR_SET_CHILD_SUBREAPER, 1); sys.exit(g.Guardian(sys.argv[1:]).run())"
        command = [sys.executable, "-c", f"{short}; {run}"]
    return subprocess.Popen(
        [*command, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_family(guardian: subprocess.Popen[bytes]) -> set[int]:
    assert guardian.stdout is not None
    assert guardian.stdout.readline() == b"ready\n"
    family = set(descendants(guardian.pid))
    assert len(family) == 3, "the child, its child, and the one that lost its parent"
    return family


def gone(family: set[int]) -> bool:
    return not alive(family)


@pytest.mark.parametrize(
    ("script", "code"),
    [("raise SystemExit(7)", 7), ("pass", 0), ("import os; os.kill(os.getpid(), 9)", 128 + 9)],
)
def test_the_childs_exit_code_is_passed_on(script: str, code: int) -> None:
    assert guard(script).wait(timeout=10) == code


def test_a_command_that_does_not_exist_ends_with_127(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", str(GUARDIAN), str(tmp_path / "nothing")]
    done = subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, text=True, input=None)
    assert done.returncode in (127, 128 + 9)
    assert "No such file" in done.stderr


def test_what_the_child_leaves_behind_is_killed() -> None:
    guardian = guard(WAITS)
    family = wait_for_family(guardian)
    [child] = [pid for pid, command in descendants(guardian.pid).items() if "subprocess" in command]
    os.kill(child, signal.SIGKILL)
    assert guardian.wait(timeout=10) == 128 + 9
    assert gone(family)


def test_the_end_of_the_pipe_kills_all_at_once() -> None:
    guardian = guard(DEAF)
    family = wait_for_family(guardian)
    assert guardian.stdin is not None
    began = time.monotonic()
    guardian.stdin.close()
    assert guardian.wait(timeout=10) == 128 + 9
    assert gone(family)
    assert time.monotonic() - began < 3


def test_sigterm_reaches_the_child_alone_and_the_rest_is_killed_after_it() -> None:
    polite = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n" + WAITS
    guardian = guard(polite)
    family = wait_for_family(guardian)
    guardian.terminate()
    assert guardian.wait(timeout=5) == 5
    assert gone(family)


def test_a_child_that_ignores_sigterm_is_killed_after_the_grace() -> None:
    guardian = guard(DEAF, grace=0.5)
    family = wait_for_family(guardian)
    began = time.monotonic()
    guardian.terminate()
    assert guardian.wait(timeout=8) == 128 + 9
    assert 0.4 < time.monotonic() - began < 5
    assert gone(family)


def test_the_child_dies_with_a_killed_guardian() -> None:
    guardian = guard("import time; print('ready', flush=True); time.sleep(600)")
    assert guardian.stdout is not None
    guardian.stdout.readline()
    child = set(descendants(guardian.pid))
    guardian.kill()
    guardian.wait()
    wait_until(lambda: gone(child), seconds=5, what="PR_SET_PDEATHSIG")
