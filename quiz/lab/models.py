"""Runs of the lab: what was asked for, and each point as it was measured."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from quiz.accounts.models import Visitor
from quiz.accounts.people import Person
from quiz.lab.outcomes import Outcome
from quiz.work.models import FINISHED, Job, State


class RunQuerySet(models.QuerySet["Run"]):
    """Runs, newest first by the model's order."""

    def of(self, person: Person) -> RunQuerySet:
        return self.filter(person.owns())

    def since(self, moment: datetime) -> RunQuerySet:
        return self.filter(created_at__gt=moment)

    def the_same(self, fingerprint: str) -> RunQuerySet:
        """Finished runs of the same points on the same kind of device, newest first."""
        return self.filter(fingerprint=fingerprint, job__state=State.DONE)

    def unfinished(self) -> RunQuerySet:
        return self.exclude(job__state__in=FINISHED)

    def with_job(self) -> RunQuerySet:
        return self.select_related("job")


class Run(models.Model):
    """One demonstration with its parameters. Each point says for itself which machine measured it.

    `fingerprint` is the same for runs that measure the same points on the same kind of device.
    """

    class Kind(models.TextChoices):
        CPU = "cpu", "CPU"
        CUDA = "cuda", "GPU"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    visitor = models.ForeignKey(Visitor, on_delete=models.SET_NULL, null=True, blank=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="run")
    demo = models.SlugField(max_length=60)
    parameters = models.JSONField()
    device = models.CharField(max_length=10, choices=Kind.choices, default=Kind.CPU)
    predicted_seconds = models.FloatField(default=0)
    fingerprint = models.CharField(max_length=64, db_index=True, default="")
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("run")
        verbose_name_plural = _("runs")

    def __str__(self) -> str:
        return f"{self.demo} {self.pk}"


class Point(models.Model):
    """One measured point of a run, written once under (run, position, attempt)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="points")
    position = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField()
    configuration = models.JSONField()
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    measurement = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "attempt"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position", "attempt"], name="point_written_once")
        ]
        verbose_name = _("point")
        verbose_name_plural = _("points")

    def __str__(self) -> str:
        return f"{self.run_id}/{self.position}"
