"""The shipped bank into the database: again and again with the same result, never over an instructor's edit.

Each row remembers the digest of what it was last synced to. A row whose content still has that digest was not
touched and follows the files; any other was edited, is left alone, and is reported. Facts and each language's
text are rows of their own, so an edited English title does not stop the Chinese answer from being corrected.
Nothing is deleted: what the files no longer hold is unpublished, and only if nobody edited it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Prefetch

from quiz.bank.models import Question, QuestionText, Section, SectionText
from quiz.bank.specs import BankSpec, QuestionSpec, SectionSpec

REASON = "sync_bank"  # what the history says of these changes

Row = Section | SectionText | Question | QuestionText
Content = dict[str, Any]


@dataclass
class SyncReport:
    """The names of rows, such as "question 12" (its facts) or "question 12 (en)" (a text of it)."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # edited here, so left alone though the files say otherwise
    unpublished: list[str] = field(default_factory=list)  # no longer in the files


def digest(content: Content) -> str:
    """The mark of a content. Empty fields do not count, so that a field added later changes no old digest."""
    told = {name: value for name, value in content.items() if value}
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@transaction.atomic
def sync(spec: BankSpec) -> SyncReport:
    """Bring the rows to what the files say, all or nothing."""
    report = SyncReport()
    sections = _sync_sections(spec, report)
    _sync_questions(spec, sections, report)
    return report


def _sync_sections(spec: BankSpec, report: SyncReport) -> dict[str, Section]:
    texts = Prefetch("texts", queryset=SectionText.objects.select_for_update())
    rows = {row.number: row for row in Section.objects.select_for_update().prefetch_related(texts)}
    for wanted in spec.sections:
        row = rows.setdefault(wanted.number, Section(number=wanted.number))
        name = f"section {wanted.number}"
        known = {} if row.pk is None else {text.language: text for text in row.texts.all()}
        _settle(row, name, _section_facts(wanted), report)
        for language, text in wanted.texts.items():
            found = known.get(language) or SectionText(section=row, language=language)
            _settle(found, f"{name} ({language})", asdict(text), report)
    _retire(rows, {wanted.number for wanted in spec.sections}, "section", report)
    return rows


def _sync_questions(spec: BankSpec, sections: dict[str, Section], report: SyncReport) -> None:
    texts = Prefetch("texts", queryset=QuestionText.objects.select_for_update())
    known_rows = Question.objects.select_for_update().prefetch_related(texts, "sections")
    rows = {row.number: row for row in known_rows}
    for wanted in spec.questions:
        row = rows.setdefault(wanted.number, Question(number=wanted.number))
        name = f"question {wanted.number}"
        known = {} if row.pk is None else {text.language: text for text in row.texts.all()}

        def join(row: Row, wanted: QuestionSpec = wanted) -> None:
            assert isinstance(row, Question)
            row.sections.set([sections[number] for number in wanted.sections])

        _settle(row, name, _question_facts(wanted), report, after=join)
        for language, text in wanted.texts.items():
            found = known.get(language) or QuestionText(question=row, language=language)
            _settle(found, f"{name} ({language})", asdict(text), report)
    _retire(rows, {wanted.number for wanted in spec.questions}, "question", report)


def _section_facts(wanted: SectionSpec) -> Content:
    return {"position": wanted.position, "is_published": True}


def _question_facts(wanted: QuestionSpec) -> Content:
    return {
        "difficulty": wanted.difficulty,
        "families": list(wanted.families),
        "sections": sorted(wanted.sections),
        "abilities": list(wanted.abilities),
        "asked": wanted.asked,
        "next": list(wanted.next),
        "is_published": True,
    }


def _content(row: Row, names: Content) -> Content:
    """What a row says now, in the fields that the files speak of."""
    return {
        name: sorted(section.number for section in row.sections.all())
        if name == "sections" and isinstance(row, Question)
        else getattr(row, name)
        for name in names
    }


def _settle(
    row: Row, name: str, wanted: Content, report: SyncReport, after: Callable[[Row], None] | None = None
) -> None:
    """Create, update or leave one row, and say which."""
    if row.pk is None:
        _write(row, wanted, after)
        report.created.append(name)
        return
    current = _content(row, wanted)
    if current == wanted:
        if row.synced_digest != digest(wanted):  # an edit that says the same; no new history for that
            type(row)._default_manager.filter(pk=row.pk).update(synced_digest=digest(wanted))
        report.unchanged.append(name)
    elif row.synced_digest == digest(current):
        _write(row, wanted, after)
        report.updated.append(name)
    else:
        report.kept.append(name)


def _write(row: Row, wanted: Content, after: Callable[[Row], None] | None = None) -> None:
    for name, value in wanted.items():
        if name != "sections":
            setattr(row, name, value)
    row.synced_digest = digest(wanted)
    row._change_reason = REASON  # type: ignore[union-attr]  # read by simple_history
    row.save()
    if after is not None:
        after(row)


def _retire(rows: dict[Any, Any], shipped: set[Any], kind: str, report: SyncReport) -> None:
    """Unpublish what was once shipped, is shipped no more, and was not edited."""
    names = _section_fields() if kind == "section" else _question_fields()
    for number, row in rows.items():
        if number in shipped or not row.synced_digest or not row.is_published:
            continue
        current = _content(row, names)
        if row.synced_digest != digest(current):
            report.kept.append(f"{kind} {number}")
            continue
        _write(row, {**current, "is_published": False})
        report.unpublished.append(f"{kind} {number}")


def _section_fields() -> Content:
    return dict.fromkeys(("position", "is_published"))


def _question_fields() -> Content:
    names = ("difficulty", "families", "sections", "abilities", "asked", "next", "is_published")
    return dict.fromkeys(names)
