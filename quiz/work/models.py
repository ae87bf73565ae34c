"""Long work: a job with a lease, and the workers that are alive.

The queue's own tables are never touched: a job is enqueued through django-tasks, keeps its own lease, and is
enqueued again when the lease runs out.
"""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class Queue(models.TextChoices):
    CHECKS = "checks", _("short jobs")
    LAB = "lab", _("measurements")
    GPU = "gpu", _("measurements on a GPU")

    @property
    def worker(self) -> Queue:
        """The queue by whose name its workers are started: those for a GPU are lab workers that have one."""
        return Queue.LAB if self == Queue.GPU else self


class State(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


FINISHED = (State.DONE, State.FAILED, State.CANCELLED)


class Job(models.Model):
    """One piece of long work. `attempt` counts starts and never falls: results are written under it.

    Of the waiting jobs of a queue the one with the earliest `due_at` is done next.
    While the job runs, `lease_until` is moved on by the worker that holds it; past it, anyone may enqueue
    the job again, and `lost_leases` counts how often that happened. While it waits, `lease_until` says when
    to look whether the queue has forgotten it. `error` is what was raised where the work itself failed.
    """

    queue = models.CharField(max_length=20, choices=Queue.choices)
    kind = models.CharField(max_length=60)
    state = models.CharField(max_length=20, choices=State.choices, default=State.WAITING, db_index=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    lost_leases = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=100, blank=True)
    due_at = models.DateTimeField(db_index=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    cancel_asked = models.BooleanField(default=False)
    done_steps = models.PositiveIntegerField(default=0)
    all_steps = models.PositiveIntegerField(default=0)
    doing = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name = _("job")
        verbose_name_plural = _("jobs")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_finished(self) -> bool:
        return self.state in FINISHED

    @property
    def failure(self) -> str:
        """Why it failed, in the reader's language; empty where it has not."""
        if self.error or self.state != State.FAILED:
            return self.error
        told = gettext("%(times)s workers died or fell silent at this job; the last was %(worker)s.")
        return told % {"times": self.lost_leases, "worker": self.worker}


class Worker(models.Model):
    """A worker process that is, or was, alive. `seen_at` older than the lease means gone."""

    name = models.CharField(max_length=100, unique=True)
    queue = models.CharField(max_length=20, choices=Queue.choices)
    host = models.CharField(max_length=200)
    device = models.CharField(max_length=200, blank=True)
    resources = models.JSONField(default=dict, blank=True)  # what the device is and has free, as it declares
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["queue", "name"]
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name

    def serves(self, queue: str) -> bool:
        """Whether this worker takes jobs of a queue; those for a GPU only with one."""
        able = queue != Queue.GPU or self.resources.get("kind") == "cuda"
        return able and self.queue == Queue(queue).worker
