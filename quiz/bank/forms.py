"""The admin's forms for sections and questions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from quiz.bank.answers import BY_FIELD
from quiz.bank.choosing import section_in_language
from quiz.bank.markup import plain
from quiz.bank.models import (
    COLLECTIONS,
    MOST_ABILITIES,
    Ability,
    Language,
    Question,
    QuestionText,
    Section,
    SectionText,
)
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


class NumbersField(forms.CharField):
    """Numbers of questions set apart by commas or blanks, kept as a list."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(str(number) for number in value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[int]:  # type: ignore[override]
        words = str(value or "").replace(",", " ").replace("，", " ").replace("、", " ").split()
        wrong = [word for word in words if not word.isdecimal()]
        if wrong:
            raise forms.ValidationError(_("“%(word)s” is no number of a question.") % {"word": wrong[0]})
        numbers = list(dict.fromkeys(int(word) for word in words))
        known = set(Question.objects.filter(number__in=numbers).values_list("number", flat=True))
        for number in numbers:
            if number not in known:
                raise forms.ValidationError(_("There is no question %(number)s.") % {"number": number})
        return numbers


class QuestionForm(forms.ModelForm):
    """`families` is chosen from the registry, and kept as a list of slugs; so are the abilities."""

    sections = SectionsField(label=_("sections"), queryset=Section.objects.numbered().with_texts())
    families = forms.MultipleChoiceField(
        label=_("linked exercises"),
        choices=family_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
    )

    abilities = forms.MultipleChoiceField(
        label=_("abilities"),
        choices=Ability.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
    )
    next = NumbersField(
        label=_("questions that follow"),
        required=False,
        help_text=_("Numbers of the questions an interviewer goes on to, such as 23, 24."),
    )

    class Meta:
        model = Question
        fields = ("sections", "difficulty", "abilities", "families", "asked", "next", "is_published")
        help_texts = {
            "asked": _("In how many of the 30 public collections it stands; empty where it was not counted.")
        }

    def clean_abilities(self) -> list[str]:
        abilities: list[str] = self.cleaned_data["abilities"]
        if len(abilities) > MOST_ABILITIES:
            raise forms.ValidationError(_("At most %(most)s abilities.") % {"most": MOST_ABILITIES})
        return abilities

    def clean_asked(self) -> int | None:
        asked: int | None = self.cleaned_data["asked"]
        if asked is not None and not 1 <= asked <= COLLECTIONS:
            raise forms.ValidationError(_("From 1 to %(most)s, or empty.") % {"most": COLLECTIONS})
        return asked


class MarkupForm(forms.ModelForm):
    """Refuses broken formulas and live numbers in any of its `marked_up` fields; what was typed stays."""

    marked_up: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        for name in self.marked_up:
            try:
                text = self.cleaned_data.get(name) or ""
                validate_markup(text, language=self._language(), part=name)
            except forms.ValidationError as error:
                self.add_error(name, error)
        return cleaned

    def _language(self) -> str:
        return str(self.cleaned_data.get("language") or Language.ZH)


class QuestionTextForm(MarkupForm):
    """The parts of the answer may be left empty; one that is written is built as `answers.PARTS` says."""

    marked_up = ("title", "examines", *BY_FIELD)

    class Meta:
        model = QuestionText
        fields = ("language", "title", "examines", *BY_FIELD)
        widgets = {
            "title": PreviewTextarea("inline"),
            "examines": forms.TextInput(attrs={"class": "wide-line"}),
        } | {field: PreviewTextarea(field) for field in BY_FIELD}
        help_texts = {
            "short_answer": _("Said aloud in 30 seconds."),
            "minute_answer": _("Said aloud in a minute."),
            "full_answer": _(
                "Derivation, shapes, a small example with live numbers, code; headings are ###."
            ),
            "passing_points": _("3 to 6 items, each on a line that begins with a hyphen and a space."),
            "bonus_points": _("1 to 4 items."),
            "common_mistakes": _("2 to 4 times a line “## what people say”, then why it is wrong."),
            "follow_ups": _("2 to 4 times a line “## the question”, then a short answer."),
            "sources": _("Items: papers, documentation, with links."),
        }


class SectionTextForm(MarkupForm):
    marked_up = ("title", "body")

    class Meta:
        model = SectionText
        fields = ("language", "title", "body")
        widgets = {"title": PreviewTextarea("inline"), "body": PreviewTextarea()}
