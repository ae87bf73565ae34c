"""One exercise as a page or a part of a page shows it: task, answer form, verdict, hints, solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from quiz.accounts.people import Person, person_of
from quiz.bank.choosing import QuestionReading, question_in_language
from quiz.bank.listing import published_among
from quiz.bank.markup import render_inline
from quiz.bank.models import Question
from quiz.exercises.code import has_code, numpy_code
from quiz.exercises.types import Given, Response, Table
from quiz.exercises.variants import Variant
from quiz.practice.sets import Place
from quiz.practice.visiting import Visit
from quiz.responses.fields import PartForm, form_of, told
from quiz.responses.keeping import open_variant
from quiz.responses.models import Report
from quiz.responses.models import Response as StoredResponse
from quiz.responses.probing import probes_asked
from quiz.responses.revealing import OpenedStep, solution_of
from quiz.responses.standing import Standing, standing_of
from quiz.responses.storing import verdict_of
from quiz.responses.verdicts import VerdictView, icon, verdict_view, word


@dataclass(frozen=True, kw_only=True)
class EarlierTry:
    """One of the tries before the last, told in a word."""

    mark: str
    word: str
    when: Any


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """All that `practice/_exercise.html` and its parts read. `focus` is what just happened: "verdict",
    "hint", "solution", "probe" or "missing"; `probes` are the further ones asked for so far."""

    variant: Variant
    standing: Standing
    visit: Visit
    parts: tuple[PartForm, ...]
    verdict: VerdictView | None = None
    solution: tuple[OpenedStep, ...] = ()
    hints: tuple[SafeString, ...] = ()
    earlier: tuple[EarlierTry, ...] = ()
    focus: str = "verdict"
    probes: tuple[Table, ...] = ()

    @property
    def back(self) -> str:
        return self.visit.back

    @property
    def place(self) -> Place | None:
        return self.visit.place

    @property
    def url(self) -> str:
        return reverse("practice:variant", args=[self.variant.family.slug, self.variant.seed])

    @property
    def again_url(self) -> str:
        return reverse("practice:family", args=[self.variant.family.slug])

    @property
    def report_kinds(self) -> list[tuple[str, Any]]:
        return Report.Kind.choices

    @cached_property
    def section(self) -> str:
        """The first section it belongs to that a reader may open, or none. One query."""
        return next(iter(published_among(self.variant.family.sections)), "")

    @cached_property
    def questions(self) -> tuple[tuple[int, QuestionReading], ...]:
        """The question card this exercise belongs to: the first published one. Two queries."""
        published = Question.objects.published().filter(number__in=self.variant.family.questions)
        found = published.prefetch_related("texts").order_by("number")[:1]
        language = get_language() or "zh-hans"
        return tuple((question.number, question_in_language(question, language)) for question in found)

    @cached_property
    def code(self) -> str:
        """NumPy code that works the answer out, once the right values are due and where there is any."""
        if not self.standing.is_over or not has_code(self.variant.family.slug):
            return ""
        return numpy_code(self.variant, get_language() or "zh-hans")

    @property
    def values(self) -> list[PartForm]:
        """The parts of the answer that are typed."""
        return [part for part in self.parts if part.part.required and part.part.kind != "choice"]

    @property
    def choices(self) -> list[PartForm]:
        return [part for part in self.parts if part.part.kind == "choice"]

    @property
    def steps(self) -> list[PartForm]:
        return [part for part in self.parts if not part.part.required and part.part.kind != "choice"]

    @property
    def matrices(self) -> list[Given]:
        return [given for given in self.variant.prompt.givens if isinstance(given.value, list | tuple)]

    @property
    def numbers(self) -> list[Given]:
        return [given for given in self.variant.prompt.givens if not isinstance(given.value, list | tuple)]

    @property
    def takes_numbers(self) -> bool:
        """Whether anything is typed, where expressions may be."""
        return bool(self.values)

    @property
    def probes_left(self) -> int:
        """How many further probes may still be asked for."""
        return len(self.variant.probes) - len(self.probes)

    @property
    def next_hint(self) -> int | None:
        """The number of the hint that may be asked for now, while there is one."""
        number = self.standing.hints + 1
        return number if number <= len(self.variant.hints) and not self.standing.is_over else None

    @property
    def is_judged(self) -> bool:
        """Whether the next act is no longer to hand in what stands in the form."""
        return self.verdict is not None or self.standing.is_over

    @property
    def may_edit(self) -> bool:
        """Whether the act after the verdict is another try at these numbers."""
        return self.verdict is not None and not self.verdict.is_right and not self.standing.is_over


def show(request: HttpRequest, slug: str, seed: int, *, visit: Visit) -> Exercise:
    """The exercise for whoever asks, with their last verdict. Raises `UnknownFamily`, `SeedError`.

    At most five queries: the stored draw, the person's responses and helps, the question it belongs to.
    """
    return present(open_variant(slug, seed), person_of(request), visit=visit)


def present(
    variant: Variant,
    person: Person,
    *,
    visit: Visit,
    typed: Mapping[str, Response] | None = None,
    focus: str = "verdict",
) -> Exercise:
    """`typed` is shown in the form instead of the last response (what was sent but not recorded)."""
    standing = standing_of(person, family=variant.family.slug, seed=variant.seed, version=variant.version)
    last = standing.last
    verdict = verdict_of(last) if last else None
    is_edited = typed is not None and (last is None or last.raw != dict(typed))
    answers = typed if typed is not None else (last.raw if last else {})
    return Exercise(
        variant=variant,
        standing=standing,
        visit=visit,
        parts=form_of(variant, answers, None if is_edited else verdict, due=standing.is_over),
        verdict=verdict_view(variant, last, reveal=standing.reveal) if last else None,
        solution=solution_of(variant, verdict) if standing.is_over else (),
        hints=tuple(render_inline(told(hint)) for hint in variant.hints[: standing.hints]),
        earlier=tuple(_earlier(response) for response in standing.responses[:-1]),
        focus=focus,
        probes=variant.probes[: probes_asked(person, variant)],
    )


def _earlier(response: StoredResponse) -> EarlierTry:
    return EarlierTry(mark=icon(response.verdict), word=word(response), when=response.created_at)
