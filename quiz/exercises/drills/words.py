"""The form of the words about a fault."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.exercises.types import Text


@dataclass(frozen=True, kw_only=True)
class FaultWords:
    """`label` is plain and may be read out; `sign` says what would be seen; `question` leads to a difference
    between this fault and others."""

    label: Text
    sign: Text
    question: Text
