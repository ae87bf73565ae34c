"""Which tables an archive holds, and how a row becomes a line of JSON and a row again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder

from quiz.work.models import Worker

ITERATION_ROWS = 1000
NOT_KEPT: tuple[type[models.Model], ...] = (Worker,)
JSON_TYPES = (bool, int, float, str, type(None))


def kept_models() -> list[type[models.Model]]:
    """Every model with a table of its own, many-to-many tables included, in the order of their names."""
    every = apps.get_models(include_auto_created=True)
    kept = [
        model for model in every if model._meta.managed and not model._meta.proxy and model not in NOT_KEPT
    ]
    return sorted(kept, key=lambda model: model._meta.label_lower)


def columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return list(model._meta.local_concrete_fields)


def column_names(model: type[models.Model]) -> list[str]:
    return [field.attname for field in columns(model)]


def lines(model: type[models.Model]) -> Iterator[bytes]:
    """The rows of a table in the order of their keys, each as one line."""
    fields = columns(model)
    for row in model._base_manager.order_by("pk").iterator(chunk_size=ITERATION_ROWS):
        values = [encode(field, row) for field in fields]
        yield json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def encode(field: models.Field[Any, Any], row: models.Model) -> Any:
    """A column's value in JSON: numbers and texts as they are, JSON as JSON, else the field's own text."""
    value = field.value_from_object(row)
    if isinstance(field, models.JSONField) or isinstance(value, JSON_TYPES):
        return value
    return field.value_to_string(row)


def decode(model: type[models.Model], line: bytes) -> models.Model:
    """The unsaved row of a line. Raises ValueError or ValidationError for what is no such row."""
    values = json.loads(line)
    fields = columns(model)
    if not isinstance(values, list) or len(values) != len(fields):
        raise ValueError(f"a row of {model._meta.label} has {len(fields)} columns")
    row = model()
    for field, value in zip(fields, values, strict=True):
        setattr(row, field.attname, value if isinstance(field, models.JSONField) else field.to_python(value))
    return row


def applied_migrations() -> list[str]:
    """The migrations of this database as "app.name", sorted."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
