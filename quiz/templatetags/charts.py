"""`{{ chart|drawn }}`: a chart as its figure. The figure escapes every text it is given."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from quiz.figures.charts import Chart, draw

register = template.Library()


@register.filter
def drawn(chart: Chart) -> SafeString:
    """Both drawings and the table."""
    return mark_safe(draw(chart))  # noqa: S308  charts.draw escapes
