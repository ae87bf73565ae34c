"""Diagnosis: what was probably done to get exactly this wrong answer.

A ladder; the first rung on which something fits is the answer, and nothing lower is asked:

1. one **misconception** of the family that gives this value; several that give it are all named ("either");
2. a **pair** of misconceptions made at once, in families of several steps: only where one pair alone gives
   it, neither of the two does by itself, and no slip does (but that of one wrong place, which says little);
3. a common **slip** (`slips`): rounded too early, transposed, in another order, of the opposite sign, off by
   a power of ten, wrong in one place only;
4. nothing we know.

A diagnosis is a tuple of entries: slugs of misconceptions (several: either of them), or one pair written
`one+other` (both of them), or one slug that begins with `slip_`; the empty tuple means rung 4. Files write
several entries as `one|other`. Within a whole answer of several steps, what went wrong is told of the first
step that is wrong by itself (`marking`, `carrying`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quiz.exercises.comparing import all_match, cells_of, same, shape_of
from quiz.exercises.slips import ONE_CELL, ONE_SIGN, PREFIX, SLIPS
from quiz.exercises.spotting import spot
from quiz.exercises.types import Value
from quiz.exercises.variants import PAIRED, Known, Variant

Diagnosis = tuple[str, ...]
SURE = SLIPS.keys() - {ONE_CELL.slug, ONE_SIGN.slug}  # each says something of every place


def diagnose(variant: Variant, part: str, value: Value) -> Diagnosis:
    """The entries that explain this wrong value of a part, misconceptions in the order of the family's
    table. Of a right value, nothing.
    """
    asked = variant.part(part)
    shape, cells, tolerance = shape_of(value), cells_of(value), asked.tolerance

    def fitting(known: Iterable[Known]) -> Diagnosis:
        return tuple(
            one.slug for one in known if one.shape == shape and all_match(tolerance, cells, one.cells)
        )

    single = fitting(variant.known(part))
    if single or same(asked, value, variant.right[part]):
        return single
    slip = spot(variant, asked, value)
    if slip in SURE:
        return (slip,)
    double = tuple(pair for pair in fitting(variant.known_pairs(part)) if variant.takes_both(pair, part))
    if len(double) == 1:
        return double
    return (slip,) if slip else ()


def narrowed(variant: Variant, diagnosis: Diagnosis, written: Mapping[str, Value]) -> Diagnosis:
    """Of several misconceptions, those that also give everything else that was written (part → value): all
    of them when none does."""
    if len(diagnosis) < 2 or rung(diagnosis) != 1:
        return diagnosis

    def gives(slug: str, part: str, value: Value) -> bool:
        expected = variant.mistakes[slug].get(part, variant.right[part])
        return same(variant.part(part), value, expected)

    fitting = tuple(
        slug for slug in diagnosis if all(gives(slug, part, value) for part, value in written.items())
    )
    return fitting or diagnosis


def misconceptions_in(diagnosis: Iterable[str]) -> tuple[str, ...]:
    """The slugs of the misconceptions that the entries name: those of a pair one by one, of slips none."""
    singles = (slug for entry in diagnosis for slug in entry.split(PAIRED))
    return tuple(dict.fromkeys(slug for slug in singles if not slug.startswith(PREFIX)))


def value_of(variant: Variant, entry: str, part: str) -> Value | None:
    """What an entry gives for a part that it gets wrong. None for a slip, whose value is the right one's in
    disguise, for a part that the mistake leaves right, and for a mistake that the family knows no longer."""
    if PAIRED in entry:
        return variant.pairs(part).get(entry)
    return variant.mistakes.get(entry, {}).get(part)


def rung(diagnosis: Diagnosis) -> int:
    """On which rung of the ladder a diagnosis stands, from 1; 4 for none."""
    if not diagnosis:
        return 4
    if diagnosis[0].startswith(PREFIX):
        return 3
    return 2 if PAIRED in diagnosis[0] else 1
