"""Numbers at the ends of what can be read, in every part of every family: marked as others are, no error."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from quiz.exercises.carrying import CREDIT
from quiz.exercises.comparing import cells_of
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import vary
from quiz.exercises.explaining import explained
from quiz.exercises.marking import mark, mark_part
from quiz.exercises.reading.literals import LARGEST_BITS
from quiz.exercises.reading.shapes import LARGEST_SIZE
from quiz.exercises.types import Part, PartVerdict, Tolerance, Value, Values
from quiz.exercises.variants import Variant
from tests.exercises.drawn import SLUGS, typed, variants_from

LARGEST = 2 ** (LARGEST_BITS - 1) - 1  # the largest whole number that is read
SMALLEST = 5e-324
EXTREMES: tuple[float, ...] = (
    2**1022,
    -(2**1022),
    LARGEST,
    -LARGEST,
    1.7e308,
    -1.7e308,
    1e200,
    SMALLEST,
    -SMALLEST,
    -1e9,
    2**63,
    0,
    -0.0,
)
MIXED = 5
SIZES = (0, 1, 2**31, LARGEST_SIZE)


def extremes_of(part: Part) -> tuple[float, ...]:
    if part.kind == "shape":
        return SIZES
    return (*EXTREMES, -math.inf) if part.infinite else EXTREMES


def filled(value: Value, cell: Callable[[float], float]) -> Value:
    """A value of the same form with other numbers in it."""
    return [filled(item, cell) for item in value] if isinstance(value, list) else cell(value)


def everywhere(value: Value, number: float) -> Value:
    return filled(value, lambda _: number)


def at(value: Value, place: int, number: float) -> Value:
    cells = iter([number if i == place else c for i, c in enumerate(cells_of(value))])
    return filled(value, lambda _: next(cells))


def mixed(part: Part, right: Value, rng: random.Random) -> Value:
    return filled(right, lambda cell: rng.choice((*extremes_of(part), cell)))


def planted(part: Part, right: Value, rng: random.Random) -> Iterator[Value]:
    """One extreme in every cell; in the first, the last and each hidden cell by itself; in all hidden cells
    beside wrong ones; and several mixed."""
    cells = cells_of(right)
    hidden = {place for place, cell in enumerate(cells) if cell == -math.inf}
    for number in extremes_of(part):
        yield everywhere(right, number)
        yield from (at(right, place, number) for place in {0, len(cells) - 1, *hidden})
        if hidden:
            yield filled(right, lambda cell, n=number: n if cell == -math.inf else cell + 1)  # type: ignore[misc]
    yield from (mixed(part, right, rng) for _ in range(MIXED))


def is_right(tolerance: Tolerance, given: float, right: float) -> bool:
    """An oracle that cannot overflow: the rule of `Tolerance`, in fractions."""
    if math.isinf(given) or math.isinf(right):
        return given == right
    width = max(Fraction(tolerance.absolute), Fraction(tolerance.relative) * abs(Fraction(right)))
    return abs(Fraction(given) - Fraction(right)) <= width


def assert_marked(variant: Variant, part: Part, value: Value) -> None:
    verdict = mark_part(variant, part.name, typed(value))
    pairs = zip(cells_of(value), variant.right_cells[part.name], strict=True)
    cells = tuple(is_right(part.tolerance, given, right) for given, right in pairs)
    told = (variant.seed, part.name, value, verdict)
    assert (verdict.cells, verdict.key == "right") == (cells, all(cells)), told
    assert_tellable(variant, verdict)


def assert_tellable(variant: Variant, verdict: PartVerdict) -> None:
    """What is stored and said of it: a score, a sentence, an explanation for each entry, valid JSON."""
    assert 0 <= verdict.score <= 1
    assert all((verdict.reason.zh, verdict.reason.en))
    told = explained(variant, verdict.part, verdict.diagnosis, cells=verdict.cells)
    assert len(told) == len(verdict.diagnosis)
    json.dumps([verdict.score, verdict.cells, as_json(verdict.value)], allow_nan=False)


def assert_marked_whole(variant: Variant, values: Values) -> None:
    """Every part as by itself, unless it is rightly worked out from such numbers."""
    texts = {name: value if isinstance(value, str) else typed(value) for name, value in values.items()}
    verdict = mark(variant, texts)
    assert [part.part for part in verdict.parts] == [part.name for part in variant.parts]
    for part in verdict.parts:
        assert_tellable(variant, part)
        alone = mark_part(variant, part.part, texts[part.part])
        as_it_is = (part.key, part.score) == (alone.key, alone.score)
        assert as_it_is or (part.follows and part.score == max(CREDIT, alone.score)), (variant.seed, part)


def assert_extremes_are_marked(variant: Variant) -> None:
    rng = random.Random(f"{variant.family.slug} {variant.seed}")
    right, parts = variant.right, [part for part in variant.parts if part.kind != "choice"]
    for part in parts:
        for value in planted(part, right[part.name], rng):
            assert_marked(variant, part, value)
            assert_marked_whole(variant, {**right, part.name: value})
    for number in EXTREMES:
        everything = {p.name: everywhere(right[p.name], number) for p in parts if p.kind != "shape"}
        assert_marked_whole(variant, {**right, **everything})
    for _ in range(MIXED):
        assert_marked_whole(variant, {**right, **{p.name: mixed(p, right[p.name], rng) for p in parts}})


@pytest.mark.parametrize("slug", SLUGS)
def test_extreme_numbers_are_marked_like_any_other(slug: str) -> None:
    assert_extremes_are_marked(vary(slug, 0))


def test_what_stands_for_nothing_in_hidden_cells_is_wrong_there() -> None:
    """−10⁹ is what code adds before the softmax; the answer asked for is −∞."""
    for variant in variants_from("both_masks", range(20)):
        right = variant.right["masked"]
        written = filled(right, lambda cell: -1e9 if cell == -math.inf else cell)
        verdict = mark_part(variant, "masked", typed(written))
        assert (verdict.key, verdict.diagnosis) == ("partial", ())
        assert verdict.cells == tuple(cell != -math.inf for cell in right)
        one = mark_part(variant, "masked", typed(at(right, 0, -1e9)))
        assert (one.key, one.diagnosis) == ("partial", ("slip_one_cell",))


def test_a_misplaced_point_is_seen_beside_hidden_cells() -> None:
    """With padding on the left the first cell is −∞, which says nothing of the others."""
    named = 0
    for variant in variants_from("both_masks", range(20)):
        moved = filled(variant.right["masked"], lambda cell: cell * 100)
        verdict = mark_part(variant, "masked", typed(moved))
        named += verdict.diagnosis == ("slip_power_of_ten",)
        assert verdict.value[0] == -math.inf
    assert named == 20


@pytest.mark.parametrize("number", EXTREMES)
def test_a_wild_number_is_no_slip_of_the_point_and_one_among_right_ones_is_that_cell(number: float) -> None:
    entry = vary("scaled_entry", 4)
    assert mark_part(entry, "scaled", typed(number)).diagnosis == ()
    row = vary("softmax_row", 5)
    largest = row.right["weights"].index(max(row.right["weights"]))
    alone = mark_part(row, "weights", typed(at(row.right["weights"], largest, number)))
    assert (alone.key, alone.diagnosis) == ("partial", ("slip_one_cell",))


def test_large_whole_numbers_in_another_order_are_still_told() -> None:
    """Sums of whole numbers are exact, however large; only what no float can hold is given up."""
    variant = vary("shift_right", 3)
    ids = variant.right["pair"]
    assert mark_part(variant, "pair", typed([*ids[1:], ids[0]])).diagnosis == ("slip_order",)
    assert mark_part(variant, "pair", typed([LARGEST] * len(ids))).diagnosis == ()


@pytest.mark.prove
@pytest.mark.parametrize("slug", SLUGS)
def test_extreme_numbers_are_marked_like_any_other_over_further_seeds(slug: str) -> None:
    for variant in variants_from(slug, range(1, 21)):
        assert_extremes_are_marked(variant)
