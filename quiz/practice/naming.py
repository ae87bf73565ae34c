"""What a practice set is called."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from quiz.bank.markup import render_inline
from quiz.exercises import registry
from quiz.practice.models import PracticeSet
from quiz.responses.fields import told

Kind = PracticeSet.Kind


def title_of(kind: str, subject: str) -> SafeString:
    """The title, safe: a mistake's own words may hold maths."""
    if kind == Kind.MISTAKE:
        return _against(subject)
    titles = {
        Kind.MIXED.value: _("Mixed exercises"),
        Kind.WEAK.value: _("My weak ones"),
        Kind.SECTION.value: _("Exercises of section %(subject)s"),
        Kind.QUESTION.value: _("Exercises of question %(subject)s"),
    }
    return format_html("{}", titles[kind] % {"subject": subject})


def _against(slug: str) -> SafeString:
    for family in registry.all_families():
        for known in family.misconceptions:
            if known.slug == slug:
                return render_inline(_("Against: %(mistake)s") % {"mistake": told(known.title)})
    return format_html("{}", slug)
