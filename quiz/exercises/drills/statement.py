"""A statement that people get wrong, and how it might be mended."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.exercises.types import Text


@dataclass(frozen=True, kw_only=True)
class Fix:
    """A way to mend the statement; `told` says why it is none, and is None for the one that is right."""

    slug: str
    label: Text
    told: Text | None = None


@dataclass(frozen=True, kw_only=True)
class Statement:
    """`name` is short and plain. `believed`: why one should doubt the claim; None for one that is true."""

    name: Text
    claim: Text
    question: Text
    fixes: tuple[Fix, ...]
    believed: Text | None = None

    @property
    def is_true(self) -> bool:
        return self.believed is None

    @property
    def right(self) -> str:
        """The slug of the right answer: `TRUE`, or a fix."""
        return TRUE if self.is_true else next(fix.slug for fix in self.fixes if fix.told is None)


TRUE = "true"
