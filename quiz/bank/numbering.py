"""The numbers of instructors' own questions: from 101 on, after the core list."""

from __future__ import annotations

from django.db.models import Max

from quiz.bank.models import FIRST_OWN_NUMBER, Question


def next_own_number() -> int:
    """One more than the largest in use, never below 101."""
    largest = Question.objects.aggregate(largest=Max("number"))["largest"] or 0
    return max(FIRST_OWN_NUMBER, int(largest) + 1)
