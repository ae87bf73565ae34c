"""The admin's forms for sections and questions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from quiz.bank.choosing import section_in_language
from quiz.bank.markup import plain
from quiz.bank.models import Question, QuestionText, Section, SectionText
from quiz.bank.validating import validate_markup
from quiz.bank.widgets import PreviewTextarea
from quiz.exercises import registry


def family_choices() -> list[tuple[str, str]]:
    """Every exercise family by slug and title, in the reader's language."""
    language = get_language() or "zh-hans"
    return [(f.slug, f"{f.title.in_language(language)} ({f.slug})") for f in registry.all_families()]


class SectionsField(forms.ModelMultipleChoiceField):
    """Sections to tick, each with its number and title."""

    widget = forms.CheckboxSelectMultiple(attrs={"class": "choices"})

    def label_from_instance(self, obj: Section) -> str:
        title = section_in_language(obj, get_language() or "zh-hans").title
        return f"{obj.number} {plain(title)}"


class QuestionForm(forms.ModelForm):
    """`families` is chosen from the registry, and kept as a list of slugs."""

    sections = SectionsField(label=_("sections"), queryset=Section.objects.with_texts())
    families = forms.MultipleChoiceField(
        label=_("linked exercises"),
        choices=family_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
    )

    class Meta:
        model = Question
        fields = ("sections", "difficulty", "families", "is_published")


class MarkupForm(forms.ModelForm):
    """Refuses broken formulas and live numbers in any of its `marked_up` fields; what was typed stays."""

    marked_up: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        for name in self.marked_up:
            try:
                validate_markup(self.cleaned_data.get(name) or "")
            except forms.ValidationError as error:
                self.add_error(name, error)
        return cleaned


class QuestionTextForm(MarkupForm):
    marked_up = ("title", "examines", "short_answer")

    class Meta:
        model = QuestionText
        fields = ("language", "title", "examines", "short_answer")
        widgets = {
            "title": PreviewTextarea(inline=True),
            "examines": forms.TextInput(attrs={"class": "wide-line"}),
            "short_answer": PreviewTextarea(),
        }


class SectionTextForm(MarkupForm):
    marked_up = ("title", "body")

    class Meta:
        model = SectionText
        fields = ("language", "title", "body")
        widgets = {"title": PreviewTextarea(inline=True), "body": PreviewTextarea()}
