"""Filters for the lab's figures: bytes, durations."""

from __future__ import annotations

from django import template

from quiz.lab import formatting

register = template.Library()

register.filter("size", formatting.size)
register.filter("duration", formatting.duration)
