"""Texts with several readings: the shape that is asked for decides, where only one reading has it."""

from __future__ import annotations

import pytest

from quiz.exercises.marking import mark_part
from quiz.exercises.reading import read
from quiz.exercises.types import Drawn, Part, Tolerance, Values
from quiz.exercises.variants import Variant
from tests.exercises.drawn import SLUGS, typed, variants_from
from tests.exercises.test_marking import BOTH, Invented

IDS = [101, 729, 235, 274, 877]


class Listed(Invented):
    """Lists whose shape decides between readings: of numbers of three digits, and of decimal commas."""

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (
            Part(name="ids", kind="sequence", label=BOTH, shape=(5,), tolerance=Tolerance()),
            Part(name="two", kind="vector", label=BOTH, shape=(2,)),
            Part(name="four", kind="vector", label=BOTH, shape=(4,)),
            Part(name="row", kind="matrix", label=BOTH, shape=(1, 2)),
            Part(name="grid", kind="matrix", label=BOTH, shape=(2, 2)),
            Part(name="form", kind="shape", label=BOTH, tolerance=Tolerance()),
        )

    def right(self, drawn: Drawn) -> Values:
        grid = [[1.5, 2.5], [3.5, 4.5]]
        return {
            "ids": IDS,
            "two": [1.5, 2.5],
            "four": [1, 5, 2, 5],
            "row": grid[:1],
            "grid": grid,
            "form": [1, 234],
        }


@pytest.mark.parametrize(
    ("part", "text", "key"),
    [
        ("ids", "101,729,235,274,877", "right"),  # not 101729235274877
        ("ids", "101\u00a0729\u00a0235\u00a0274\u00a0877", "right"),
        ("ids", "101,729,235,274,878", "partial"),
        ("two", "1,5 2,5", "right"),
        ("two", "[1,5 2,5]", "right"),
        ("two", "1,5\n2,5", "right"),  # one column
        ("four", "1,5 2,5", "right"),  # the same text, another shape
        ("row", "1,5 2,5", "right"),
        ("grid", "1,5 2,5\n3,5 4,5", "right"),
        ("grid", "1,5 2,5\n3,5 4,6", "partial"),
        ("ids", "1,5 2,5", "wrong_shape"),  # none of the readings has it
        ("form", "1,234", "ambiguous"),  # of a shape the number of axes is asked for
    ],
)  # fmt: skip
def test_the_asked_shape_decides_between_readings(part: str, text: str, key: str) -> None:
    variant = Variant(Listed(), 0, 1, {})
    kind = "shape" if part == "form" else "matrix"
    assert len(read(kind, text).readings) > 1, "not a text with several readings"
    verdict = mark_part(variant, part, text)
    assert verdict.key == key, verdict
    assert bool(verdict.readings) == (key in ("ambiguous", "wrong_shape"))


@pytest.mark.parametrize("slug", SLUGS)
def test_lists_typed_without_spaces_are_read_by_their_shape(slug: str) -> None:
    """Commas alone between the numbers, whatever the numbers are: right, and never a question."""
    for variant in variants_from(slug, range(10)):
        for part in variant.parts:
            if part.kind not in ("vector", "sequence", "matrix"):
                continue
            rows = variant.right[part.name] if part.kind == "matrix" else [variant.right[part.name]]
            text = "\n".join(",".join(typed(cell).strip('"') for cell in row) for row in rows)
            assert mark_part(variant, part.name, text).key == "right", (variant.seed, text)
