"""A way through a case: the choices made, one letter each, which is all that its address holds."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.bank.cases.case import Case, Choice, Step

LONGEST = 60  # letters that are read from an address


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A step on the way with what was chosen in it, in order. `before` is the way up to it."""

    number: int
    step: Step
    taken: tuple[Choice, ...]
    before: str

    @property
    def is_over(self) -> bool:
        return any(choice.is_good for choice in self.taken)

    @property
    def way(self) -> str:
        """The way through this stage, as far as it was gone."""
        return self.before + "".join(choice.key for choice in self.taken)

    @property
    def open_choices(self) -> tuple[Choice, ...]:
        """What was not chosen yet, while the step is not over."""
        return () if self.is_over else tuple(c for c in self.step.choices if c not in self.taken)


@dataclass(frozen=True, kw_only=True)
class Walk:
    """All stages that were reached; the last is the current one until the case is over."""

    stages: tuple[Stage, ...]
    is_over: bool

    @property
    def way(self) -> str:
        return self.stages[-1].way

    @property
    def detours(self) -> int:
        return sum(not choice.is_good for stage in self.stages for choice in stage.taken)


def walk(case: Case, way: str) -> Walk:
    """The walk that a way describes; what makes no sense in it, or comes twice, is passed over."""
    letters = list(way[:LONGEST])
    stages: list[Stage] = []
    before = ""
    for number, step in enumerate(case.steps, 1):
        choices = {choice.key: choice for choice in step.choices}
        taken: list[Choice] = []
        while letters and not any(choice.is_good for choice in taken):
            chosen = choices.get(letters.pop(0))
            if chosen is not None and chosen not in taken:
                taken.append(chosen)
        stages.append(Stage(number=number, step=step, taken=tuple(taken), before=before))
        if not stages[-1].is_over:
            return Walk(stages=tuple(stages), is_over=False)
        before = stages[-1].way
    return Walk(stages=tuple(stages), is_over=True)
