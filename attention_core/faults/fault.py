"""What a mistake is: a name, the step it changes, and what it does there."""

from dataclasses import dataclass

from attention_core.pipeline import Step


@dataclass(frozen=True)
class Fault:
    """A mistake: its slug, the step it changes and what it does there; `also`: further steps it changes."""

    name: str
    step: str
    replacement: Step
    also: tuple[tuple[str, Step], ...] = ()

    @property
    def changes(self) -> dict[str, Step]:
        """Every changed step by name."""
        return {self.step: self.replacement, **dict(self.also)}
