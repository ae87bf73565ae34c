"""Parameters that several demonstrations share."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from quiz.lab.demos.demo import Parameter, options

NUMBER_FORMAT = Parameter(
    name="dtype",
    label=gettext_lazy("Number format"),
    kind="one",
    options=options("float32", "bfloat16", "float16"),
    default="float32",
)


def heads(*offered: int, default: int) -> Parameter:
    """How many heads."""
    return Parameter(
        name="heads", label=gettext_lazy("Heads"), kind="one", options=options(*offered), default=default
    )


def width(*offered: int, default: int) -> Parameter:
    """How wide a head is."""
    return Parameter(
        name="width",
        label=gettext_lazy("Head width d"),
        kind="one",
        options=options(*offered),
        default=default,
    )
