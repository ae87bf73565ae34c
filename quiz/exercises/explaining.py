"""What is said of an entry of a diagnosis: a misconception, two of them at once, or a slip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quiz.exercises import slips
from quiz.exercises.family import Family
from quiz.exercises.types import Misconception, Text
from quiz.exercises.variants import PAIRED, Variant

BOTH = Text("两处一起错会得到", "With both mistakes")
BOTH_TOLD = Text(
    "单独一处错对不上你的数，两处一起错才正好得到它。",
    "Neither of the two alone gives what you wrote; both together do.",
)


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """`title` completes "looks like …"; `told` is a sentence, `question` leads on; `caption` names the row
    with the number it gives, None where there is no such row."""

    title: Text
    told: Text
    question: Text
    caption: Text | None


def explain(family: Family, entry: str, *, where: Text = slips.SOME_CELL) -> Explanation | None:
    """How an entry is explained, or None when the family knows it no longer. `where` is the wrong cell."""
    if entry in slips.SLIPS:
        slip = slips.SLIPS[entry]
        return Explanation(title=slip.title_at(where), told=slip.told, question=slip.question, caption=None)
    known = [_misconception(family, slug) for slug in entry.split(PAIRED)]
    found = [misconception for misconception in known if misconception is not None]
    if len(found) < len(known):
        return None
    if len(found) == 1:
        (one,) = found
        return Explanation(title=one.title, told=one.told, question=one.question, caption=one.caption)
    return Explanation(title=_both(found), told=BOTH_TOLD, question=found[0].question, caption=BOTH)


def explained(
    variant: Variant, part: str, diagnosis: Sequence[str], *, cells: Sequence[bool] = ()
) -> list[Explanation]:
    """What the diagnosis of a part names, entry by entry; `cells` tells which one a slip is in."""
    where = slips.SOME_CELL
    if any(entry in slips.SLIPS for entry in diagnosis):
        where = slips.place(variant.part(part).shape, cells)
    found = (explain(variant.family, entry, where=where) for entry in diagnosis)
    return [one for one in found if one is not None]


def _misconception(family: Family, slug: str) -> Misconception | None:
    return next((one for one in family.misconceptions if one.slug == slug), None)


def _both(found: Iterable[Misconception]) -> Text:
    zh = "；".join(one.title.zh for one in found)
    en = ", and ".join(one.title.en for one in found)
    return Text(f"两处错叠在了一起：{zh}", f"two mistakes at once: {en}")
