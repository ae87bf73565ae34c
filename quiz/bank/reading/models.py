"""How far a person has read, and which practice tasks they ticked. Nothing else of reading is kept."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quiz.accounts.models import OwnedModel, User
from quiz.bank.models import Section


class Reading(OwnedModel):
    """One person in one section: the furthest part they came to, and when they said that they had read it.

    `place` counts the parts from 1; 0 while only the beginning was seen.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="readings")
    place = models.PositiveSmallIntegerField(default=0)
    read_at = models.DateTimeField(null=True, blank=True)
    touched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-touched_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(visitor__isnull=True),
                name="reading_has_one_owner",
            ),
            models.UniqueConstraint(fields=["user", "section"], name="reading_once_a_user"),
            models.UniqueConstraint(fields=["visitor", "section"], name="reading_once_a_visitor"),
        ]
        verbose_name = _("reading")
        verbose_name_plural = _("readings")

    def __str__(self) -> str:
        return f"{self.section_id} {self.place}"

    @classmethod
    def adopt(cls, visitor_id: uuid.UUID, user: User) -> None:
        """Where the user has read the same section, the further of both stands."""
        theirs = {row.section_id: row for row in cls._default_manager.filter(user=user)}
        for row in cls._default_manager.filter(visitor_id=visitor_id):
            known = theirs.get(row.section_id)
            if known is None:
                row.user, row.visitor = user, None
                row.save(update_fields=["user", "visitor"])
                continue
            known.place = max(known.place, row.place)
            known.read_at = known.read_at or row.read_at
            known.touched_at = max(known.touched_at, row.touched_at)
            known.save()
            row.delete()


class Tick(OwnedModel):
    """A practice task of the start page that a person ticked."""

    task = models.SlugField(max_length=30)

    once = ("task",)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(visitor__isnull=True),
                name="tick_has_one_owner",
            ),
            models.UniqueConstraint(fields=["user", "task"], name="tick_once_a_user"),
            models.UniqueConstraint(fields=["visitor", "task"], name="tick_once_a_visitor"),
        ]
        verbose_name = _("ticked task")
        verbose_name_plural = _("ticked tasks")

    def __str__(self) -> str:
        return self.task
