"""Collecting the static files only when one of them changed: hashing and compressing takes seconds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):
    """Hashed names and gzip, with or without the brotli package: that one takes ten times as long for files
    that are sent once."""

    def create_compressor(self, **kwargs: Any) -> Compressor:
        return Compressor(**kwargs, use_brotli=False)


def collect_when_changed() -> bool:
    """Run collectstatic unless the last run collected these same files. Returns whether it ran."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = fingerprint_sources()
    if stamp.exists() and stamp.read_text() == fingerprint:
        return False
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(fingerprint)
    return True


def fingerprint_sources() -> str:
    """A digest of every source file's path, size and time, and of the storage that they go through."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for path in sorted(_sources()):
        seen = path.stat()
        digest.update(f"{path}\0{seen.st_size}\0{seen.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            yield Path(storage.path(name))
