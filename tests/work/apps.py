"""Makes the tests' kinds of job known to a worker process."""

from django.apps import AppConfig


class WorkTests(AppConfig):
    name = "tests.work"
    label = "work_tests"

    def ready(self) -> None:
        from tests.work import kinds  # noqa: F401
