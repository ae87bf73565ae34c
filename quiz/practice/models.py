"""A practice set: exercises in a stored order, so that another day or device goes on where one was."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from quiz.accounts.models import OwnedModel


class PracticeSet(OwnedModel):
    """`subject` says what it is about: the number of a section or a question, or the slug of a mistake.
    `one_handed`: only what one hand can do was asked for.

    `items` is a list of `{"family": slug, "seeds": [seed, …]}`: the last seed is the current one, those
    before it were left for other numbers. How far somebody is follows from what they answered.
    """

    class Kind(models.TextChoices):
        MIXED = "mixed", _("mixed")
        SECTION = "section", _("a section")
        QUESTION = "question", _("a question")
        WEAK = "weak", _("my weak ones")
        MISTAKE = "mistake", _("one mistake")

    kind = models.CharField(max_length=20, choices=Kind.choices)
    subject = models.CharField(max_length=60, blank=True)
    one_handed = models.BooleanField(default=False)
    items = models.JSONField(default=list)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(visitor__isnull=True),
                name="practice_set_has_one_owner",
            )
        ]
        verbose_name = _("practice set")
        verbose_name_plural = _("practice sets")

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}".strip()
