"""Runs that came with the program: `DEMO-cpu.json`, `DEMO-cuda.json`, printed by `manage.py lab --json`.

Shown, labelled as stored, beside what was measured here: a visitor sees real figures at once, and those of a
GPU even where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from quiz.lab.demos.demo import Demo
from quiz.lab.exporting import from_json
from quiz.lab.results import Row
from quiz.lab.showing import Findings

FOLDER = Path(__file__).resolve().parent
KINDS = ("cuda", "cpu")  # what few can measure themselves comes first


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A run of this kind of device. `key` names it in addresses."""

    kind: str
    found: Findings

    @property
    def key(self) -> str:
        return f"stored-{self.kind}"

    @property
    def name(self) -> str:
        return _("Stored run, GPU") if self.kind == "cuda" else _("Stored run, CPU")


def stored(demo: Demo) -> tuple[Stored, ...]:
    """The stored runs of a demonstration, at most one a kind of device."""
    found = []
    for kind in KINDS:
        read = _read(FOLDER, demo, kind)
        if read is not None:
            parameters, rows = read
            found.append(_stored(demo, kind, parameters, rows))
    return tuple(found)


def _stored(demo: Demo, kind: str, parameters: dict[str, Any], rows: tuple[Row, ...]) -> Stored:
    found = Findings(
        demo=demo, parameters=demo.complete(parameters), rows=list(rows), prefix=f"stored-{kind}-"
    )
    return Stored(kind=kind, found=found)


@cache
def _read(folder: Path, demo: Demo, kind: str) -> tuple[dict[str, Any], tuple[Row, ...]] | None:
    path = folder / f"{demo.slug}-{kind}.json"
    if not path.exists():
        return None
    parameters, rows = from_json(path.read_text(encoding="utf-8"), demo)
    return parameters, tuple(rows)
