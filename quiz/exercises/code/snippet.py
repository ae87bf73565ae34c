"""What a topic of this package says for one family: the lines that lead from its numbers to its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from quiz.exercises.types import Drawn


@dataclass(frozen=True)
class Snippet:
    """`lines` are NumPy, without imports (a function of the draw where a family asks in two ways); each part
    of the family that is a number or an array is bound to a variable of the part's name.

    They start from the variant's drawn values under their own names; or, where the draw holds the answer
    itself, from what is shown: `shown` maps a variable to the name of a given.
    """

    lines: str | Callable[[Drawn], str]
    shown: Mapping[str, str] = field(default_factory=dict)

    def lines_for(self, drawn: Drawn) -> str:
        return (self.lines if isinstance(self.lines, str) else self.lines(drawn)).strip("\n")


Snippets = Mapping[str, Snippet]  # by the family's slug
