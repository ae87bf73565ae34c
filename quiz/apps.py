"""The one app of the project."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QuizConfig(AppConfig):
    name = "quiz"
    verbose_name = _("QKV")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from quiz import signals

        signals.connect()
