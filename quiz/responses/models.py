"""What was asked and what was answered, kept as it was: the drawn values, and the raw text."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from quiz.accounts.models import OwnedModel


class Variant(models.Model):
    """One draw of a family as it was asked. A later change of the generator never changes it."""

    family = models.SlugField(max_length=60)
    seed = models.BigIntegerField()
    version = models.PositiveSmallIntegerField()
    drawn = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["family", "seed", "version"], name="variant_stored_once")
        ]
        verbose_name = _("variant")
        verbose_name_plural = _("variants")

    def __str__(self) -> str:
        return f"{self.family}/{self.seed}"


class State(models.TextChoices):
    """How a right answer came about (the routes of `quiz.exercises.verdicts`)."""

    FIRST = "first", _("first time")
    CHANGED = "changed", _("after a change")
    HELPED = "helped", _("after a hint")
    SOLUTION = "solution", _("with the solution seen")


class Response(OwnedModel):
    """One answer handed in. `raw` is what was typed, part by part; `parts` how each was marked.

    `counts` is false for what could not be read, for the same text handed in again, and once the right values
    have been shown. `try_number` is 1, 2, 3 for what counts and 0 for the rest. `state` is set on right
    answers. `seconds` is the time since this person first opened the variant, null where that is not known.

    `diagnosis` is that of the first part that went wrong (`quiz.exercises.diagnosis` says how its entries are
    written). The rule for a mistake that nobody knows yet: the answer counts, its verdict is "wrong" or
    "partial", and its diagnosis is empty.
    """

    variant = models.ForeignKey(Variant, on_delete=models.PROTECT, related_name="responses")
    raw = models.JSONField()
    verdict = models.CharField(max_length=20)
    score = models.FloatField()
    parts = models.JSONField(default=list)
    diagnosis = models.JSONField(default=list)
    marking_version = models.PositiveSmallIntegerField()
    counts = models.BooleanField(default=True)
    try_number = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=State.choices, blank=True)
    seconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(visitor__isnull=True),
                name="response_has_one_owner",
            )
        ]
        verbose_name = _("response")
        verbose_name_plural = _("responses")

    def __str__(self) -> str:
        return f"{self.variant} {self.verdict}"


class Help(OwnedModel):
    """A hint (1, 2, 3) or the solution (0), asked for before or between answers."""

    SOLUTION = 0

    variant = models.ForeignKey(Variant, on_delete=models.PROTECT, related_name="helps")
    step = models.PositiveSmallIntegerField()

    once = ("variant", "step")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "variant", "step"], name="help_once_a_user"),
            models.UniqueConstraint(fields=["visitor", "variant", "step"], name="help_once_a_visitor"),
        ]
        verbose_name = _("help asked for")
        verbose_name_plural = _("helps asked for")

    def __str__(self) -> str:
        return f"{self.variant} {self.step}"


class Probe(OwnedModel):
    """A further probe of a drill that was asked for, 1, 2, …: no hint, and it costs nothing."""

    variant = models.ForeignKey(Variant, on_delete=models.PROTECT, related_name="probes")
    number = models.PositiveSmallIntegerField()

    once = ("variant", "number")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "variant", "number"], name="probe_once_a_user"),
            models.UniqueConstraint(fields=["visitor", "variant", "number"], name="probe_once_a_visitor"),
        ]
        verbose_name = _("probe asked for")
        verbose_name_plural = _("probes asked for")

    def __str__(self) -> str:
        return f"{self.variant} {self.number}"


class Report(OwnedModel):
    """“Something is wrong here”: what a person reports about a variant and, mostly, about its verdict.

    Instructors resolve it with a note, which the person who reported it can read.
    """

    class Kind(models.TextChoices):
        ANSWER = "answer", _("The answer is disputed")
        TEXT = "text", _("The text is unclear")
        DIAGNOSIS = "diagnosis", _("The named mistake is not mine")
        TRANSLATION = "translation", _("The translation is off")
        OTHER = "other", _("Something else")

    variant = models.ForeignKey(
        Variant, on_delete=models.PROTECT, related_name="reports", verbose_name=_("variant")
    )
    response = models.ForeignKey(
        Response,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="reports",
        verbose_name=_("response"),
    )
    kind = models.CharField(_("what is wrong"), max_length=20, choices=Kind.choices)
    words = models.TextField(_("in their words"), blank=True, max_length=2000)
    resolved_at = models.DateTimeField(_("resolved"), null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="resolved_reports",
        verbose_name=_("resolved by"),
    )
    note = models.TextField(_("note to whoever reported it"), blank=True, max_length=2000)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(visitor__isnull=True),
                name="report_has_one_owner",
            )
        ]
        verbose_name = _("report")
        verbose_name_plural = _("reports")

    def __str__(self) -> str:
        return f"{self.variant} {self.kind}"
