"""The pages of practice sets: begin or go on, the overview that is also the end, one item, other numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from quiz.accounts.people import Person, person_of, person_to_record
from quiz.bank.models import Question
from quiz.exercises import registry
from quiz.exercises.family import Family
from quiz.practice import composing, sets
from quiz.practice.exercise import present
from quiz.practice.models import PracticeSet
from quiz.practice.visiting import new_visit, place_or_404
from quiz.practice.weaknesses import weaknesses_of
from quiz.responses.keeping import open_variant

Kind = PracticeSet.Kind
SUBJECT = re.compile(r"[\w.]{0,60}")  # a number or a slug


def start(request: HttpRequest) -> HttpResponseBase:
    """Begin a set, or go on with the last one of its kind unless `fresh` is asked for. By GET: the list."""
    if request.method in ("GET", "HEAD"):
        return redirect("practice:index")
    return _start(request)


@require_POST
def _start(request: HttpRequest) -> HttpResponse:
    kind = request.POST.get("kind", "")
    subject = "" if kind in (Kind.MIXED, Kind.WEAK) else request.POST.get("subject", "")
    if kind not in Kind.values or not SUBJECT.fullmatch(subject):
        raise Http404
    person = person_of(request)
    wanted = sets.Wanted(kind=kind, subject=subject, one_handed="one_handed" in request.POST)
    begun = None if "fresh" in request.POST else sets.unfinished(person, wanted)
    if begun is not None:
        if begun.is_begun:
            messages.info(request, _("Going on with the set you had begun."))
        return _see_other(begun)
    rng = np.random.default_rng()
    families = _families(person, kind, subject, rng=rng)
    if wanted.one_handed:
        families = composing.one_handed(families)
    if not families:
        return _nothing(request, kind)
    person = person_to_record(request)
    made = sets.begin(person, wanted, families=composing.compose(families, rng), rng=rng, now=timezone.now())
    return _see_other(sets.progress_of(made, person))


def _families(person: Person, kind: str, subject: str, *, rng: np.random.Generator) -> Sequence[Family]:
    """What a set of this kind is made of. Http404 when there is no such subject."""
    everything = registry.all_families()
    if kind == Kind.WEAK:
        return [weakness.family for weakness in weaknesses_of(person)]
    if kind == Kind.MIXED:
        return composing.spread_out(everything, rng)
    if kind == Kind.SECTION:
        found = composing.about_section(everything, subject)
    elif kind == Kind.MISTAKE:
        found = composing.against(everything, subject)
    else:
        found = _of_question(everything, subject)
    if not found:
        raise Http404(_("There is no exercise of this name."))
    return found


def _of_question(everything: Sequence[Family], subject: str) -> list[Family]:
    number = int(subject) if subject.isascii() and subject.isdigit() and len(subject) < 6 else 0
    question = Question.objects.published().filter(number=number).first()
    return [family for family in everything if question and family.slug in question.families]


def _nothing(request: HttpRequest, kind: str) -> HttpResponse:
    if kind == Kind.WEAK:
        text = _("No weak ones yet: do a mixed set first, and what goes wrong there will be collected here.")
    else:
        text = _("None of these can be done with one hand.")
    messages.info(request, text)
    response = redirect("practice:index")
    response.status_code = 303
    return response


def _see_other(progress: sets.Progress) -> HttpResponse:
    """To where one goes on."""
    item = progress.open_item
    response = redirect(item.url if item else progress.url)
    response.status_code = 303
    return response


@require_safe
def overview(request: HttpRequest, number: int) -> HttpResponse:
    """All places of a set with their states; once it is over, what went wrong and what to do about it."""
    person = person_of(request)
    practice_set = sets.sets_of(person).filter(pk=number).first()
    if practice_set is None:
        raise Http404
    return render(request, "practice/set.html", {"progress": sets.progress_of(practice_set, person)})


@require_safe
def item(request: HttpRequest, number: int, position: int) -> HttpResponse:
    """One exercise of a set, answered here."""
    person = person_of(request)
    place = place_or_404(person, number, position)
    if place.item.family is None:
        return redirect(place.progress.url)
    visit = new_visit(timezone.now(), back=request.path, place=place)
    asked = open_variant(place.item.slug, place.item.seed)
    return render(request, "practice/variant.html", {"exercise": present(asked, person, visit=visit)})


def again(request: HttpRequest, number: int, position: int) -> HttpResponse:
    """Other numbers of the same kind in this place. By GET (a reload): the place as it is."""
    place = place_or_404(person_of(request), number, position)
    if request.method == "POST":
        sets.draw_again(place.progress.set, position, rng=np.random.default_rng())
    response = redirect(place.item.url)
    response.status_code = 303
    return response
