"""A verdict as JSON and back, so that a page shows again exactly what was said. −∞ is stored as "-inf"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from quiz.exercises.types import PartVerdict, Text, Verdict
from quiz.responses.models import Response

INFINITE = "-inf"


def part_as_json(part: PartVerdict) -> dict[str, Any]:
    return {
        "part": part.part,
        "key": part.key,
        "score": part.score,
        "reason": {"zh": part.reason.zh, "en": part.reason.en},
        "value": _encode(part.value),
        "readings": _encode(part.readings),
        "cells": list(part.cells),
        "diagnosis": list(part.diagnosis),
        "where": list(part.where) if part.where else None,
        "code": part.code,
        "follows": list(part.follows),
    }


def verdict_of(response: Response) -> Verdict:
    """The verdict that was given to a stored response."""
    parts = tuple(_part_from(part) for part in response.parts)
    return Verdict(key=response.verdict, score=response.score, parts=parts)  # type: ignore[arg-type]


def _part_from(stored: Mapping[str, Any]) -> PartVerdict:
    where = stored["where"]
    return PartVerdict(
        part=stored["part"],
        key=stored["key"],
        score=stored["score"],
        reason=Text(**stored["reason"]),
        value=_decode(stored["value"]),
        readings=tuple(_decode(stored["readings"])),
        cells=tuple(stored["cells"]),
        diagnosis=tuple(stored["diagnosis"]),
        where=(where[0], where[1]) if where else None,
        code=stored["code"],
        follows=tuple(stored.get("follows", ())),  # before marking version 2 nothing followed
    )


def _encode(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_encode(item) for item in value]
    return INFINITE if isinstance(value, float) and math.isinf(value) else value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    return -math.inf if value == INFINITE else value
