"""Where one person stands with one variant: tries, hints, and how much may be shown.

The steps of revealing: after the first wrong answer the mistake is named; after the second the first step
that went wrong and the right value of the step before; after the third, or on request, everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from quiz.accounts.people import Person
from quiz.exercises import types
from quiz.exercises.verdicts import UNREAD
from quiz.responses.models import Help, Response, State

TRIES = 3


class Reveal(IntEnum):
    NOTHING = 0
    MISTAKE = 1
    STEP = 2
    SOLUTION = 3


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What a person has done with a variant so far, oldest first."""

    responses: tuple[Response, ...] = ()
    hints: int = 0
    gave_up: bool = False

    @classmethod
    def made_of(cls, responses: Iterable[Response], steps: Collection[int]) -> Self:
        """Of what was answered and the steps of the helps that were asked for."""
        return cls(responses=tuple(responses), hints=max(steps, default=0), gave_up=Help.SOLUTION in steps)

    @property
    def wrong(self) -> int:
        return sum(r.counts and r.verdict != "right" for r in self.responses)

    @property
    def is_solved(self) -> bool:
        return any(r.verdict == "right" for r in self.responses)

    @property
    def reveal(self) -> Reveal:
        """How much may be shown now."""
        if self.is_solved or self.gave_up:
            return Reveal.SOLUTION
        return Reveal(min(self.wrong, TRIES))

    @property
    def is_over(self) -> bool:
        """The right values have been shown: further answers are marked but not counted."""
        return self.reveal is Reveal.SOLUTION

    @property
    def last(self) -> Response | None:
        return self.responses[-1] if self.responses else None

    def would_count(self, verdict: str, raw: Mapping[str, types.Response]) -> bool:
        """Whether an answer with this verdict, handed in now, counts as a try."""
        again = self.last is not None and self.last.raw == dict(raw)
        return verdict not in UNREAD and not self.is_over and not again

    def state_if_right(self) -> State:
        """How a right answer given now came about."""
        if self.is_over:
            return State.SOLUTION
        if self.hints:
            return State.HELPED
        return State.CHANGED if self.wrong else State.FIRST


NEW = Standing()


def standing_of(person: Person, *, family: str, seed: int, version: int) -> Standing:
    """Two queries for someone known, none for a visitor who has left no trace."""
    if not person.is_known:
        return NEW
    asked = {"variant__family": family, "variant__seed": seed, "variant__version": version}
    responses = Response.objects.filter(person.owns(), **asked).order_by("id")
    return Standing.made_of(
        responses, set(Help.objects.filter(person.owns(), **asked).values_list("step", flat=True))
    )
