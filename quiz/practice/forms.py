"""The form of a report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from quiz.responses.models import Report

LONGEST = 2000


class ReportForm(forms.Form):
    """What is wrong, and words for it where a kind says too little."""

    kind = forms.ChoiceField(
        choices=Report.Kind.choices, error_messages={"required": _("Choose what is wrong.")}
    )
    words = forms.CharField(
        required=False,
        max_length=LONGEST,
        error_messages={"max_length": _("At most 2,000 characters, please.")},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("kind") == Report.Kind.OTHER and not cleaned.get("words"):
            self.add_error("words", _("Say in a few words what is wrong."))
        return cleaned
