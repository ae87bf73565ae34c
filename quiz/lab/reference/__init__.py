"""Runs that came with the program: `DEMO-cpu.json`, as `manage.py lab DEMO --json` printed it.

Shown, labelled as stored, where nothing has been measured yet, so that a visitor sees real figures first.
"""

from __future__ import annotations

from pathlib import Path

from quiz.lab.demos.demo import Demo
from quiz.lab.exporting import from_json
from quiz.lab.showing import Findings

FOLDER = Path(__file__).resolve().parent


def stored(demo: Demo) -> Findings | None:
    """The stored run of a demonstration; None where there is none."""
    path = FOLDER / f"{demo.slug}-cpu.json"
    if not path.exists():
        return None
    parameters, rows = from_json(path.read_text(encoding="utf-8"), demo)
    return Findings(demo=demo, parameters=parameters, rows=rows)
