"""Reading an archive back: checked whole before anything changes, then written in one transaction."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction

from quiz.management.archive.tables import applied_migrations, column_names, columns, decode, kept_models
from quiz.management.archive.writing import FORMAT, MANIFEST, member_name

BATCH_ROWS = 500
MADE_BY_MIGRATING = (ContentType, Permission, Group, Group.permissions.through)


class ArchiveRefused(Exception):
    """The file cannot be restored here; the text says why. Nothing was changed."""


def read(path: Path, *, replace: bool) -> dict[str, Any]:
    """Put the archive's rows in place of the database's. Returns the manifest.

    Everything or nothing: one transaction, after every check that needs no writing. Raises ArchiveRefused; a
    database that holds anything is refused unless `replace`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _checked_manifest(archive)
            if not replace:
                _require_empty()
            _restore(archive, manifest)
    except (OSError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise ArchiveRefused(f"{path} cannot be read as a back-up: {error}") from error
    except DatabaseError as error:
        raise ArchiveRefused(f"the database refuses the back-up's rows: {error}") from error
    ContentType.objects.clear_cache()
    return manifest


def _checked_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
        found = manifest["format"]
    except (KeyError, ValueError, TypeError) as error:
        raise ArchiveRefused("this is no back-up of QKV: it has no manifest") from error
    if found != FORMAT:
        raise ArchiveRefused(f"the back-up has format {found}; this version reads format {FORMAT}")
    _require_same_schema(manifest)
    for label, told in manifest["members"].items():
        _require_intact(archive, label, told)
    return manifest


def _require_same_schema(manifest: dict[str, Any]) -> None:
    here, there = set(applied_migrations()), set(manifest["migrations"])
    if here != there:
        lacking, further = sorted(there - here), sorted(here - there)
        raise ArchiveRefused(
            f"the back-up was made by version {manifest['version']} with other migrations "
            f"(lacking here: {', '.join(lacking) or 'none'}; lacking there: {', '.join(further) or 'none'}). "
            "Run manage.py migrate here first; or restore with that version, then migrate."
        )
    tables = {model._meta.label_lower: column_names(model) for model in kept_models()}
    told = {label: member["columns"] for label, member in manifest["members"].items()}
    if tables != told:
        different = sorted(
            label for label in tables.keys() | told.keys() if tables.get(label) != told.get(label)
        )
        raise ArchiveRefused(f"these tables differ from the back-up's: {', '.join(different)}")


def _require_intact(archive: zipfile.ZipFile, label: str, told: dict[str, Any]) -> None:
    digest = hashlib.sha256()
    count = 0
    for line in _lines(archive, label):
        digest.update(line)
        count += 1
    if (count, digest.hexdigest()) != (told["count"], told["sha256"]):
        raise ArchiveRefused(f"the back-up is damaged: {member_name(label)} does not match its SHA-256")


def _lines(archive: zipfile.ZipFile, label: str) -> Iterator[bytes]:
    try:
        with archive.open(member_name(label)) as member:
            yield from member
    except KeyError as error:
        raise ArchiveRefused(f"the back-up is damaged: {member_name(label)} is missing") from error


def _require_empty() -> None:
    """Nothing but what `migrate` itself makes."""
    counts = {
        model._meta.label: model._base_manager.count()
        for model in kept_models()
        if model not in MADE_BY_MIGRATING
    }
    filled = [f"{label} ({count})" for label, count in counts.items() if count]
    if filled:
        raise ArchiveRefused(
            f"the database is not empty: {', '.join(filled)}. Give --replace to lose what is in it."
        )


@transaction.atomic
def _restore(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    """Foreign keys are checked when the transaction ends, so the order of the tables does not matter."""
    restored = kept_models()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            names = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in restored)
            cursor.execute(f"LOCK TABLE {names} IN EXCLUSIVE MODE")
        for model in restored:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608
    for model in restored:
        _insert_all(archive, model)
        count = model._base_manager.count()
        if count != manifest["members"][model._meta.label_lower]["count"]:
            raise ArchiveRefused(f"{model._meta.label}: {count} rows arrived")
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), restored):
            cursor.execute(statement)
    connection.check_constraints()


def _insert_all(archive: zipfile.ZipFile, model: type[models.Model]) -> None:
    """Raw inserts: no signal, no `auto_now`, no history row; each row exactly as it was."""
    label = model._meta.label_lower
    lines = _lines(archive, label)
    try:
        while rows := [decode(model, line) for line in islice(lines, BATCH_ROWS)]:
            model._base_manager._insert(rows, fields=columns(model), raw=True)  # type: ignore[attr-defined]
    except (ValueError, ValidationError, DatabaseError) as error:
        raise ArchiveRefused(f"a row of {model._meta.label} cannot be stored here: {error}") from error
