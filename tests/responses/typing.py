"""What a candidate would type: values of a variant as form data."""

from __future__ import annotations

import math
from collections.abc import Mapping

from quiz.exercises.comparing import cells_of
from quiz.exercises.types import Value
from quiz.exercises.variants import Variant
from quiz.responses.answering import GRIDS, field_name, grid_shape


def typed(value: Value, places: int = 3) -> str:
    """A number rounded as on paper; a shape in brackets; a choice as its slug."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "(" + ", ".join(str(item) for item in value) + ")"
    if math.isinf(value):
        return "-inf"
    return str(int(value)) if value == int(value) else f"{value:.{places}f}"


def form_data(variant: Variant, values: Mapping[str, Value]) -> dict[str, str]:
    """Form fields for the parts in `values`."""
    data = {}
    for name, value in values.items():
        part = variant.part(name)
        if part.kind not in GRIDS:
            data[name] = typed(value)
            continue
        _rows, columns = grid_shape(part)
        for index, cell in enumerate(cells_of(value)):
            data[field_name(part, index // columns, index % columns)] = typed(cell)
    return data


def required(variant: Variant, values: Mapping[str, Value]) -> dict[str, Value]:
    """The asked parts of `values`, right where a mistake leaves them right."""
    return {part.name: values.get(part.name, variant.right[part.name]) for part in variant.required}
