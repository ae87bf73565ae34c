"""Changes the lab of a process that the tests start, when Django is ready."""

from django.apps import AppConfig


class LabTests(AppConfig):
    name = "tests.lab"
    label = "lab_tests"

    def ready(self) -> None:
        from tests.lab import plug

        plug.install()
