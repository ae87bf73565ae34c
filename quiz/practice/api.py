"""Exercises in the public API: families, variants without their answers, reading and marking.

Nothing is recorded, and no right value is ever given out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from quiz.exercises import registry
from quiz.exercises.describing import as_json, describe_family, in_languages, options_of, prompt_text
from quiz.exercises.drawing import PUBLIC_SEEDS, vary
from quiz.exercises.family import Family
from quiz.exercises.marking import MARKING_VERSION, mark_part
from quiz.exercises.reading import MAX_LENGTH, read
from quiz.exercises.variants import UnknownPart, Variant

router = Router(tags=["exercises"])

Kind = Literal["scalar", "integer", "vector", "matrix", "shape", "sequence", "choice"]
Typed = Annotated[str, Field(max_length=MAX_LENGTH)]


class OptionOut(Schema):
    """One option of a choice: the slug to answer with, and what it says in each language (Markdown)."""

    slug: str
    label: dict[str, str]


class PartOut(Schema):
    """What is asked, without its answer. `shape` is () for a number, [n] or [rows, columns] otherwise; `stem`
    is the sentence that a choice is about, if it has one."""

    name: str
    kind: Kind
    label: dict[str, str]
    required: bool
    shape: list[int]
    stem: dict[str, str] | None
    options: list[OptionOut]


class FamilyOut(Schema):
    slug: str
    group: Literal["numeric", "drill"]
    version: int
    title: dict[str, str]
    sections: list[str]
    questions: list[int]
    minutes: int
    misconceptions: list[str]


class VariantOut(Schema):
    """`prompt` is Markdown in each language; `givens` what is shown with it."""

    family: str
    seed: int
    version: int
    prompt: dict[str, str]
    givens: dict[str, Any]
    parts: list[PartOut]


class ReadIn(Schema):
    kind: Literal["number", "matrix", "shape"]
    text: Typed
    infinite: bool = False


class ReadOut(Schema):
    """`value` for outcome "value", `readings` for "ask", `reason` for "ask" and "refuse"."""

    outcome: Literal["value", "ask", "refuse"]
    value: Any = None
    readings: list[Any] = []
    reason: str = ""
    code: str = ""


class MarkIn(Schema):
    part: Annotated[str, Field(max_length=60)]
    response: Typed


class MarkOut(Schema):
    """The verdict on one part. `diagnosis` holds the slug of every known mistake that gives this value;
    else two mistakes at once, `one+other`, or a common slip, `slip_…`; else nothing."""

    verdict: Literal["right", "partial", "wrong", "wrong_shape", "malformed", "ambiguous"]
    score: float
    diagnosis: list[str]
    reason: dict[str, str]
    marking_version: int


def _family(slug: str) -> Family:
    try:
        return registry.get(slug)
    except registry.UnknownFamily:
        raise HttpError(404, f"No family has the slug {slug!r}; /api/v1/families lists them.") from None


def _variant(slug: str, seed: int) -> Variant:
    family = _family(slug)
    if not 0 <= seed < PUBLIC_SEEDS:
        raise HttpError(404, f"Seed {seed}: a whole number from 0 to {PUBLIC_SEEDS - 1} is expected.")
    return vary(family.slug, seed)


@router.get("/families", response=list[FamilyOut], summary="Every family of exercises")
def list_families(request: HttpRequest) -> list[dict[str, Any]]:
    return [describe_family(family) for family in registry.all_families()]


@router.get("/families/{slug}/{int:seed}", response=VariantOut, summary="One variant, without its answers")
def show_variant(request: HttpRequest, slug: str, seed: int) -> VariantOut:
    variant = _variant(slug, seed)
    parts = [
        PartOut(
            name=part.name,
            kind=part.kind,
            label=in_languages(part.label),
            required=part.required,
            shape=list(part.shape),
            stem=None if part.stem is None else in_languages(part.stem),
            options=[OptionOut(**option) for option in options_of(part)],
        )
        for part in variant.parts
    ]
    return VariantOut(
        family=slug,
        seed=seed,
        version=variant.version,
        prompt={code: prompt_text(variant.prompt, code) for code in ("zh-hans", "en")},
        givens={given.name: as_json(given.value) for given in variant.prompt.givens},
        parts=parts,
    )


@router.post("/read", response=ReadOut, summary="How a typed answer is read")
def read_text(request: HttpRequest, body: ReadIn) -> ReadOut:
    reading = read(body.kind, body.text, infinite=body.infinite)
    return ReadOut(
        outcome=reading.outcome,
        value=as_json(reading.value),
        readings=[as_json(value) for value in reading.readings],
        reason=reading.reason,
        code=reading.code,
    )


@router.post("/families/{slug}/{int:seed}/mark", response=MarkOut, summary="Mark one part of a variant")
def mark_response(request: HttpRequest, slug: str, seed: int, body: MarkIn) -> MarkOut:
    variant = _variant(slug, seed)
    try:
        verdict = mark_part(variant, body.part, body.response)
    except UnknownPart:
        names = ", ".join(part.name for part in variant.parts)
        raise HttpError(404, f"No part is called {body.part!r}; this variant has: {names}.") from None
    return MarkOut(
        verdict=verdict.key,  # type: ignore[arg-type]  # "unknown" is a batch's verdict, never a part's
        score=verdict.score,
        diagnosis=list(verdict.diagnosis),
        reason=in_languages(verdict.reason),
        marking_version=MARKING_VERSION,
    )
