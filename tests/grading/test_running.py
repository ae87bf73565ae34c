"""The commands as they are run: no database, no torch, the same bytes whatever the number of processes."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from quiz.exercises import registry
from quiz.exercises.drawing import vary
from quiz.grading.autocheck.columns import Row
from quiz.grading.autocheck.pooling import judge_rows, processes_for
from tests.exercises.drawn import SLUGS, typed
from tests.grading.batches import HEADER, right

ROOT = Path(__file__).resolve().parents[2]


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", **environment},
        capture_output=True,
        check=False,
    )


def batch(path: Path, rows: int) -> None:
    """Rows over all families: right, planted mistakes and noise."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER.split(","))
        for index in range(rows):
            variant = vary(SLUGS[index % len(SLUGS)], index % 23)
            part = rng.choice(variant.parts).name
            mistakes = [values[part] for values in variant.mistakes.values() if part in values]
            value = rng.choice([variant.right[part], *mistakes[:3]])
            response = rng.choice([typed(value), typed(value), "1.2.3", "", "[1, 2]"])
            writer.writerow([f"c{index}", variant.family.slug, variant.seed, part, response])


def test_command_needs_no_database_and_writes_bytes_to_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    row = f"王五,scaled_entry,4,scaled,{right('scaled_entry', 4, 'scaled')}"
    path.write_text(f"\ufeff{HEADER}\r\n{row}\r\n", "utf-8")
    done = manage("autocheck", str(path), QUIZ_DATA_DIR=str(tmp_path), PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    written = done.stdout.decode("utf-8")
    assert written.startswith(f"\ufeff{HEADER},verdict,")
    assert written.split("\r\n")[1].startswith(f"{row},right,1,")
    assert done.stderr == b"1 rows: right 1\n"
    typed_in = subprocess.run(
        [sys.executable, "manage.py", "autocheck", "-"],
        cwd=ROOT,
        input=path.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert typed_in.stdout == done.stdout


def test_unreadable_file_and_unknown_family_exit_with_two(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("candidate,family\n", "utf-8")
    done = manage("autocheck", str(path), QUIZ_DATA_DIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert "缺少列 seed、part、response" in done.stderr.decode()
    for arguments in (("nothing", "1"), ("scaled_entry", "-1"), ("scaled_entry",), ()):
        with pytest.raises(CommandError) as error:
            call_command("exercise", *arguments[:1], "--", *arguments[1:])
        assert error.value.returncode == 2


def test_commands_import_no_torch(tmp_path: Path) -> None:
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'quiz.settings'\n"
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        "call_command('exercise', 'kv_cache', '3')\n"
        "call_command('autocheck', sys.argv[1])\n"
        "from django.db import connection\n"
        "assert connection.connection is None\n"
        "assert 'torch' not in sys.modules"
    )
    path = tmp_path / "batch.csv"
    path.write_text(f"{HEADER}\na,kv_cache,3,batch,1\n", "utf-8")
    subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "QUIZ_DATA_DIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        check=True,
        capture_output=True,
    )


def test_output_is_the_same_bytes_for_any_number_of_processes(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    batch(path, 1300)
    outputs = []
    for processes in ("1", "2", "3"):
        output = tmp_path / f"out{processes}.csv"
        call_command(
            "autocheck", str(path), output=str(output), processes=int(processes), stderr=io.StringIO()
        )
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
    rows = list(csv.DictReader(io.StringIO(outputs[0].decode(), newline="")))
    assert [row["candidate"] for row in rows] == [f"c{index}" for index in range(1300)]
    assert {"right", "wrong", "partial", "malformed", "wrong_shape"} <= {row["verdict"] for row in rows}


def test_rows_are_taken_only_a_few_windows_ahead() -> None:
    """Memory is bounded: a file of any length is never held whole."""
    taken = 0

    def rows() -> Any:
        nonlocal taken
        for line in range(100_000):
            taken += 1
            yield Row(line, None, "nothing", "1", "x", "1")

    results = judge_rows(rows(), processes=2)
    assert [next(results)[0].line for _ in range(3)] == [0, 1, 2]
    assert taken <= 3000
    results.close()  # type: ignore[attr-defined]


def test_processes_are_used_where_they_pay() -> None:
    assert processes_for(10) == 1
    assert processes_for(100_000) == len(os.sched_getaffinity(0))
    assert processes_for(100_000, 1) == 1
    assert processes_for(10, 4) == 4


@pytest.mark.parametrize("slug", SLUGS)
def test_exercise_prints_json_and_text_in_both_languages(slug: str) -> None:
    stream = io.StringIO()
    call_command("exercise", slug, "17", "--json", stdout=stream)
    shown = json.loads(stream.getvalue(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    variant = vary(slug, 17)
    assert (shown["family"], shown["seed"], shown["version"]) == (slug, 17, variant.family.version)
    assert [(p["name"], p["kind"]) for p in shown["parts"]] == [(p.name, p.kind) for p in variant.parts]
    for language, title in (("zh-hans", variant.family.title.zh), ("en", variant.family.title.en)):
        stream = io.StringIO()
        call_command("exercise", slug, "17", "--language", language, stdout=stream)
        text = stream.getvalue()
        assert text.startswith(title)
        told = [variant.misconception(slug) for slug, values in variant.mistakes.items() if values]
        assert told
        assert all(f"  {m.slug}: {m.title.in_language(language)}" in text for m in told)


def test_list_names_every_family() -> None:
    stream = io.StringIO()
    call_command("exercise", "--list", "--json", stdout=stream)
    listed = json.loads(stream.getvalue())
    assert [family["slug"] for family in listed] == [family.slug for family in registry.all_families()]
    needed = {"slug", "group", "sections", "parts", "misconceptions"}
    assert all(needed <= set(family) for family in listed)
    stream = io.StringIO()
    call_command("exercise", "--list", stdout=stream)
    assert [line.split()[0] for line in stream.getvalue().splitlines()] == [
        family["slug"] for family in listed
    ]
