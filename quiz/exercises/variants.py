"""A variant: one draw of a family, with everything that follows from it worked out once and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from quiz.exercises.comparing import Cells, apart, cells_of, same, shape_of
from quiz.exercises.family import Family
from quiz.exercises.types import (
    Drawn,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Table,
    Text,
    Value,
    Values,
)

APART = 4  # tolerances between a mistake and the right answer, and between two mistakes
PAIRED = "+"  # between the two misconceptions of a pair


def pair_of(one: str, other: str) -> str:
    """Two misconceptions made at once, as one entry of a diagnosis."""
    return f"{one}{PAIRED}{other}"


class UnknownPart(KeyError):
    """The variant has no part of this name."""


@dataclass(frozen=True)
class Known:
    """The value that one misconception (or two at once) gives to one part, its cells laid flat. `slug` is an
    entry of a diagnosis."""

    slug: str
    shape: tuple[int, ...]
    cells: Cells


def _laid_out(values: Mapping[str, Value]) -> tuple[Known, ...]:
    return tuple(Known(slug, shape_of(value), cells_of(value)) for slug, value in values.items())


@dataclass(frozen=True, eq=False)
class Variant:
    """`drawn` decides everything; `seed` and `version` say where it came from, `tries` how many draws it took
    (0 for one that was restored from storage)."""

    family: Family
    seed: int
    version: int
    drawn: Drawn
    tries: int = 0

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return self.family.parts(self.drawn)

    @cached_property
    def _by_name(self) -> dict[str, Part]:
        return {part.name: part for part in self.parts}

    def part(self, name: str) -> Part:
        """The part of this name, or UnknownPart."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownPart(name) from None

    @cached_property
    def required(self) -> tuple[Part, ...]:
        """The parts that are the answer; the others are steps a candidate may fill in."""
        return tuple(part for part in self.parts if part.required)

    def before(self, name: str) -> tuple[Part, ...]:
        """The steps that a part is computed from: what to look at when this part is the first to go wrong."""
        return tuple(self.part(used) for used in self.part(name).uses)

    @cached_property
    def right(self) -> Values:
        return self.family.right(self.drawn)

    @cached_property
    def raw_mistakes(self) -> dict[str, Values]:
        """Misconception → the value of every part, those that it leaves right included."""
        return self.family.mistakes(self.drawn)

    @cached_property
    def mistakes(self) -> dict[str, Values]:
        """Misconception → the values of the parts that it gets wrong."""
        return {
            slug: {
                part.name: values[part.name]
                for part in self.parts
                if part.name in values and not same(part, values[part.name], self.right[part.name])
            }
            for slug, values in self.raw_mistakes.items()
        }

    def known(self, part: str) -> tuple[Known, ...]:
        """The wrong values of a part that have a name, in the order of the family's table."""
        if part not in self._known:
            asked, right = self.part(part), self.right[part]
            named = {slug: values[part] for slug, values in self.raw_mistakes.items() if part in values}
            self._known[part] = _laid_out({s: v for s, v in named.items() if not same(asked, v, right)})
        return self._known[part]

    def known_pairs(self, part: str) -> tuple[Known, ...]:
        """The values of a part if two misconceptions are made at once, some of them no other than those of
        one alone."""
        if part not in self._known_pairs:
            self._known_pairs[part] = _laid_out(self.pairs(part))
        return self._known_pairs[part]

    def pairs(self, part: str) -> dict[str, Value]:
        """Two misconceptions at once, as `pair_of` writes them → the value of a part."""
        if part not in self._pairs:
            found = self.family.pairs(self.drawn, part)
            self._pairs[part] = {pair_of(*pair): value for pair, value in found.items()}
        return self._pairs[part]

    # What has been worked out for one part and another, kept: most variants are asked about one part only.

    @cached_property
    def _known(self) -> dict[str, tuple[Known, ...]]:
        return {}

    @cached_property
    def _known_pairs(self) -> dict[str, tuple[Known, ...]]:
        return {}

    @cached_property
    def _pairs(self) -> dict[str, dict[str, Value]]:
        return {}

    def takes_both(self, pair: str, part: str) -> bool:
        """Whether a part with both mistakes made is neither right nor what one of them gives alone."""
        value = self.pairs(part)[pair]
        alone = (self.right, *(self.raw_mistakes[slug] for slug in pair.split(PAIRED)))
        return not any(same(self.part(part), value, other[part]) for other in alone)

    @cached_property
    def right_cells(self) -> dict[str, Cells]:
        return {name: cells_of(value) for name, value in self.right.items()}

    @cached_property
    def prompt(self) -> Prompt:
        return self.family.prompt(self.drawn)

    @cached_property
    def solution(self) -> tuple[SolutionStep, ...]:
        return self.family.solution(self.drawn)

    @cached_property
    def hints(self) -> tuple[Text, ...]:
        return self.family.hints(self.drawn)

    @cached_property
    def probes(self) -> tuple[Table, ...]:
        """What may be asked for beyond the prompt, in order."""
        return self.family.probes(self.drawn)

    def misconception(self, slug: str) -> Misconception:
        """How the family explains this mistake; KeyError when it has none of this slug."""
        found = next((m for m in self.family.misconceptions if m.slug == slug), None)
        if found is None:
            raise KeyError(slug)
        return found

    @cached_property
    def told_apart(self) -> bool:
        """The draw rule: over the required parts, every misconception is at least `APART` tolerances from
        the right answer and from every other one, declared merges aside.
        """
        wrong = [
            (slug, [cells_of(values[part.name]) for part in self.required])
            for slug, values in self.raw_mistakes.items()
        ]
        right = [self.right_cells[part.name] for part in self.required]
        for index, (slug, values) in enumerate(wrong):
            if not self._apart(values, right):
                return False
            for other, others in wrong[:index]:
                if not self._merged(slug, other) and not self._apart(values, others):
                    return False
        return True

    def _apart(self, one: list[Cells], other: list[Cells]) -> bool:
        for part, a, b in zip(self.required, one, other, strict=True):
            if apart(part.tolerance, a, b, times=APART):
                return True
        return False

    def _merged(self, one: str, other: str) -> bool:
        return any(one in group and other in group for group in self.family.merged)
