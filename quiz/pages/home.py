"""The home page: what this is, one exercise to try at once, and why to believe it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from quiz.accounts.people import person_of
from quiz.bank.models import Question
from quiz.bank.reading.progress import bookmark_of
from quiz.exercises import registry
from quiz.practice import exercise
from quiz.practice.sets import unfinished
from quiz.practice.visiting import new_visit

# A one-thumb exercise whose draw reads well on a first screen.
FIRST_FAMILY = "scaled_entry"
FIRST_SEED = 12


def home(request: HttpRequest) -> HttpResponse:
    """One screen, one act; no account, no tour. The counts come from the bank and the registry."""
    person = person_of(request)
    visit = new_visit(timezone.now(), back=request.path)
    context = {
        "question_count": Question.objects.published().core().count(),
        "family_count": sum(family.group == "numeric" for family in registry.all_families()),
        "exercise": exercise.show(request, FIRST_FAMILY, FIRST_SEED, visit=visit),
        "unfinished": unfinished(person),
        "bookmark": bookmark_of(person),
    }
    return render(request, "pages/home.html", context)
