"""The home page: what this is, one exercise to try at once, and why to believe it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from quiz.bank.models import Question
from quiz.exercises import registry
from quiz.practice import exercise

# A one-thumb exercise whose draw reads well on a first screen.
FIRST_FAMILY = "scaled_entry"
FIRST_SEED = 12


def home(request: HttpRequest) -> HttpResponse:
    """One screen, one act; no account, no tour. The counts come from the bank and the registry."""
    context = {
        "question_count": Question.objects.published().core().count(),
        "family_count": sum(family.group == "numeric" for family in registry.all_families()),
        "exercise": exercise.show(request, FIRST_FAMILY, FIRST_SEED, back=request.path),
    }
    return render(request, "pages/home.html", context)
