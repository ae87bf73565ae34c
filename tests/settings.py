"""The suite's settings: the site's own, with plain static files and no mail. DATABASE_URL chooses the database."""

import os
import tempfile

os.environ.setdefault("QUIZ_DATA_DIR", tempfile.mkdtemp(prefix="qkv-tests-"))

from quiz.settings import *  # noqa: F403, E402

SECRET_KEY = "tests"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend", "QUEUES": ["checks", "lab"]}}
