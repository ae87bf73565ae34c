"""Authoring: sections and questions with their texts, a live preview, history, publishing."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _
from simple_history.admin import SimpleHistoryAdmin

from quiz.bank.choosing import question_in_language, section_in_language
from quiz.bank.forms import QuestionForm, QuestionTextForm, SectionTextForm
from quiz.bank.markup import plain
from quiz.bank.models import Question, QuestionText, Section, SectionText
from quiz.bank.numbering import next_own_number


@admin.action(description=_("Publish what is chosen"), permissions=["change"])
def publish(admin_page: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> None:
    _set_published(admin_page, request, chosen, True)


@admin.action(description=_("Unpublish what is chosen"), permissions=["change"])
def unpublish(admin_page: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> None:
    _set_published(admin_page, request, chosen, False)


def _set_published(
    admin_page: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any], published: bool
) -> None:
    """One save a row, so that each change is in the history."""
    changed = chosen.exclude(is_published=published)
    count = 0
    for row in changed:
        row.is_published = published
        row.save()
        count += 1
    text = ngettext("%(count)s changed.", "%(count)s changed.", count) % {"count": count}
    admin_page.message_user(request, text, messages.SUCCESS)


class KeepsHistory(SimpleHistoryAdmin):
    """History pages with our own list, which needs no inline style."""

    object_history_list_template = "bank/history.html"


class TextInline(admin.StackedInline):
    """The texts in both languages; `history_link` leads to the history of one text."""

    extra = 0
    min_num = 1
    max_num = 2
    readonly_fields = ("history_link",)

    @admin.display(description=_("history"))
    def history_link(self, text: Any) -> str:
        if text.pk is None:
            return "–"
        address = reverse(f"admin:quiz_{text._meta.model_name}_history", args=[text.pk])
        return format_html('<a href="{}">{}</a>', address, _("Earlier versions"))


class QuestionTextInline(TextInline):
    model = QuestionText
    form = QuestionTextForm


class SectionTextInline(TextInline):
    model = SectionText
    form = SectionTextForm


@admin.register(Question)
class QuestionAdmin(KeepsHistory):
    form = QuestionForm
    inlines = [QuestionTextInline]
    list_display = ("number", "title", "difficulty", "is_published", "updated_at")
    list_display_links = ("number", "title")
    list_filter = ("is_published", "difficulty", "sections")
    search_fields = ("number", "texts__title", "texts__short_answer")
    list_per_page = 50
    actions = (publish, unpublish)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        questions: QuerySet[Question] = super().get_queryset(request)
        return questions.prefetch_related("texts", "sections__texts")

    @admin.display(description=_("title"))
    def title(self, question: Question) -> str:
        return plain(question_in_language(question, get_language() or "zh-hans").title)

    def save_model(self, request: HttpRequest, obj: Question, form: ModelForm[Any], change: bool) -> None:
        if not change:
            obj.number = next_own_number()
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        """Shipped questions are unpublished, not deleted: the next sync would bring them back."""
        return obj is not None and not obj.is_core and super().has_delete_permission(request, obj)

    def view_on_site(self, obj: Question) -> str:
        return reverse("bank:question", args=[obj.number])


@admin.register(Section)
class SectionAdmin(KeepsHistory):
    inlines = [SectionTextInline]
    fields = ("number", "position", "is_published")
    list_display = ("number", "title", "is_published", "updated_at")
    list_display_links = ("number", "title")
    list_filter = ("is_published",)
    search_fields = ("number", "texts__title")
    actions = (publish, unpublish)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Section]:
        sections: QuerySet[Section] = super().get_queryset(request)
        return sections.prefetch_related("texts")

    @admin.display(description=_("title"))
    def title(self, section: Section) -> str:
        return plain(section_in_language(section, get_language() or "zh-hans").title)

    def has_delete_permission(self, request: HttpRequest, obj: Section | None = None) -> bool:
        """Sections are unpublished, not deleted: questions belong to them."""
        return False

    def view_on_site(self, obj: Section) -> str:
        return reverse("bank:section", args=[obj.number])


class TextAdmin(KeepsHistory):
    """Reached from the inline's link for its history; not listed on the admin's first page."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(QuestionText)
class QuestionTextAdmin(TextAdmin):
    form = QuestionTextForm


@admin.register(SectionText)
class SectionTextAdmin(TextAdmin):
    form = SectionTextForm
