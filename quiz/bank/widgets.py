"""A text area with what a candidate will see beside it, rendered by the site's own renderer while typing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.widgets import Script
from django.urls import reverse_lazy


class PreviewTextarea(forms.Textarea):
    """`form` says what it becomes: "inline" (a heading), "block", or the field of an answer's part."""

    template_name = "bank/preview_textarea.html"

    class Media:
        js = [Script("js/preview.js", type="module")]
        css = {"all": ["css/math.css", "css/code.css", "css/preview.css"]}

    def __init__(self, form: str = "block") -> None:
        rows = 2 if form == "inline" else 10
        super().__init__(attrs={"rows": rows, "cols": 80, "data-preview": reverse_lazy("bank:preview")})
        self.form = form

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["widget"]["form"] = self.form
        return context
