"""What the statistics are asked for: dates, an order of the rows, a version; kept in the address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quiz.responses.statistics import EVER, Period

ORDERS = ("chapter", "people", "first", "time", "unknown", "discrimination")


class DatesForm(forms.Form):
    """From a day on, and up to and with a day, in the site's time zone."""

    since = forms.DateField(required=False, label=gettext_lazy("From"))
    until = forms.DateField(required=False, label=gettext_lazy("To"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", _("The last day lies before the first."))
        return cleaned


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A bad date leaves the period open, and the form says so."""

    form: DatesForm
    period: Period = EVER
    order: str = "chapter"
    version: int | None = None

    @property
    def query(self) -> str:
        """The dates as they go on to other pages of the statistics: `?since=…`, or nothing."""
        query = QueryDict(mutable=True)
        if self.form.is_valid():
            query.update({k: v.isoformat() for k, v in self.form.cleaned_data.items() if v})
        return f"?{query.urlencode()}" if query else ""

    @property
    def also(self) -> str:
        """The same, to be put behind a query that has begun."""
        return self.query.replace("?", "&")


def asked_of(query: QueryDict) -> Asked:
    form = DatesForm(query)
    version, order = query.get("version", ""), query.get("order", "")
    period = _period(**form.cleaned_data) if form.is_valid() else EVER
    is_version = version.isascii() and version.isdigit() and len(version) < 6
    return Asked(
        form=form,
        period=period,
        order=order if order in ORDERS else ORDERS[0],
        version=int(version) if is_version else None,
    )


def _period(since: date | None, until: date | None) -> Period:
    return Period(
        since=_midnight(since) if since else None,
        until=_midnight(until + timedelta(days=1)) if until and until < date.max else None,
    )


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
