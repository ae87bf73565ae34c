"""A verdict as the page shows it: which reading is meant, and numbers at the ends of what can be read."""

from __future__ import annotations

import json
import math
import re

import pytest
from django.utils.translation import override

from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.reading import read
from quiz.exercises.types import Verdict
from quiz.exercises.variants import Variant
from quiz.responses.fields import form_of, reading_of
from quiz.responses.models import Response
from quiz.responses.standing import Reveal
from quiz.responses.storing import part_as_json
from quiz.responses.verdicts import verdict_view
from tests.exercises.drawn import SLUGS, typed, variants_from
from tests.exercises.test_extremes import EXTREMES, everywhere
from tests.exercises.test_marking import Invented


def stored(verdict: Verdict) -> Response:
    """A response that nobody saves, its verdict gone through JSON as through the database."""
    parts = json.loads(json.dumps([part_as_json(part) for part in verdict.parts], allow_nan=False))
    return Response(verdict=verdict.key, score=verdict.score, parts=parts, raw={}, counts=True, try_number=1)


def choices_of(variant: Variant, responses: dict[str, object]) -> list[tuple[str, str]]:
    """Label and value of the buttons under a question."""
    verdict = mark(variant, responses)  # type: ignore[arg-type]
    assert verdict.key == "ambiguous"
    view = verdict_view(variant, stored(verdict), reveal=Reveal.NOTHING)
    return [(choice.label, choice.value) for choice in view.choices]


INVENTED = Variant(Invented(), 0, 1, {})
RIGHT: dict[str, object] = {"number": "1.5", "grid": "[[1,2],[3,4]]"}


def test_a_question_about_a_cell_is_answered_by_that_cell() -> None:
    assert choices_of(INVENTED, {**RIGHT, "grid": [["1", "2"], ["3", "4,0"]]}) == [
        ("4", "grid|[[1, 2], [3, 4.0]]"),
        ("40", "grid|[[1, 2], [3, 40]]"),
    ]
    assert choices_of(INVENTED, {**RIGHT, "number": "1,5"}) == [
        ("1.500000", "number|1.5"),
        ("15", "number|15"),
    ]


def test_a_question_about_the_whole_text_is_answered_by_the_whole_of_it() -> None:
    """The readings may begin alike: the first entries would not tell them apart."""
    assert choices_of(INVENTED, {**RIGHT, "step": "1 2 3,000"}) == [
        ("[1, 2, 3]", "step|[1, 2, 3.0]"),
        ("[1, 2, 3000]", "step|[1, 2, 3000]"),
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_buttons_say_different_things_and_choose_what_they_say(slug: str) -> None:
    """Right lists typed with decimal commas, one number after the other beside others with points."""
    for variant in variants_from(slug, range(3)):
        right = {part.name: typed(variant.right[part.name]) for part in variant.required}
        for part in (part for part in variant.parts if part.kind in ("vector", "sequence")):
            cells = [written(cell) for cell in variant.right[part.name]]
            for place, cell in enumerate(cells):
                text = " ".join([*cells[:place], cell.replace(".", ","), *cells[place + 1 :]])
                readings = mark_part(variant, part.name, text).readings
                if mark(variant, {**right, part.name: text}).key != "ambiguous":
                    assert len(readings) < 2 or mark_part(variant, part.name, text).key != "ambiguous"
                    continue
                labels, values = zip(*choices_of(variant, {**right, part.name: text}), strict=True)
                assert len(set(labels)) == len(labels) == len(readings) > 1
                meant = [read("matrix", value.partition("|")[2], infinite=part.infinite) for value in values]
                assert [one.value for one in meant] == list(readings)


def written(cell: float) -> str:
    return str(cell) if isinstance(cell, int) or math.isinf(cell) else f"{cell:.3f}"


def test_what_is_read_under_the_field_is_what_is_marked() -> None:
    """Ids typed without spaces: one reading has the ten that are asked for, and the field says that one."""
    for variant in variants_from("shift_right", range(40)):
        part, ids = variant.part("pair"), variant.right["pair"]
        text = ",".join(map(str, ids))
        assert mark(variant, {"pair": text}).key == "right"
        assert reading_of(part, text).state == "value"
        assert reading_of(part, text).text.endswith(str(ids))
    assert reading_of(part, "101,102,103").state == "ask"  # neither reading has ten


@pytest.mark.parametrize("slug", SLUGS)
def test_extreme_numbers_can_be_stored_and_shown_at_every_stage(slug: str) -> None:
    variant = vary(slug, 0)
    numbers = [part for part in variant.parts if part.kind not in ("choice", "shape")]
    for number in (*EXTREMES, -math.inf):
        values = {
            part.name: everywhere(variant.right[part.name], number)
            for part in numbers
            if part.infinite or not math.isinf(number)
        }
        texts = {
            name: v if isinstance(v, str) else typed(v) for name, v in {**variant.right, **values}.items()
        }
        verdict = mark(variant, texts)
        response = stored(verdict)
        for reveal in Reveal:
            with override("en"):
                view = verdict_view(variant, response, reveal=reveal)
            said = [line for one in view.evidence for line in one.lines]
            assert view.key == verdict.key
            assert view.heading
            assert not re.search(
                r"\bnan\b|\binf\b", " ".join(s.text for line in said for row in line.rows for s in row)
            )
        assert [form.part.name for form in form_of(variant, texts, verdict, due=True)] == [
            p.name for p in variant.parts
        ]
