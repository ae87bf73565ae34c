"""A variant: one draw of a family, with everything that follows from it worked out once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from quiz.exercises.comparing import Cells, apart, cells_of, same, shape_of
from quiz.exercises.family import Family
from quiz.exercises.types import Drawn, Misconception, Part, Prompt, SolutionStep, Text, Values

APART = 4  # tolerances between a mistake and the right answer, and between two mistakes


class UnknownPart(KeyError):
    """The variant has no part of this name."""


@dataclass(frozen=True)
class Known:
    """The value one misconception gives to one part, its cells laid flat."""

    slug: str
    shape: tuple[int, ...]
    cells: Cells


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

    @cached_property
    def known(self) -> dict[str, tuple[Known, ...]]:
        """Part → its wrong values that have a name, in the order of the family's table."""
        return {
            part.name: tuple(
                Known(slug, shape_of(values[part.name]), cells_of(values[part.name]))
                for slug, values in self.mistakes.items()
                if part.name in values
            )
            for part in self.parts
        }

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
