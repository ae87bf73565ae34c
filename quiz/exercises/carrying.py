"""Follow-through: a wrong step is paid for once, where it was made.

The rule. In a whole answer of several steps, a part that is not right is worked out anew by the right steps
from the candidate's own earlier values, wrong ones included (`Family.carry`; steps left blank are worked out
in between). If that gives what the candidate wrote, the part *follows*: no second mistake was made there. It
names the **origins**, the wrong parts that it started from and that do not follow themselves.

It does not follow when

- no wrong earlier part has any influence on it (it is then wrong by itself, or, if only the rounding of
  right steps explains it, rounded too early); or
- its value is also what a known mistake gives that leaves the origins right: then two explanations compete,
  and what may be a second mistake is not excused.

A part that follows earns `CREDIT` of a right one, or what its right cells earn, if that is more. The rest is
the penalty: what was asked for was not found. It is said to follow but earns no more than by itself when
there was nothing left to work out, or nothing of the candidate's own to work from:

- an origin is **trivial**: all its numbers are the same (equal weights, one visible score), or are 0 or 1
  (nothing, the identity, all weight on one key);
- the carried value is nothing but zeros, or only **copies**: it is a given or an earlier value, or holds an
  origin as it stands;
- an origin was **given up**: its right value has been shown.

Autocheck judges each row by itself, and nothing follows there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from quiz.exercises import slips, verdicts
from quiz.exercises.comparing import cells_of, matching, same, shape_of
from quiz.exercises.diagnosis import rung
from quiz.exercises.types import Part, PartVerdict, Value, Values
from quiz.exercises.variants import Variant
from quiz.exercises.working import worked_on

CREDIT = 0.7


def follow_through(
    variant: Variant, judged: Sequence[PartVerdict], *, shown: Collection[str] = ()
) -> tuple[PartVerdict, ...]:
    """The verdicts on a whole answer, each part judged by itself before, with those that follow marked so.

    `shown` are the parts whose right value the candidate has been shown.
    """
    own: Values = {one.part: one.value for one in judged if _usable(one)}
    found: dict[str, PartVerdict] = {}
    for one in judged:
        wrong = [earlier for earlier in found.values() if earlier.key != "right" and earlier.part in own]
        if one.key != "right" and one.part in own:
            one = _followed(variant, one, own, wrong=wrong, shown=shown)
        found[one.part] = one
    return tuple(found.values())


def _usable(one: PartVerdict) -> bool:
    return one.value is not None and one.key in ("right", "partial", "wrong") and not one.readings


def _followed(
    variant: Variant, one: PartVerdict, own: Values, *, wrong: list[PartVerdict], shown: Collection[str]
) -> PartVerdict:
    part = variant.part(one.part)
    carried = _carried(variant, part, own)
    if not same(part, one.value, carried):
        return one
    near = [
        earlier
        for earlier in wrong
        if not same(part, _carried(variant, part, own | {earlier.part: variant.right[earlier.part]}), carried)
    ]
    origins = tuple(dict.fromkeys(name for earlier in near for name in (earlier.follows or (earlier.part,))))
    if not origins:
        return _rounded_too_early(variant, one)
    singles = one.diagnosis if rung(one.diagnosis) == 1 else ()
    shared = tuple(slug for slug in singles if _shows(variant, slug, own, origins))
    if not shared and any(not variant.mistakes[slug].keys() & set(origins) for slug in singles):
        return one
    no_more: verdicts.NoMore | None = None
    if set(origins) & set(shown):
        no_more = "shown"
    elif not _is_work(variant, part, carried, own, origins):
        no_more = "nothing_left"
    return replace(
        one,
        key="partial" if no_more is None else one.key,
        score=max(CREDIT, one.score) if no_more is None else one.score,
        reason=verdicts.follows([variant.part(name).label for name in origins], no_more=no_more),
        cells=(True,) * len(one.cells),
        diagnosis=shared,
        follows=origins,
    )


def _carried(variant: Variant, part: Part, own: Values) -> Value:
    """The part worked out from the own values of the parts before it."""
    return worked_on(variant, _before(variant, part, own))[part.name]


def _before(variant: Variant, part: Part, own: Values) -> Values:
    names = [each.name for each in variant.parts]
    return {name: own[name] for name in names[: names.index(part.name)] if name in own}


def _rounded_too_early(variant: Variant, one: PartVerdict) -> PartVerdict:
    """Nothing earlier is wrong, and yet the own earlier values lead here: they were rounded."""
    if rung(one.diagnosis) == 1:
        return one
    title = [slips.ROUNDING.title]
    some = one.key == "partial"
    reason = verdicts.some_right(sum(one.cells), len(one.cells), title) if some else verdicts.suspected(title)
    return replace(one, diagnosis=(slips.ROUNDING.slug,), reason=reason)


def _shows(variant: Variant, slug: str, own: Values, origins: Sequence[str]) -> bool:
    """Whether the mistake also gives the values of the origins."""
    values = variant.mistakes[slug]
    return all(name in values and same(variant.part(name), own[name], values[name]) for name in origins)


# ---- what counts as work ----


def _is_work(variant: Variant, part: Part, carried: Value, own: Values, origins: Sequence[str]) -> bool:
    if any(_is_trivial(own[name]) for name in origins) or not any(cells_of(carried)):
        return False
    if any(_holds(carried, own[name], variant.right[part.name], part) for name in origins):
        return False
    written = (*(given.value for given in variant.prompt.givens), *_before(variant, part, own).values())
    return shape_of(carried) == () or not any(same(part, carried, known) for known in written)


def _is_trivial(value: Value) -> bool:
    """Whether all numbers are 0 or 1, or, of several, all the same (−∞ aside)."""
    cells = cells_of(value)
    if all(cell in (0, 1) for cell in cells):
        return True
    return len(cells) > 1 and len({cell for cell in cells if cell != -math.inf}) < 2


def _holds(carried: Value, origin: Value, right: Value, part: Part) -> bool:
    """Whether the carried value has the origin in it as it stands: its numbers in a run, or, of as many
    numbers, the same in every cell that went wrong."""
    cells, start = cells_of(carried), cells_of(origin)
    if len(cells) == len(start) > 1:
        fine = matching(part.tolerance, cells, cells_of(right))
        return all(ok or a == b for ok, a, b in zip(fine, cells, start, strict=True))
    runs = range(len(cells) - len(start) + 1) if len(start) > 1 else ()
    return any(cells[at : at + len(start)] == start for at in runs)
