"""What a mutant is, and which tests are run on it."""

from dataclasses import dataclass

_ATTENTION = ("attention", "masks", "heads", "softmax", "trace", "thin_spots", "refusals", "fault_formulas")
# By the file that is changed: the modules tests/core/test_*.py to run.
_TESTS = {
    "norms.py": ("norms", "thin_spots"),
    "positions.py": ("positions",),
    "feedforward.py": ("feedforward",),
    "multihead.py": ("multihead",),
    "blocks.py": ("blocks",),
    "modules.py": ("modules",),
    "tiling.py": ("tiling",),
    "cache.py": ("cache",),
    "gradients.py": ("gradients",),
    "training.py": ("training",),
    "costs/flops.py": ("costs", "counts"),
    "costs/parameters.py": ("costs", "counts"),
    "costs/serving.py": ("costs", "counts"),
}


@dataclass(frozen=True)
class Mutant:
    """A name, a file of attention_core, and (old, new) texts; each old text stands there exactly once."""

    name: str
    file: str
    edits: tuple[tuple[str, str], ...]

    @property
    def tests(self) -> tuple[str, ...]:
        return _TESTS.get(self.file, _ATTENTION)


def one(name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(name, file, ((old, new),))
