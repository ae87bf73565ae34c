"""What the tests of batches share: files, runs of the command, and rows back from what it wrote."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from quiz.exercises.describing import as_json
from quiz.exercises.drawing import vary

HEADER = "candidate,family,seed,part,response"
RESULTS = ["verdict", "score", "expected", "diagnosis", "reason"]


def right(family: str, seed: int, part: str) -> str:
    """The right value as it can be typed."""
    return json.dumps(as_json(vary(family, seed).right[part]))


def wrong(family: str, seed: int, part: str, mistake: str) -> str:
    """The value of one mistake as it can be typed."""
    return json.dumps(as_json(vary(family, seed).mistakes[mistake][part]))


def run(path: Path, *arguments: str) -> str:
    """What the command wrote for this file, as text."""
    output = path.with_name(path.name + ".out")
    call_command("autocheck", str(path), "--output", str(output), *arguments, stderr=io.StringIO())
    return output.read_bytes().decode("utf-8")


def judged(
    tmp_path: Path, content: str | bytes, name: str = "batch.csv", *arguments: str
) -> list[dict[str, Any]]:
    """The output rows for a CSV file of this content."""
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(csv.DictReader(io.StringIO(run(path, *arguments), newline="")))


def judged_lines(tmp_path: Path, content: str) -> list[dict[str, Any]]:
    """The output objects for a JSON Lines file of this content."""
    path = tmp_path / "batch.jsonl"
    path.write_text(content, "utf-8")
    return [json.loads(line) for line in run(path).splitlines()]


def refused(tmp_path: Path, content: str | bytes, name: str = "batch.csv", *arguments: str) -> str:
    """Why the file was refused; nothing may have been written."""
    path, output = tmp_path / name, tmp_path / "output"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CommandError) as error:
        call_command("autocheck", str(path), "--output", str(output), *arguments, stderr=io.StringIO())
    assert error.value.returncode == 2
    assert not output.exists()
    assert {entry.name for entry in tmp_path.iterdir()} == {name}
    return str(error.value)
