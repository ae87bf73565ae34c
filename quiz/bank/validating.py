"""Refuses Markdown that a candidate would see broken, and parts of an answer that are built otherwise."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from quiz.bank.answers import BY_FIELD, faults
from quiz.bank.checking import Problem
from quiz.bank.markup import check


def problems_of(text: str, *, language: str, part: str = "") -> tuple[Problem, ...]:
    """What is wrong in a text; `part` is the field of an answer's part, whose build is looked at too."""
    found = check(text, language)
    if part in BY_FIELD and text.strip():
        found += tuple(Problem(line, message) for line, message in faults(text, BY_FIELD[part]))
    return tuple(sorted(set(found), key=lambda problem: (problem.line, problem.message)))


def validate_markup(text: str, *, language: str, part: str = "") -> None:
    """Raise with one message for each problem, naming its line."""
    problems = problems_of(text, language=language, part=part)
    if problems:
        raise ValidationError(
            [
                _("Line %(line)s: %(message)s") % {"line": problem.line, "message": problem.message}
                for problem in problems
            ]
        )
