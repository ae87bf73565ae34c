"""`{% load statistics %}`: shares, times and bars of the tables that instructors look at."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from quiz.figures.bars import bar, hatching
from quiz.pages.family_rows import BarRow

register = template.Library()
NONE = "–"


@register.filter
def percent(share: float | None) -> str:
    """`43%`; a dash where there is nothing to divide by."""
    return NONE if share is None else f"{100 * share:.0f}%"


@register.filter
def clock(seconds: float | None) -> str:
    """`2:05`, `1:02:05`."""
    if seconds is None:
        return NONE
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def correlation(value: float | None) -> str:
    """Two decimals with a real minus."""
    return NONE if value is None else f"{value:.2f}".replace("-", "\u2212")


@register.filter
def drawn_bar(row: BarRow) -> SafeString:
    return mark_safe(bar(row.share, kind=row.kind))  # noqa: S308  bar() writes numbers and fixed words


@register.simple_tag
def bar_hatching() -> SafeString:
    """Once on a page that has hatched bars."""
    return mark_safe(hatching())  # noqa: S308  a constant
