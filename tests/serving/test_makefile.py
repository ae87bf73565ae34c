"""What `make` would do: install when the requirements changed, and hand its variables on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.databases import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of the Makefile, the requirements, and a Python that only writes down how it is called."""
    for name in ("Makefile", "requirements.txt", "requirements-web.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$*" >> "$(dirname "$0")/calls"\n')
    python.chmod(0o755)
    return tmp_path


def outside_make() -> dict[str, str]:
    """The environment without what a make that runs this suite passes on to the makes that it starts."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}


def make(project: Path, *arguments: str) -> list[str]:
    """The calls that one run of make made of the virtual environment's Python."""
    calls = project / ".venv" / "bin" / "calls"
    calls.unlink(missing_ok=True)
    subprocess.run(["make", *arguments], cwd=project, env=outside_make(), check=True, capture_output=True)
    return calls.read_text().splitlines() if calls.exists() else []


def installs(calls: list[str]) -> list[str]:
    return [call.split()[-1] for call in calls if "pip install" in call]


def test_requirements_are_installed_once(project: Path) -> None:
    assert installs(make(project, "install")) == ["requirements.txt"]
    assert installs(make(project, "install")) == []
    assert installs(make(project, "LAB=0", "install")) == ["requirements-web.txt"]
    assert installs(make(project, "LAB=0", "install")) == []


@pytest.mark.parametrize("changed", ["requirements.txt", "requirements-web.txt"])
def test_requirements_are_installed_again_when_they_changed(project: Path, changed: str) -> None:
    make(project, "install")
    later = (project / ".venv" / ".installed-requirements").stat().st_mtime + 5
    os.utime(project / changed, (later, later))
    assert installs(make(project, "install")) == ["requirements.txt"]


def test_without_the_lab_torch_is_never_asked_for(project: Path) -> None:
    assert installs(make(project, "LAB=0", "serve")) == ["requirements-web.txt"]
    asked_for = {
        name: {line.split("==")[0] for line in (project / name).read_text().splitlines()}
        for name in ("requirements-web.txt", "requirements.txt")
    }
    assert {name for name, packages in asked_for.items() if "torch" in packages} == {"requirements.txt"}


def test_serve_hands_its_variables_on(project: Path) -> None:
    [call] = [
        call for call in make(project, "serve", "HOST=0.0.0.0", "PORT=8123", "WORKERS=3") if "serve" in call
    ]
    command, parent = call.rsplit(maxsplit=1)
    assert command == "manage.py serve --host 0.0.0.0 --port 8123 --workers 3 --parent"
    assert parent.isdigit()


def test_help_lists_every_target(project: Path) -> None:
    done = subprocess.run(
        ["make"], cwd=project, env=outside_make(), check=True, capture_output=True, text=True
    )
    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        "help",
        "serve",
        "install",
        "test",
        "prove",
        "mutants",
        "check",
    ]
