"""The bank: sections of the chapter and questions, with their texts in each language.

Shipped rows remember the digest of the text they were last synced from, so that an instructor's edit is seen
and never written over.
"""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from quiz.bank.chaptering import START

COLLECTIONS = 30  # the public interview collections in which questions were counted
MOST_ABILITIES = 3
FIRST_OWN_NUMBER = 101  # instructors' questions; the shipped ones are 1 to 39


class Language(models.TextChoices):
    ZH = "zh-hans", "简体中文"
    EN = "en", "English"


class Difficulty(models.TextChoices):
    BASIC = "basic", _("Basic")
    MIDDLE = "middle", _("Intermediate")
    ADVANCED = "advanced", _("Advanced")


class Ability(models.TextChoices):
    """What a question examines a candidate in; reports gather by it."""

    PRINCIPLE = "principle", _("Depth of principle")
    TENSORS = "tensors", _("Tensors and shapes")
    TRAINING = "training", _("Understanding of training")
    ENGINEERING = "engineering", _("Engineering")
    SYSTEMS = "systems", _("Systems")


class SectionQuerySet(models.QuerySet["Section"]):
    def published(self) -> SectionQuerySet:
        return self.filter(is_published=True)

    def numbered(self) -> SectionQuerySet:
        """Without the start page, which stands before the sections."""
        return self.exclude(number=START)

    def with_texts(self) -> SectionQuerySet:
        return self.prefetch_related("texts")


class Section(models.Model):
    """A section of the chapter, such as 7.9, or its start page; `position` orders them."""

    number = models.CharField(_("number"), max_length=12, unique=True)
    position = models.PositiveSmallIntegerField(_("position"))
    is_published = models.BooleanField(_("published"), default=True)
    synced_digest = models.CharField(max_length=64, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords()

    objects = SectionQuerySet.as_manager()

    class Meta:
        ordering = ["position", "number"]
        verbose_name = _("section")
        verbose_name_plural = _("sections")

    def __str__(self) -> str:
        return self.number


class SectionText(models.Model):
    """A section's title and body in one language (Markdown)."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="texts")
    language = models.CharField(_("language"), max_length=10, choices=Language.choices)
    title = models.CharField(_("title"), max_length=200)
    body = models.TextField(_("text"), blank=True)
    synced_digest = models.CharField(max_length=64, blank=True, editable=False)
    history = HistoricalRecords()

    class Meta:
        ordering = ["-language"]  # Chinese first
        constraints = [models.UniqueConstraint(fields=["section", "language"], name="section_language_once")]
        verbose_name = _("text of a section")
        verbose_name_plural = _("texts of a section")

    def __str__(self) -> str:
        return f"{self.section_id} {self.language}"


class QuestionQuerySet(models.QuerySet["Question"]):
    def published(self) -> QuestionQuerySet:
        return self.filter(is_published=True, sections__is_published=True).distinct()

    def core(self) -> QuestionQuerySet:
        return self.filter(number__lt=FIRST_OWN_NUMBER)

    def about(self, section: Section) -> QuestionQuerySet:
        return self.filter(sections=section)

    def with_texts(self) -> QuestionQuerySet:
        return self.prefetch_related("texts", "sections__texts")


class Question(models.Model):
    """A question of the bank. `number` is its public name; `families` are slugs of linked exercises.

    `abilities`: what it examines a candidate in; `asked`: in how many of the public collections that were
    counted it stands, None where it was not counted; `next`: the numbers an interviewer goes on to.
    """

    number = models.PositiveSmallIntegerField(_("number"), unique=True)
    sections = models.ManyToManyField(Section, related_name="questions", verbose_name=_("sections"))
    difficulty = models.CharField(_("difficulty"), max_length=10, choices=Difficulty.choices)
    families = models.JSONField(_("linked exercises"), default=list, blank=True)
    abilities = models.JSONField(_("abilities"), default=list, blank=True)
    asked = models.PositiveSmallIntegerField(_("how often it is asked"), null=True, blank=True)
    next = models.JSONField(_("questions that follow"), default=list, blank=True)
    is_published = models.BooleanField(_("published"), default=True)
    synced_digest = models.CharField(max_length=64, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords(m2m_fields=[sections])

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name = _("question")
        verbose_name_plural = _("questions")

    def __str__(self) -> str:
        return str(self.number)

    @property
    def published_sections(self) -> list[Section]:
        """Those of its sections that a reader may open; no query where they are prefetched."""
        return [section for section in self.sections.all() if section.is_published]

    @property
    def is_core(self) -> bool:
        return self.number < FIRST_OWN_NUMBER


class QuestionText(models.Model):
    """A question's texts in one language: what is said in 30 seconds, in a minute, and all that is folded.

    All Markdown; `answers.PARTS` says how each is built (lists of items, titled pieces).
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="texts")
    language = models.CharField(_("language"), max_length=10, choices=Language.choices)
    title = models.CharField(_("title"), max_length=300)
    examines = models.CharField(_("what it examines"), max_length=300, blank=True)
    short_answer = models.TextField(_("30-second answer"), blank=True)
    minute_answer = models.TextField(_("one-minute answer"), blank=True)
    full_answer = models.TextField(_("full answer"), blank=True)
    passing_points = models.TextField(_("passing points"), blank=True)
    bonus_points = models.TextField(_("bonus points"), blank=True)
    common_mistakes = models.TextField(_("common mistakes"), blank=True)
    follow_ups = models.TextField(_("follow-up questions"), blank=True)
    sources = models.TextField(_("sources"), blank=True)
    synced_digest = models.CharField(max_length=64, blank=True, editable=False)
    history = HistoricalRecords()

    class Meta:
        ordering = ["-language"]  # Chinese first
        constraints = [
            models.UniqueConstraint(fields=["question", "language"], name="question_language_once")
        ]
        verbose_name = _("text of a question")
        verbose_name_plural = _("texts of a question")

    def __str__(self) -> str:
        return self.title
