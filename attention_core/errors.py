"""What the library refuses, and how it says so.

Every refusal names the argument, what was given and what was expected, because a message that only says
"shapes do not match" sends its reader to the source. Refused arguments are `ValueError`s; a kernel that
cannot take a call is not a wrong value, so `UnsupportedKernel` is a `RuntimeError`.
"""


class ArgumentError(ValueError):
    """An argument that cannot be used: `argument`, `given` and `expected` are kept for the caller."""

    def __init__(self, argument: str, given: str, expected: str) -> None:
        super().__init__(f"{argument}: given {given}; expected {expected}")
        self.argument = argument
        self.given = given
        self.expected = expected

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        # ValueError pickles its single message; without this an error could not leave a worker process.
        return type(self), (self.argument, self.given, self.expected)


class ShapeError(ArgumentError):
    """Axes that do not fit each other."""


class MaskError(ArgumentError):
    """A mask, bias, window or causal rule that does not say clearly what may be attended to."""


class NumericalError(ArgumentError):
    """Numbers that cannot be right: NaN, infinity, overflow, or a kernel's output beyond its tolerance."""


class UnsupportedKernel(RuntimeError):
    """A kernel that cannot take this call (shape, dtype, device, feature): known before any arithmetic."""
