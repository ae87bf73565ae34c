"""Refuses Markdown that a candidate would see broken: wrong formulas, wrong live numbers."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from quiz.bank.markup import check


def validate_markup(text: str) -> None:
    """Raise with one message for each problem, naming its line."""
    problems = check(text)
    if problems:
        raise ValidationError(
            [
                _("Line %(line)s: %(message)s") % {"line": problem.line, "message": problem.message}
                for problem in problems
            ]
        )
