"""How a point can end, and what that is called on the page."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Outcome(models.TextChoices):
    """The first four come from the measuring command, the others from the worker that watches it."""

    MEASURED = "measured", _("measured")
    WRONG = "wrong", _("wrong result: no time shown")
    OUT_OF_MEMORY = "out_of_memory", _("out of memory")
    UNSUPPORTED = "unsupported", _("did not run as asked")
    TIMED_OUT = "timed_out", _("timed out")
    CRASHED = "crashed", _("crashed")
    REFUSED = "refused", _("not run: would not fit")


SHARE = 0.9  # of the free memory may be used
FOR_MEMORY = (Outcome.OUT_OF_MEMORY, Outcome.REFUSED)
