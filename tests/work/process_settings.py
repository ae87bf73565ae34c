"""The settings of the worker processes that the tests start: the site's own, and the tests' kinds of job."""

from quiz.settings import *  # noqa: F403
from quiz.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.work.apps.WorkTests"]
SECRET_KEY = "tests"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
