"""The desk: what there is to do and to look at for instructors and graders."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from quiz.accounts.guarding import at_desk
from quiz.exercises.explaining import explain
from quiz.pages.family_rows import BarRow, family_or_none
from quiz.responses.fields import told
from quiz.responses.models import Report
from quiz.responses.statistics import Period, frequent_mistakes

LATELY = timedelta(days=7)
MOST = 5


@require_safe
@at_desk
def desk(request: HttpRequest) -> HttpResponse:
    """Open reports, the mistakes of the last days, and the way to everything else."""
    context = {
        "open_reports": Report.objects.filter(resolved_at=None).count(),
        "mistakes": _mistakes(timezone.now()),
        "days": LATELY.days,
    }
    return render(request, "pages/desk.html", context)


def _mistakes(now: datetime) -> list[BarRow]:
    """Bars against the most frequent one, each leading to the family in which it is made most."""
    found = frequent_mistakes(Period(since=now - LATELY), most=MOST)
    most = max((one.count for one in found), default=1)
    rows = []
    for one in found:
        family = family_or_none(one.family)
        explanation = explain(family, one.slug) if family else None
        rows.append(
            BarRow(
                label=told(explanation.title) if explanation else one.slug,
                count=one.count,
                share=one.count / most,
                url=reverse("pages:family", args=[one.family]),
            )
        )
    return rows
