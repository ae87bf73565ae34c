"""Which task carries out which kind of job, so that a lost job can be enqueued again by its kind alone.

A feature registers its task where it defines it (in its `tasks` module)::

    @job_kind("lab_run")
    @task(queue_name="lab")
    def measure(job_id: int) -> None: ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar

TaskT = TypeVar("TaskT")

_TASKS: dict[str, Any] = {}


class UnknownKind(LookupError):
    """No task is registered for a job's kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"no task is registered for jobs of kind {kind!r}")


def job_kind(kind: str) -> Callable[[TaskT], TaskT]:
    """Register a django-tasks task (called with the job's id) for jobs of this kind."""

    def register(task: TaskT) -> TaskT:
        _TASKS[kind] = task
        return task

    return register


def task_of(kind: str) -> Any:
    """The task registered for `kind`. Raises UnknownKind."""
    try:
        return _TASKS[kind]
    except KeyError:
        raise UnknownKind(kind) from None


def load_tasks() -> None:
    """Import the `tasks` module of every feature, so that every kind is known to a worker."""
    import quiz

    for module in pkgutil.iter_modules(quiz.__path__, "quiz."):
        if module.ispkg and find_spec(f"{module.name}.tasks"):
            importlib.import_module(f"{module.name}.tasks")
