"""All statements, the choices that each offers, and the misconception behind every wrong one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from quiz.exercises.choosing import Pick
from quiz.exercises.drills.statement import TRUE, Fix, Statement
from quiz.exercises.drills.statements_code import CODE
from quiz.exercises.drills.statements_ideas import IDEAS
from quiz.exercises.drills.statements_numbers import NUMBERS
from quiz.exercises.drills.statements_true import TRUTHS
from quiz.exercises.types import Misconception, Text

STATEMENTS: Mapping[str, Statement] = MappingProxyType(IDEAS | NUMBERS | CODE | TRUTHS)
_TRUE = Text("对", "True")


def picks(slug: str) -> dict[str, Pick]:
    """“True”, and each way to mend the statement."""
    fixes = {
        fix.slug: Pick(
            slug=fix.slug,
            label=Text(f"不对：{fix.label.zh}", f"False: {fix.label.en}"),
            mistake=f"{slug}_{fix.slug}",
        )
        for fix in STATEMENTS[slug].fixes
    }
    return {TRUE: Pick(slug=TRUE, label=_TRUE, mistake=f"{slug}_believed"), **fixes}


def mistakes() -> Iterator[Misconception]:
    """One for every wrong answer to every statement."""
    for slug, statement in STATEMENTS.items():
        if statement.believed is not None:
            yield _mistake(
                slug,
                "believed",
                Text("把这句错话当成了对的", "a false statement taken for true"),
                statement.believed,
            )
        for fix in statement.fixes:
            if fix.told is not None:
                title = Text("知道它错，改得不对", "a false statement mended wrongly")
                if statement.is_true:
                    title = Text("把对的改错了", "a true statement taken for false")
                yield _mistake(slug, fix.slug, title, fix.told)


def _mistake(slug: str, answer: str, title: Text, told: Text) -> Misconception:
    name = STATEMENTS[slug].name
    return Misconception(
        slug=f"{slug}_{answer}",
        title=Text(f"{title.zh}（{name.zh}）", f"{title.en} ({name.en})"),
        told=told,
        question=STATEMENTS[slug].question,
        caption=Text(f"对「{name.zh}」的回答", f"The answer about {name.en}"),
    )


def right_fix(slug: str) -> Fix | None:
    """How a false statement is mended; None for a true one."""
    return next((fix for fix in STATEMENTS[slug].fixes if fix.told is None), None)
