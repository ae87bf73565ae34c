"""Writing an archive: one consistent picture of the database, while the site goes on serving."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from quiz.management.archive.tables import applied_migrations, column_names, kept_models, lines
from quiz.version import version

FORMAT = 1
MANIFEST = "manifest.json"


def write(path: Path) -> dict[str, Any]:
    """Write everything to `path` (replacing a file there only when done). Returns the manifest."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, snapshot():
                manifest = _write_members(archive)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction that sees one moment of the database, and on neither engine keeps anyone from writing.

    PostgreSQL: REPEATABLE READ. SQLite in WAL mode: a deferred transaction reads from one moment; the site's
    immediate ones would lock.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        mode = connection.transaction_mode  # type: ignore[attr-defined]
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
        try:
            with transaction.atomic():
                yield
        finally:
            connection.transaction_mode = mode  # type: ignore[attr-defined]
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _write_members(archive: zipfile.ZipFile) -> dict[str, Any]:
    manifest = {
        "format": FORMAT,
        "version": version(),
        "made_at": timezone.now().isoformat(),
        "engine": connection.vendor,
        "migrations": applied_migrations(),
        "members": {model._meta.label_lower: _write_member(archive, model) for model in kept_models()},
    }
    archive.writestr(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))
    return manifest


def member_name(label: str) -> str:
    return f"rows/{label}.jsonl"


def _write_member(archive: zipfile.ZipFile, model: type[models.Model]) -> dict[str, Any]:
    digest = hashlib.sha256()
    count = 0
    with archive.open(member_name(model._meta.label_lower), "w", force_zip64=True) as member:
        for line in lines(model):
            member.write(line)
            digest.update(line)
            count += 1
    return {"columns": column_names(model), "count": count, "sha256": digest.hexdigest()}
