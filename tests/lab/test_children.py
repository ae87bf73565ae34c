"""The child process of a point: each way it can end gives a stated outcome, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quiz.lab import children
from quiz.lab.children import ROOT, Limits, measure, resident_bytes

MODULE = "tests.lab.fake_measuring"
ROOM = Limits(seconds=30, memory=2**30)


def run(limits: Limits = ROOM, check: Callable[[], None] = lambda: None, **asked: Any) -> dict[str, Any]:
    return measure(asked, limits=limits, budget=0.5, check=check, module=MODULE)


@pytest.fixture(autouse=True)
def no_child_left(request: pytest.FixtureRequest) -> Any:
    yield
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    if mine.exists() and "linux" in sys.platform:
        left = [pid for pid in mine.read_text().split() if _is_ours(pid)]
        assert left == []


def _is_ours(pid: str) -> bool:
    return MODULE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_the_result_is_the_last_line_that_the_child_printed() -> None:
    assert run(do="answer") == {"outcome": "measured", "median_ms": 1.5, "budget": "0.5"}


def test_a_hang_is_stopped_and_said() -> None:
    begun = time.monotonic()
    assert run(Limits(seconds=0.5, memory=2**30), do="hang") == {
        "outcome": "timed_out", "reason": "stopped after 0.5 s",
    }  # fmt: skip
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize(
    ("deed", "outcome", "reason"),
    [
        ("babble", "crashed", "the measuring process printed no result"),
        ("unknown_outcome", "crashed", "the measuring process printed no result"),
        ("fail", "crashed", "ValueError: something specific"),
        ("abort", "crashed", "SIGABRT"),
        ("killed", "out_of_memory", "killed by the system, as when memory runs out"),
    ],
)
def test_every_other_end_is_stated(deed: str, outcome: str, reason: str) -> None:
    assert run(do=deed) == {"outcome": outcome, "reason": reason}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"do": "illegal_access"}, "SIGSEGV"),
        ({"do": "signal", "number": signal.SIGBUS}, "SIGBUS"),
        ({"do": "signal", "number": signal.SIGRTMIN + 3}, f"signal {signal.SIGRTMIN + 3}"),
        ({"do": "silent"}, children.NO_RESULT),
        ({"do": "print", "text": '["measured"]'}, children.NO_RESULT),
        ({"do": "print", "text": '{"outcome": ["measured"]}'}, children.NO_RESULT),
        ({"do": "print", "text": '{"outcome": "measured", "median_ms": NaN}'}, children.NO_RESULT),
        ({"do": "print", "text": '{"outcome": "measured", "median_ms": -Infinity}'}, children.NO_RESULT),
        ({"do": "print", "text": "[" * 20_000}, children.NO_RESULT),
        ({"do": "fail_in_bytes", "hex": b"CUDA \xff\x00 error".hex()}, "CUDA \ufffd\ufffd error"),
        ({"do": "fail_in_bytes", "hex": ""}, "exit code 1"),
        ({"do": "talk_without_end"}, "OSError: [Errno 27] File too large"),
    ],
    ids=lambda value: value["do"] if isinstance(value, dict) else "",
)
def test_whatever_else_a_child_does_is_stated(asked: dict[str, Any], reason: str) -> None:
    assert run(**asked) == {"outcome": "crashed", "reason": reason}


@pytest.mark.parametrize(
    ("said", "outcome", "reason"),
    [
        ("torch.AcceleratorError: CUDA error: an illegal memory access was encountered\nFor debugging …\n",
         "crashed", "torch.AcceleratorError: CUDA error: an illegal memory access was encountered"),
        ("RuntimeError: CUDA error: out of memory\nCompile with `TORCH_USE_CUDA_DSA` …\n",
         "out_of_memory", "RuntimeError: CUDA error: out of memory"),
        ("ValueError: the first\n\nDuring handling …\n\nRuntimeError: CUBLAS_STATUS_ALLOC_FAILED when …",
         "out_of_memory", "RuntimeError: CUBLAS_STATUS_ALLOC_FAILED when …"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
         "out_of_memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."),
    ],
)  # fmt: skip
def test_an_error_is_told_by_its_own_line(said: str, outcome: str, reason: str) -> None:
    """CUDA's errors are followed by advice for programmers."""
    found = run(do="fail_in_bytes", hex=said.encode().hex())
    assert found == {"outcome": outcome, "reason": reason}


@pytest.mark.parametrize("hang", [False, True])
def test_what_the_child_started_ends_with_it(hang: bool) -> None:
    """Whether the child ends by itself or is stopped."""
    seen: list[int] = []

    def look() -> None:
        for pid in _children(os.getpid()):
            if b"quiz.lab.guarded" in _read(f"/proc/{pid}/cmdline"):
                seen.extend([pid, *_descendants(pid)])

    found = run(Limits(seconds=1.5, memory=2**30), look, do="leave_someone_behind", and_hang=hang)
    assert found["outcome"] == ("timed_out" if hang else "measured")
    left = set(seen) | {found["left"]} if "left" in found else set(seen)
    assert len(left) >= 2 or not hang
    _wait(lambda: all(_is_zombie(str(pid)) for pid in left))


def _children(pid: int) -> list[int]:
    """Of a process: this one may have others, such as a browser of other tests."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in lists for child in _read(path).split()]


def _read(path: Path | str) -> bytes:
    """Nothing of a process that has just gone."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _descendants(pid: int) -> list[int]:
    return [found for child in _children(pid) for found in (child, *_descendants(child))]


def test_a_child_that_cannot_be_killed_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that waits for a card that no longer answers."""
    kill, spared = os.killpg, []
    monkeypatch.setattr(children, "KILL_SECONDS", 0.2)
    monkeypatch.setattr(os, "killpg", lambda group, _number: spared.append(group))
    begun = time.monotonic()
    found = run(Limits(seconds=0.3, memory=2**30), do="hang")
    assert time.monotonic() - begun < 3
    assert found == {"outcome": "timed_out", "reason": "stopped after 0.3 s"}
    kill(spared[0], signal.SIGKILL)
    _wait(lambda: _is_zombie(str(spared[0])))
    os.waitpid(spared[0], 0)


def test_what_a_child_says_needs_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert run(do="answer") == {"outcome": "measured", "median_ms": 1.5, "budget": "0.5"}


def test_growing_past_the_limit_is_watched() -> None:
    found = run(Limits(seconds=30, memory=60 * 2**20), do="grow", mib=200)
    assert found == {"outcome": "out_of_memory", "reason": f"stopped at {60 * 2**20} resident bytes"}


def test_one_allocation_past_the_address_space_is_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "ADDRESS_SPACE_EXTRA", 2**28)
    small = Limits(seconds=30, memory=2**28)
    assert run(small, do="allocate", bytes=2**30) == {"outcome": "out_of_memory", "reason": "MemoryError"}
    assert run(small, do="allocate", bytes=2**20) == {"outcome": "measured"}
    free = Limits(seconds=30, memory=2**28, address_space=False)
    assert run(small, do="reserve", bytes=2**30)["outcome"] == "out_of_memory"
    assert run(free, do="reserve", bytes=2**30) == {"outcome": "measured"}


def test_what_the_check_raises_ends_the_child_at_once() -> None:
    class Cancelled(Exception):
        pass

    until = time.monotonic() + 0.7

    def check() -> None:
        if time.monotonic() > until:
            raise Cancelled

    begun = time.monotonic()
    with pytest.raises(Cancelled):
        run(check=check, do="hang")
    assert time.monotonic() - begun < 1.7


def test_signals_to_the_group_are_left_to_the_parent() -> None:
    assert run(do="ignore_signals") == {"outcome": "measured"}


def test_a_child_dies_with_its_parent() -> None:
    """The parent is killed with -9 while its child hangs."""
    program = (
        "from quiz.lab.children import *\n"
        "measure({'do': 'hang'}, limits=Limits(seconds=60, memory=2**30), budget=1, check=lambda: None, "
        f"module={MODULE!r})"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    child = _wait(lambda: Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split())[0]
    _wait(lambda: _is_ours(child) and resident_bytes(int(child)) > 2**22)
    time.sleep(0.3)  # past the point where it asks to die with its parent
    parent.kill()
    parent.wait()
    _wait(lambda: not Path(f"/proc/{child}").exists() or _is_zombie(child))


def _is_zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def _wait(condition: Callable[[], Any]) -> Any:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("not within 10 s")


def test_memory_of_no_process_is_nothing() -> None:
    assert resident_bytes(2**22 + 1) == 0
    assert resident_bytes(os.getpid()) > 2**20
