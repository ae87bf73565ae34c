"""The suite's settings: the site's own, with plain static files and no mail; DATABASE_URL may say where."""

import os
import tempfile
from pathlib import Path

if "QUIZ_DATA_DIR" not in os.environ:  # pytest's workers share the folder of the process that starts them
    folder = tempfile.TemporaryDirectory(prefix="qkv-tests-")
    os.environ["QUIZ_DATA_DIR"] = folder.name
    (Path(folder.name) / "static").mkdir()

from quiz.settings import *  # noqa: F403

SECRET_KEY = "tests"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CACHES["rendered"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}  # noqa: F405
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TASKS = {
    "default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend", "QUEUES": ["checks", "lab", "gpu"]}
}
