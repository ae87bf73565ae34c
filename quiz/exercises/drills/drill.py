"""A drill: a family all of whose parts are choices."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from quiz.exercises.choosing import Asked, mistakes_of, right_of
from quiz.exercises.family import Family
from quiz.exercises.types import Drawn, Group, Part, Values


class Drill(Family):
    """`asked` says everything: the parts, what is right, and the mistake that each wrong option shows."""

    group: ClassVar[Group] = "drill"
    one_handed: ClassVar[bool] = True

    @abstractmethod
    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        """The choices of a variant."""

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return tuple(one.part for one in self.asked(drawn))

    def right(self, drawn: Drawn) -> Values:
        return right_of(self.asked(drawn))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.mistakes(drawn)[slug]

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        return mistakes_of(self.asked(drawn), known=self.misconceptions, others={})
