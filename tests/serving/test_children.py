"""A child is started again after pauses that grow, and its lines reach the terminal under its name."""

from __future__ import annotations

import io
import sys
import time

import pytest

from quiz.management.serving import children
from quiz.management.serving.children import Child, describe_code, pause_before
from quiz.management.serving.console import Console
from tests.databases import wait_until


def test_pauses_double_up_to_thirty_seconds() -> None:
    assert [pause_before(n) for n in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert pause_before(10_000) == 30


@pytest.mark.parametrize(
    ("code", "text"),
    [(0, "exit code 0"), (3, "exit code 3"), (-9, "killed by SIGKILL"), (137, "killed by SIGKILL")],
)
def test_describe_code(code: int, text: str) -> None:
    assert describe_code(code) == text


def short_lived(said: list[str]) -> Child:
    command = [sys.executable, "-c", "print('one'); print('two'); raise SystemExit(3)"]
    return Child("job", command, say=lambda name, line: said.append(f"{name}: {line}"))


def watch_until(child: Child, count: int, said: list[str]) -> None:
    def ended() -> bool:
        child.watch()
        return sum("ended" in line for line in said) >= count

    wait_until(ended, seconds=20)


def test_a_child_that_ends_is_started_again_later_each_time() -> None:
    said: list[str] = []
    child = short_lived(said)
    watch_until(child, 2, said)
    run = ["job: one", "job: two"]
    assert said == [
        *run,
        "job: ended (exit code 3); starting again in 0.5 s",
        *run,
        "job: ended (exit code 3); starting again in 1 s",
    ]
    child.ask_to_stop()
    child.watch()
    assert not child.is_running


def test_a_child_that_was_steady_starts_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "STEADY_SECONDS", 0.0)
    said: list[str] = []
    watch_until(short_lived(said), 2, said)
    assert [line for line in said if "ended" in line] == [
        "job: ended (exit code 3); starting again in 0.5 s"
    ] * 2


def test_a_stopped_child_is_not_started_again() -> None:
    child = Child(
        "job", [sys.executable, "-c", "import time; time.sleep(600)"], say=lambda _name, _line: None
    )
    child.watch()
    child.ask_to_stop()
    child.end(time.monotonic() + 5)
    assert not child.is_running
    child.watch()
    assert not child.is_running


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_childrens_lines_come_after_the_first_lines() -> None:
    out = io.StringIO()
    console = Console(out, ["web", "checks"])
    console.say("web", "early")
    console.tell("QKV  web http://127.0.0.1:8000")
    console.open()
    console.say("checks", "late")
    assert out.getvalue() == "QKV  web http://127.0.0.1:8000\nweb    | early\nchecks | late\n"


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    coloured = Console(terminal, ["web"])
    coloured.open()
    coloured.say("web", "x")
    assert terminal.getvalue() == "\x1b[36mweb |\x1b[0m x\n"
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    quiet = Console(plain, ["web"])
    quiet.open()
    quiet.say("web", "x")
    assert plain.getvalue() == "web | x\n"


def test_a_closed_terminal_stops_nothing() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    console = Console(Closed(), ["web"])
    console.open()
    console.say("web", "x")
    console.tell("y")
