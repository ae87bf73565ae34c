"""An experiment: calls of an implementation, what should come of them, and what is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core import drills
from attention_core.drills.probe import Implementation
from attention_core.faults.symptoms import UNFIT
from quiz.exercises.drills.looking import Kind, Look, Seen
from quiz.exercises.types import Text


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """`did` may name the place looked at as {row}. `kind`: whether the two outputs should be the same, should
    differ, or something else is looked at."""

    probes: tuple[str, ...]
    did: Text
    should: Text
    look: Look
    kind: Kind = "same"

    def tried(self, attend: Implementation) -> tuple[Seen | None, frozenset[str]]:
        """What an implementation answers, and which of the probes it fails; of one that cannot take these
        shapes nothing is seen."""
        try:
            outputs = drills.PROBES[self.probes[0]].outputs(attend)
            failed = frozenset(name for name in self.probes if drills.PROBES[name].shows(outputs))
            return self.look(outputs), failed
        except ValueError:
            return None, frozenset({UNFIT})
