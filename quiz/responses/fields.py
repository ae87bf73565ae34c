"""The answer form as values for a template: a grid, text field or choice a part, and how texts were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from quiz.bank.highlighting import highlighted_line
from quiz.bank.markup import plain, render_inline
from quiz.exercises.comparing import is_blank
from quiz.exercises.reading import read, read_as
from quiz.exercises.receiving import of_asked_shape
from quiz.exercises.types import Option, Part, PartVerdict, Response, Text, Verdict
from quiz.exercises.variants import Variant
from quiz.exercises.verdicts import UNREAD
from quiz.figures.wiring import wiring
from quiz.responses.answering import GRIDS, field_name, grid_shape

STACKED = 4  # more columns than this are entered one below the other on a phone


def told(text: Text) -> str:
    """A text in the reader's language (Markdown)."""
    return text.in_language(get_language() or "zh-hans")


@dataclass(frozen=True, kw_only=True)
class CellReading:
    """How a text was read: what to say under its field, and whether it can be marked."""

    text: str
    state: str  # "", "value", "ask", "refuse"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One input. `label` is read out, `place` said on the keypad; `short` names an entry of a stacked row."""

    name: str
    label: str
    text: str
    reading: CellReading
    wrong: bool = False
    place: str = ""
    short: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    label: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class OptionField:
    """One option of a choice: `number` is the key that chooses it, `shown` what stands beside it, `mark` how
    it was marked when it was chosen last ("right", "wrong" or ""). The right one `is_due` once it may be
    shown.
    """

    slug: str
    number: int
    label: SafeString
    shown: SafeString
    is_chosen: bool
    mark: str = ""
    is_due: bool = False


@dataclass(frozen=True, kw_only=True)
class PartForm:
    """A part with its rows of fields or, for a choice, its options, and how it was marked last."""

    part: Part
    rows: tuple[Row, ...] = ()
    options: tuple[OptionField, ...] = ()
    verdict: str = ""
    filled: bool = False

    @property
    def keys(self) -> str:
        """Which keys the keypad offers beside the digits."""
        if self.part.kind in ("shape", "sequence"):
            return "list"
        return "infinite" if self.part.infinite else ""

    @property
    def is_grid(self) -> bool:
        return self.part.kind in GRIDS

    @property
    def stacked(self) -> bool:
        return self.is_grid and grid_shape(self.part)[1] > STACKED


def reading_of(part: Part, text: str) -> CellReading:
    """What to say under a field, before anything is marked."""
    if not text.strip():
        return CellReading(text=_("empty"), state="")
    kind = {"shape": "shape", "sequence": "matrix"}.get(part.kind, "number")
    found = read(kind, text, infinite=part.infinite)
    meant = (found.value,) if found.outcome == "value" else of_asked_shape(part, found.readings)
    if len(meant) == 1:
        return CellReading(text=_("read as %(value)s") % {"value": read_as(meant[0])}, state="value")
    if found.outcome == "ask":
        either = _(" or ").join(read_as(value) for value in meant)
        return CellReading(text=_("%(either)s?") % {"either": either}, state="ask")
    return CellReading(text=told(found.explanation) if found.explanation else found.reason, state="refuse")


def form_of(
    variant: Variant, answers: Mapping[str, Response], verdict: Verdict | None, *, due: bool = False
) -> tuple[PartForm, ...]:
    """Every part with what was typed and, after a verdict that counts, which cells were wrong; once the right
    values are `due`, with the right options shown among the others."""
    counts = verdict is not None and verdict.key not in UNREAD
    marked = {part.part: part for part in verdict.parts} if verdict and counts else {}
    forms = (
        _part_form(part, typed=answers.get(part.name, ""), marked=marked.get(part.name))
        for part in variant.parts
    )
    return tuple(_with_right(form, variant) if due and form.options else form for form in forms)


def _with_right(form: PartForm, variant: Variant) -> PartForm:
    right = variant.right[form.part.name]
    return replace(form, options=tuple(replace(one, is_due=one.slug == right) for one in form.options))


def _part_form(part: Part, *, typed: Response, marked: PartVerdict | None) -> PartForm:
    form = PartForm(part=part, filled=not is_blank(typed), verdict=_said(marked))
    text = typed if isinstance(typed, str) else ""
    if part.kind == "choice":
        return replace(form, options=tuple(_options(part, text, marked=marked)))
    label = plain(told(part.label))
    if part.kind in GRIDS:
        return replace(form, rows=_grid(part, typed, label=label, marked=marked))
    field = replace(_field(part, part.name, text, label=label, wrong=_is_wrong(marked)), place=label)
    return replace(form, rows=(Row(label="", fields=(field,)),))


def _options(part: Part, chosen: str, *, marked: PartVerdict | None) -> Iterator[OptionField]:
    for number, option in enumerate(part.options, start=1):
        is_chosen = option.slug == chosen
        label = render_inline(told(option.label))
        yield OptionField(
            slug=option.slug,
            number=number,
            label=label,
            shown=_shown(option, label, is_code=part.is_listing),
            is_chosen=is_chosen,
            mark=("right" if marked.key == "right" else "wrong") if marked and is_chosen else "",
        )


def _shown(option: Option, label: SafeString, *, is_code: bool) -> SafeString:
    """What stands for an option: a line of code, a drawing, or its label."""
    if is_code:
        return mark_safe(highlighted_line(option.label.en))  # noqa: S308  the highlighter escapes
    if option.drawing is None:
        return label
    drawn = wiring(
        before=option.drawing.before,
        branch=option.drawing.branch,
        after=option.drawing.after,
        skip=option.drawing.skip,
    )
    return mark_safe(drawn)  # noqa: S308  wiring() escapes


def _grid(part: Part, typed: Response, *, label: str, marked: PartVerdict | None) -> tuple[Row, ...]:
    rows, columns = grid_shape(part)
    texts = _texts(part, typed)
    where = _("entry %(column)s") if rows == 1 else _("row %(row)s, column %(column)s")
    cells = marked.cells if marked and len(marked.cells) == rows * columns else ()
    found = []
    for i in range(rows):
        fields = []
        for j in range(columns):
            place = where % {"row": i + 1, "column": j + 1}
            wrong = not cells[i * columns + j] if cells else _is_wrong(marked)
            said = _("%(part)s, %(place)s") % {"part": label, "place": place}
            field = _field(part, field_name(part, i, j), texts[i][j], label=said, wrong=wrong)
            fields.append(replace(field, place=place, short=str(j + 1)))
        found.append(Row(label=str(i + 1) if rows > 1 else "", fields=tuple(fields)))
    return tuple(found)


def _said(marked: PartVerdict | None) -> str:
    if marked is None:
        return ""
    return "follows" if marked.follows else marked.key


def _is_wrong(marked: PartVerdict | None) -> bool:
    """What only follows from a wrong step is not wrong itself."""
    return bool(marked and marked.key in ("wrong", "wrong_shape") and not marked.follows)


def _texts(part: Part, typed: Response) -> list[list[str]]:
    """What was typed, cell by cell; a whole matrix that did not fit stays in the first cell."""
    rows, columns = grid_shape(part)
    if isinstance(typed, str):
        texts = [[""] * columns for _row in range(rows)]
        texts[0][0] = typed
        return texts
    nested = [row for row in typed if isinstance(row, list)]
    return nested or [[cell for cell in typed if isinstance(cell, str)]]


def _field(part: Part, name: str, text: str, *, label: str, wrong: bool) -> Field:
    return Field(name=name, label=label, text=text, reading=reading_of(part, text), wrong=wrong)
