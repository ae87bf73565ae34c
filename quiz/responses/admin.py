"""Reports in the admin: graders read them, instructors resolve them with a note."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from quiz.bank.markup import plain
from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.explaining import explain
from quiz.exercises.registry import UnknownFamily
from quiz.responses.fields import told
from quiz.responses.keeping import EarlierVersion, as_asked, is_current
from quiz.responses.models import Report
from quiz.responses.verdicts import word


class ResolvedFilter(admin.SimpleListFilter):
    """Open ones first: they are what there is to do."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, Any]]:
        return [("open", _("open")), ("resolved", _("resolved"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        if self.value() is None:
            return queryset
        return queryset.filter(resolved_at__isnull=self.value() == "open")


@admin.register(Report)
class ReportAdmin(admin.ModelAdmin):
    """Saving a note resolves a report; the list can resolve several without one."""

    list_display = ("created_at", "kind", "exercise", "short_words", "verdict", "is_resolved")
    list_filter = (ResolvedFilter, "kind", "created_at")
    search_fields = ("words", "note", "variant__family")
    list_select_related = ("variant", "response")
    list_per_page = 50
    actions = ("resolve",)
    readonly_fields = (
        "created_at", "kind", "words", "exercise", "typed", "verdict", "named", "right", "resolved_at",
        "resolved_by",
    )  # fmt: skip
    fields = (*readonly_fields, "note")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Reports come from the pages."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        """They go with whoever wrote them."""
        return False

    @admin.display(description=_("exercise"))
    def exercise(self, report: Report) -> str:
        """An earlier version can be found at no address any more."""
        stored = report.variant
        if not is_current(stored):
            return f"{stored} (v{stored.version})"
        address = reverse("practice:variant", args=[stored.family, stored.seed])
        return format_html('<a href="{}">{}</a> (v{})', address, str(stored), stored.version)

    @admin.display(description=_("in their words"))
    def short_words(self, report: Report) -> str:
        return report.words[:80] or "–"

    @admin.display(description=_("resolved"), boolean=True)
    def is_resolved(self, report: Report) -> bool:
        return report.resolved_at is not None

    @admin.display(description=_("what was typed"))
    def typed(self, report: Report) -> str:
        return json.dumps(report.response.raw, ensure_ascii=False) if report.response else "–"

    @admin.display(description=_("verdict"))
    def verdict(self, report: Report) -> str:
        return word(report.response) if report.response else "–"

    @admin.display(description=_("mistakes that were named"))
    def named(self, report: Report) -> str:
        named = report.response.diagnosis if report.response else []
        return _(" or ").join(_titled(report.variant.family, entry) for entry in named) or "–"

    @admin.display(description=_("right values"))
    def right(self, report: Report) -> str:
        try:
            values = as_asked(report.variant).right
        except EarlierVersion:
            return str(_("not known any more: an earlier version asked this"))
        return json.dumps({name: as_json(value) for name, value in values.items()}, ensure_ascii=False)

    @admin.action(description=_("Resolve what is chosen"), permissions=["change"])
    def resolve(self, request: HttpRequest, chosen: QuerySet[Report]) -> None:
        count = chosen.filter(resolved_at=None).update(resolved_at=timezone.now(), resolved_by=request.user)
        text = ngettext("%(count)s resolved.", "%(count)s resolved.", count) % {"count": count}
        self.message_user(request, text, messages.SUCCESS)

    def save_model(self, request: HttpRequest, obj: Report, form: ModelForm[Any], change: bool) -> None:
        """Saving a note resolves the report; the first to do so is remembered."""
        if obj.resolved_at is None and obj.note:
            obj.resolved_at, obj.resolved_by_id = timezone.now(), request.user.pk
        super().save_model(request, obj, form, change)


def _titled(slug: str, entry: str) -> str:
    """What an entry of a diagnosis is called, and its own name, by which authors know it."""
    try:
        found = explain(registry.get(slug), entry)
    except UnknownFamily:
        found = None
    return f"{plain(told(found.title))} [{entry}]" if found else entry
