"""Golden draws: what a seed gave yesterday it gives today, on every machine and version of NumPy.

After a change that is meant to alter draws, raise the family's `version` and write the files anew:
`python -m tests.exercises.test_golden`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import draw_variant
from quiz.exercises.seeds import MAX_SEED
from tests.exercises.drawn import SLUGS

FOLDER = Path(__file__).with_name("golden")
SEEDS = (0, 1, 2026, 2**31 - 1, MAX_SEED)


def drawn(slug: str) -> dict[str, Any]:
    family = registry.get(slug)
    variants = [draw_variant(family, seed) for seed in SEEDS]
    return {
        "family": slug,
        "version": family.version,
        "variants": [
            {
                "seed": v.seed,
                "tries": v.tries,
                "drawn": dict(v.drawn),
                "right": as_json(list(v.right.values())),
            }
            for v in variants
        ],
    }


@pytest.mark.parametrize("slug", SLUGS)
def test_draws_are_those_stored(slug: str) -> None:
    stored = json.loads((FOLDER / f"{slug}.json").read_text("utf-8"))
    again = json.loads(json.dumps(drawn(slug)))
    assert again["version"] == stored["version"]
    for now, then in zip(again["variants"], stored["variants"], strict=True):
        assert {key: now[key] for key in ("seed", "tries", "drawn")} == {
            key: then[key] for key in ("seed", "tries", "drawn")
        }
        assert same(now["right"], then["right"])


def same(one: Any, other: Any) -> bool:
    """Equal, numbers to the last digits that float64 keeps."""
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other if isinstance(one, str) else one == pytest.approx(other, abs=1e-12))


def test_every_family_has_a_golden_draw() -> None:
    stored = {path.stem for path in FOLDER.glob("*.json")}
    assert stored == {family.slug for family in registry.all_families()}


if __name__ == "__main__":
    for slug in SLUGS:
        text = json.dumps(drawn(slug), ensure_ascii=False, indent=1)
        (FOLDER / f"{slug}.json").write_text(text + "\n", "utf-8")
