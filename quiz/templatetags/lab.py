"""Filters for the lab's figures: bytes, durations, the device's name."""

from __future__ import annotations

from django import template

from quiz.lab import formatting

register = template.Library()

register.filter("size", formatting.size)
register.filter("duration", formatting.duration)


@register.filter
def device_name(name: str) -> str:
    """`CPU`, or the card's own name."""
    return "CPU" if name == "cpu" else name
