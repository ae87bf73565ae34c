"""What a family of exercises has to offer: a draw, an answer, its known mistakes, and how to teach them.

A family is one class in one module of `quiz/exercises/families/`; `@register` makes it known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quiz.exercises.types import (
    Drawn,
    Group,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Table,
    Text,
    Value,
    Values,
)


class Family(ABC):
    """A generator of variants. All methods are pure functions of the drawn values.

    Raise `version` whenever a change could alter a draw, an answer or a mistake's value.
    """

    slug: ClassVar[str]
    version: ClassVar[int] = 1
    group: ClassVar[Group] = "numeric"
    code: ClassVar[str]  # the short name of the design tables, such as "D2"
    title: ClassVar[Text]
    sections: ClassVar[tuple[str, ...]]
    questions: ClassVar[tuple[int, ...]] = ()
    minutes: ClassVar[int]
    one_handed: ClassVar[bool]  # comfortable on a phone
    misconceptions: ClassVar[tuple[Misconception, ...]]
    # Sets of slugs that are numerically the same mistake and share one message.
    merged: ClassVar[tuple[frozenset[str], ...]] = ()

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Drawn:
        """One raw draw, JSON-able. `drawing.vary` redraws until the mistakes are told apart."""

    @abstractmethod
    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        """What is asked, in the order of the work; steps before the answer."""

    @abstractmethod
    def right(self, drawn: Drawn) -> Values:
        """The right value of every part, computed by attention_core."""

    @abstractmethod
    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        """The value of every part if this one mistake is made."""

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        """`mistaken` for every misconception, in table order; a family may share the work among them, and
        leaves out those that this draw cannot show (an option that is not offered, or is right here)."""
        return {m.slug: self.mistaken(drawn, m.slug) for m in self.misconceptions}

    def pairs(self, drawn: Drawn, part: str) -> Mapping[tuple[str, str], Value]:
        """The value of a part if two of the misconceptions are made at once, for those pairs that can be; and
        only in families of several steps, where two mistakes on one way are likely."""
        return {}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        """The value of a part when its own work is right and starts from `earlier`, the values of the parts
        before it; None for a part that starts from what is given. Right ones give the right value.

        `earlier` may hold any numbers of the right shape: ArithmeticError, ValueError or NaN where they lead
        nowhere.
        """
        return None

    @abstractmethod
    def prompt(self, drawn: Drawn) -> Prompt:
        """The task with every convention it relies on."""

    @abstractmethod
    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        """The worked solution, its numbers computed step by step."""

    @abstractmethod
    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        """Two or three hints, from gentle to nearly all, none of them the answer."""

    def probes(self, drawn: Drawn) -> tuple[Table, ...]:
        """What may be asked for beyond the prompt, a table at a time. Asking is no hint and costs nothing."""
        return ()

    def accepts(self, drawn: Drawn) -> bool:
        """Whether a raw draw meets the family's own constraints (no ties, no saturation, …)."""
        return True
